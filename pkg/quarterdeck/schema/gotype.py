"""Go types as values: how the decoder, the encoder and what tells of Go's types know a built-in kind.

gotypes.py makes them from tables; apiextensions/types.py and others write theirs down.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

_ZERO: Final = {"string": "", "bool": False, "int": 0, "float": 0, "bytes": "", "intorstring": 0, "quantity": "0"}


@dataclass(frozen=True, slots=True)
class Scalar:
    """`go_name` is the type as Go's errors print it."""

    go_name: str
    kind: str


STRING: Final = Scalar("string", "string")
BOOL: Final = Scalar("bool", "bool")
INT32: Final = Scalar("int32", "int")
INT64: Final = Scalar("int64", "int")
FLOAT: Final = Scalar("float64", "float")
BYTES: Final = Scalar("[]uint8", "bytes")
TIME: Final = Scalar("v1.Time", "time")
MICRO_TIME: Final = Scalar("v1.MicroTime", "microtime")
QUANTITY: Final = Scalar("resource.Quantity", "quantity")
INT_OR_STRING: Final = Scalar("intstr.IntOrString", "intorstring")
ANY: Final = Scalar("interface {}", "any")


@dataclass(frozen=True, slots=True)
class ListOf:
    """`name` is the Go name of a named list type ("v1.ValidationRules"), or of one whose items are called otherwise."""

    item: GoType
    name: str = ""

    @property
    def go_name(self) -> str:
        return self.name or f"[]{self.item.go_name}"


@dataclass(frozen=True, slots=True)
class MapOf:
    """`name` is the Go name of a named map type ("v1.ResourceList"), `key` the Go type of its keys."""

    value: GoType
    name: str = ""
    key: str = "string"

    @property
    def go_name(self) -> str:
        return self.name or f"map[{self.key}]{self.value.go_name}"


@dataclass(frozen=True, slots=True)
class Field:
    """`pointer`: an explicit zero value is kept. `always`: written even where it is zero (no omitempty).

    `embedded`: the embedded struct that the field comes from; Go's errors name it in their paths. A list merges by its
    `list_keys`, or by value where it `is_set`, or not at all; a map merges unless it is `atomic`. `default`: JSON, ""
    for none but the type's.
    """

    type: GoType
    pointer: bool = False
    always: bool = False
    embedded: str = ""
    list_keys: tuple[str, ...] = ()
    is_set: bool = False
    atomic: bool = False
    default: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Struct:
    """`name` is the Go type's bare name; `package` what Go's errors put before it. An `atomic` one is owned whole."""

    name: str
    fields: Mapping[str, Field]
    package: str = "v1"
    atomic: bool = False

    @property
    def go_name(self) -> str:
        return f"{self.package}.{self.name}"


@dataclass(frozen=True, slots=True, eq=False)
class Union:
    """A struct, or a list of something, or a bool (JSONSchemaPropsOrArray, …OrBool, …OrStringArray)."""

    struct: Struct
    list_of: GoType | None = None
    or_bool: bool = False

    @property
    def go_name(self) -> str:
        return self.struct.go_name


GoType = Scalar | ListOf | MapOf | Struct | Union


def zero_of(go_type: GoType, *, pointer: bool = False) -> Any:
    """What null decodes to where something has to stand."""
    if isinstance(go_type, Scalar) and not pointer:
        return _ZERO.get(go_type.kind)
    return None


def absent_of(field: Field) -> Any:
    """What is written of a field that always is, where the body does not have it. Go writes absent bytes as null."""
    if isinstance(field.type, Scalar) and field.type.kind == "bytes":
        return None
    return zero_of(field.type, pointer=field.pointer)


def only_declared(value: Any, go_type: GoType) -> Any:
    """JSON without the fields that its type does not have; what does not fit stays as it is."""
    if isinstance(go_type, Struct) and isinstance(value, dict):
        known = go_type.fields
        return {name: only_declared(item, known[name].type) for name, item in value.items() if name in known}
    if isinstance(go_type, ListOf) and isinstance(value, list):
        return [only_declared(item, go_type.item) for item in value]
    if isinstance(go_type, MapOf) and isinstance(value, dict):
        return {name: only_declared(item, go_type.value) for name, item in value.items()}
    return value
