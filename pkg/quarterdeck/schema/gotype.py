"""Go types as values, and JSON decoded into them the way encoding/json does it for Kubernetes' built-in kinds.

Decoding checks types (with Go's error texts), drops unknown fields (reporting their paths), turns null into the zero
value and leaves zero values out where the field says omitempty, so that a stored object has one canonical form: its
members stand in the order of the Go struct.

The body is read in its own order. What has the wrong JSON type is skipped, and the first such mistake is told in the
end; types that read JSON themselves (times, quantities, unions) end the reading with theirs.
Recursion is bounded by the types, which are finite: only what ANY holds may nest, and that is not walked.

Source: sigs.k8s.io/json (decode.go: object, array, literalStore, addErrorContext); gotypes.py for the types.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from quarterdeck.apimachinery import gofmt
from quarterdeck.apimachinery import quantity as quantities
from quarterdeck.apimachinery.time import format_micro, parse_rfc3339
from quarterdeck.schema import timestamps


class DecodeError(ValueError):
    """The value does not fit the type; the text is Go's. `mismatch`: what was found and the Go type that was wanted,
    where that is what the text says."""

    def __init__(self, text: str, mismatch: tuple[str, str] | None = None) -> None:
        super().__init__(text)
        self.mismatch = mismatch


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

    `embedded`: the embedded struct that the field comes from; Go's errors name it in their paths.
    """

    type: GoType
    pointer: bool = False
    always: bool = False
    embedded: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Struct:
    """`name` is the Go type's bare name; `package` what Go's errors put before it."""

    name: str
    fields: Mapping[str, Field]
    package: str = "v1"

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

# A type may contain itself (JSONSchemaProps); deeper bodies are refused instead of exhausting the stack.
STRUCTS_NESTED_MAX: Final = 250

# Kinds of scalars that read JSON themselves.
READS_JSON: Final = frozenset(("time", "microtime", "quantity", "intorstring"))

_NOT_BASE64: Final = re.compile(r"[^A-Za-z0-9+/=\r\n]")
_ZERO: Final = {"string": "", "bool": False, "int": 0, "float": 0, "bytes": "", "intorstring": 0, "quantity": "0"}
INT_BOUNDS: Final = {"int32": (-(2**31), 2**31 - 1), "int64": (-(2**63), 2**63 - 1)}


class Decoder:
    """Decodes one object; `unknown` collects the paths of fields that the type does not have."""

    def __init__(self, *, report_unknown: bool) -> None:
        self.unknown: list[str] = []
        self._report_unknown = report_unknown
        self._depth = 0
        self._first: DecodeError | None = None

    def decode_struct(self, value: Any, struct: Struct, go_path: str = "", path: str = "") -> dict[str, Any]:
        """`go_path` names fields as Go's errors do (no indexes); `path` as unknown-field findings do. Raises
        DecodeError."""
        decoded = self._struct(value, struct, go_path, path, go_path)
        if self._first is not None:
            raise self._first
        return {} if decoded is _ABSENT else decoded

    def _refuse(self, value: Any, where: str, go_type: str) -> Any:
        """Only the first mistake of a wrong JSON type is told."""
        if self._first is None:
            self._first = mismatch(gofmt.json_type(value), where, go_type)
        return _ABSENT

    def _struct(self, value: Any, struct: Struct, go_path: str, path: str, where: str) -> Any:
        if value is None:
            value = {}
        if not isinstance(value, dict):
            return self._refuse(value, where, struct.go_name)
        self._depth += 1
        if self._depth > STRUCTS_NESTED_MAX:
            raise DecodeError("exceeded max depth")
        found: dict[str, Any] = {}
        for name, item in value.items():
            field = struct.fields.get(name)
            if field is None:
                if self._report_unknown:
                    self.unknown.append(_join(path, name))
                continue
            inner = _join(go_path, f"{field.embedded}.{name}" if field.embedded else name)
            found[name] = self._field(item, field, f"{struct.name}.{inner}", inner, _join(path, name))
        self._depth -= 1
        return self._in_order(found, struct)

    def _in_order(self, found: dict[str, Any], struct: Struct) -> dict[str, Any]:
        """The members that Go writes: those that are there, and those that are always written."""
        out: dict[str, Any] = {}
        for name, field in struct.fields.items():
            item = found.get(name, _ABSENT)
            if item is _ABSENT:
                item = self._empty(field)
            if item is not _ABSENT:
                out[name] = item
        return out

    def _empty(self, field: Field) -> Any:
        """What stands for a field that the body does not have."""
        if isinstance(field.type, Struct):
            if not field.pointer:
                return self._struct({}, field.type, "", "", "")
            return None if field.always else _ABSENT
        return zero_of(field.type, pointer=field.pointer) if field.always else _ABSENT

    def _field(self, value: Any, field: Field, where: str, go_path: str, path: str) -> Any:
        if value is None:
            return _ABSENT
        decoded = self._value(value, field.type, where, go_path, path)
        if isinstance(field.type, Struct) or field.pointer or field.always or field.type is ANY:
            return decoded
        return _ABSENT if decoded in ("", 0, [], {}, None) else decoded

    def _value(self, value: Any, go_type: GoType, where: str, go_path: str, path: str) -> Any:
        if isinstance(go_type, Scalar):
            return self._scalar(value, go_type, where)
        if isinstance(go_type, Struct):
            return self._struct(value, go_type, go_path, path, where)
        if isinstance(go_type, Union):
            return self._union(value, go_type, where, go_path, path)
        if isinstance(go_type, ListOf):
            if not isinstance(value, list):
                return self._refuse(value, where, go_type.go_name)
            items = [
                self._item(item, go_type.item, where, go_path, f"{path}[{position}]")
                for position, item in enumerate(value)
            ]
            return [item for item in items if item is not _ABSENT]
        if not isinstance(value, dict):
            return self._refuse(value, where, go_type.go_name)
        members = {key: self._item(item, go_type.value, where, go_path, f"{path}.{key}") for key, item in value.items()}
        return {key: item for key, item in members.items() if item is not _ABSENT}

    def _scalar(self, value: Any, scalar: Scalar, where: str) -> Any:
        try:
            return decode_scalar(value, scalar, where)
        except DecodeError as error:
            if scalar.kind in READS_JSON:
                raise
            if self._first is None:
                self._first = error
            return _ABSENT

    def _union(self, value: Any, union: Union, where: str, go_path: str, path: str) -> Any:
        if isinstance(value, bool) and union.or_bool:
            return value
        # Its own unmarshaller reads it, and that one is not strict: unknown fields in there are dropped without a word.
        reported, self._report_unknown = self._report_unknown, False
        before, self._first = self._first, None
        decoded: Any = None  # anything else than what is taken below counts for nothing
        if isinstance(value, list) and union.list_of is not None:
            decoded = self._value(value, ListOf(union.list_of), where, go_path, path)
        elif isinstance(value, dict):
            decoded = self._struct(value, union.struct, go_path, path, where)
        elif union.or_bool:
            raise DecodeError("boolean or JSON schema expected")
        if self._first is not None:
            raise self._first
        self._report_unknown, self._first = reported, before
        return decoded

    def _item(self, value: Any, go_type: GoType, where: str, go_path: str, path: str) -> Any:
        if value is None and not isinstance(go_type, Struct):
            return zero_of(go_type)
        return self._value(value, go_type, where, go_path, path)


class _Absent:
    """The field is left out."""


_ABSENT: Any = _Absent()


def zero_of(go_type: GoType, *, pointer: bool = False) -> Any:
    """What null decodes to where something has to stand."""
    if isinstance(go_type, Scalar) and not pointer:
        return _ZERO.get(go_type.kind)
    return None


def decode_scalar(value: Any, scalar: Scalar, where: str) -> Any:
    """`where` is the field as Go names it ("ConfigMap.data")."""
    kind = scalar.kind
    if kind == "any":
        return value
    if kind == "bool":
        if isinstance(value, bool):
            return value
    elif kind == "int":
        return _decode_int(value, scalar, where)
    elif kind == "float":
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            return value
    elif kind == "intorstring":
        return value if isinstance(value, str) else _decode_int(value, INT32, where)
    elif kind == "quantity":
        if isinstance(value, (str, int, float)) and not isinstance(value, bool):
            return _decode_quantity(value)
        raise DecodeError(quantities.FORMAT_ERROR)
    elif isinstance(value, str):
        return _decode_text(value, kind)
    elif kind == "bytes" and isinstance(value, list):
        return base64.b64encode(bytes(_decode_byte(item, where) for item in value)).decode()
    raise mismatch(gofmt.json_type(value), where, scalar.go_name if kind not in ("time", "microtime") else "string")


def _decode_int(value: Any, scalar: Scalar, where: str) -> int:
    low, high = INT_BOUNDS[scalar.go_name]
    if isinstance(value, int) and not isinstance(value, bool):
        if low <= value <= high:
            return value
        raise mismatch(f"number {value}", where, scalar.go_name)
    if isinstance(value, float):
        raise mismatch(f"number {value!r}", where, scalar.go_name)
    raise mismatch(gofmt.json_type(value), where, scalar.go_name)


def _decode_byte(value: Any, where: str) -> int:
    """An item of bytes that are written as a list of numbers."""
    if value is None:
        return 0
    if isinstance(value, int | float) and not isinstance(value, bool):
        if isinstance(value, int) and 0 <= value <= 255:
            return value
        raise mismatch(f"number {value!r}", where, "uint8")
    raise mismatch(gofmt.json_type(value), where, "uint8")


def _decode_quantity(value: str | float) -> str:
    try:
        return str(quantities.parse(str(value).strip(" ")))
    except ValueError as error:
        raise DecodeError(str(error)) from error


def _decode_text(value: str, kind: str) -> str:
    try:
        if kind == "time":
            return timestamps.normalize(value)
        if kind == "microtime":
            return _normalize_micro(value)
    except ValueError as error:
        raise DecodeError(str(error)) from error
    if kind == "bytes":
        return _check_base64(value)
    return value


def _normalize_micro(text: str) -> str:
    """metav1.MicroTime: six digits of a second, UTC."""
    timestamps.check_micro(text)
    seconds = parse_rfc3339(text)
    return timestamps.normalize(text) if seconds is None else format_micro(seconds)


def _check_base64(text: str) -> str:
    try:
        base64.b64decode(text.replace("\n", "").replace("\r", ""), validate=True)
    except (binascii.Error, ValueError) as error:
        raise DecodeError(f"illegal base64 data at input byte {_base64_error_position(text)}") from error
    return text if "\n" not in text and "\r" not in text else text.replace("\n", "").replace("\r", "")


def _base64_error_position(text: str) -> int:
    """Where Go's decoder stops: the first byte outside the alphabet, else the start of the incomplete last quantum."""
    if match := _NOT_BASE64.search(text):
        return match.start()
    return len(text) // 4 * 4


def mismatch(found: str, where: str, go_type: str) -> DecodeError:
    """Go's UnmarshalTypeError."""
    place = f"struct field {where}" if where else "value"
    return DecodeError(f"json: cannot unmarshal {found} into Go {place} of type {go_type}", (found, go_type))


def _join(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name
