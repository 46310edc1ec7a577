"""Go types as values, and JSON decoded into them the way encoding/json does it for Kubernetes' built-in kinds.

Decoding checks types (with Go's error texts), drops unknown fields (reporting their paths), turns null into the zero
value and leaves zero values out where the field says omitempty, so that a stored object has one canonical form.
Recursion is bounded by the types, which are finite: only what ANY holds may nest, and that is not walked.

Source: encoding/json's rules; k8s.io/api's types.go files for the types themselves (apis/).
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
    """The value does not fit the type; the text is Go's."""


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
    item: GoType

    @property
    def go_name(self) -> str:
        return f"[]{self.item.go_name}"


@dataclass(frozen=True, slots=True)
class MapOf:
    value: GoType

    @property
    def go_name(self) -> str:
        return f"map[string]{self.value.go_name}"


@dataclass(frozen=True, slots=True)
class Field:
    """`pointer`: an explicit zero value is kept. `always`: written even where it is zero (no omitempty)."""

    type: GoType
    pointer: bool = False
    always: bool = False


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

_NOT_BASE64: Final = re.compile(r"[^A-Za-z0-9+/=\r\n]")
_ZERO: Final = {"string": "", "bool": False, "int": 0, "float": 0, "bytes": "", "intorstring": 0, "quantity": "0"}
INT_BOUNDS: Final = {"int32": (-(2**31), 2**31 - 1), "int64": (-(2**63), 2**63 - 1)}


class Decoder:
    """Decodes one object; `unknown` collects the paths of fields that the type does not have."""

    def __init__(self, *, report_unknown: bool) -> None:
        self.unknown: list[str] = []
        self._report_unknown = report_unknown
        self._depth = 0

    def decode_struct(
        self, value: Any, struct: Struct, go_path: str = "", path: str = "", where: str = ""
    ) -> dict[str, Any]:
        """`go_path` names fields as Go's errors do (no indexes); `path` as unknown-field findings do."""
        if value is None:
            value = {}
        if not isinstance(value, dict):
            raise DecodeError(_mismatch(value, where or go_path, struct.go_name))
        self._depth += 1
        if self._depth > STRUCTS_NESTED_MAX:
            raise DecodeError("exceeded max depth")
        out: dict[str, Any] = {}
        for name, field in struct.fields.items():
            inner = f"{go_path}.{name}" if go_path else name
            result = self._decode_field(value.get(name), field, f"{struct.name}.{inner}", inner, _join(path, name))
            if result is not _ABSENT:
                out[name] = result
        if self._report_unknown:
            self.unknown += [_join(path, name) for name in value if name not in struct.fields]
        self._depth -= 1
        return out

    def _decode_field(self, value: Any, field: Field, where: str, go_path: str, path: str) -> Any:
        if isinstance(field.type, Struct):
            if value is None and field.pointer:
                return _ABSENT
            return self.decode_struct(value, field.type, go_path, path, where)
        if value is None:
            return zero_of(field.type) if field.always and not field.pointer else _ABSENT
        decoded = self._decode(value, field.type, where, go_path, path)
        if decoded in ("", 0, [], {}, None) and not field.pointer and not field.always and field.type is not ANY:
            return _ABSENT
        return decoded

    def _decode(self, value: Any, go_type: GoType, where: str, go_path: str, path: str) -> Any:
        if isinstance(go_type, Scalar):
            return decode_scalar(value, go_type, where)
        if isinstance(go_type, Struct):
            return self.decode_struct(value, go_type, go_path, path)
        if isinstance(go_type, Union):
            return self._decode_union(value, go_type, where, go_path, path)
        if isinstance(go_type, ListOf):
            if not isinstance(value, list):
                raise DecodeError(_mismatch(value, where, go_type.go_name))
            return [
                self._decode_item(item, go_type.item, where, go_path, f"{path}[{position}]")
                for position, item in enumerate(value)
            ]
        if not isinstance(value, dict):
            raise DecodeError(_mismatch(value, where, go_type.go_name))
        return {
            key: self._decode_item(item, go_type.value, where, go_path, f"{path}.{key}") for key, item in value.items()
        }

    def _decode_union(self, value: Any, union: Union, where: str, go_path: str, path: str) -> Any:
        if isinstance(value, bool) and union.or_bool:
            return value
        # Its own unmarshaller reads it, and that one is not strict: unknown fields in there are dropped without a word.
        reported, self._report_unknown = self._report_unknown, False
        try:
            if isinstance(value, list) and union.list_of is not None:
                return self._decode(value, ListOf(union.list_of), where, go_path, path)
            return self.decode_struct(value, union.struct, go_path, path)
        finally:
            self._report_unknown = reported

    def _decode_item(self, value: Any, go_type: GoType, where: str, go_path: str, path: str) -> Any:
        if value is None and not isinstance(go_type, Struct):
            return zero_of(go_type)
        return self._decode(value, go_type, where, go_path, path)


class _Absent:
    """The field is left out."""


_ABSENT: Final = _Absent()


def zero_of(go_type: GoType) -> Any:
    """What null decodes to where something has to stand."""
    if isinstance(go_type, Scalar):
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
        if isinstance(value, str) or (isinstance(value, int) and not isinstance(value, bool)):
            return value
    elif kind == "quantity":
        if isinstance(value, (str, int, float)) and not isinstance(value, bool):
            return _decode_quantity(value)
    elif isinstance(value, str):
        return _decode_text(value, kind)
    raise DecodeError(_mismatch(value, where, scalar.go_name if kind not in ("time", "microtime") else "string"))


def _decode_int(value: Any, scalar: Scalar, where: str) -> int:
    low, high = INT_BOUNDS[scalar.go_name]
    if isinstance(value, int) and not isinstance(value, bool):
        if low <= value <= high:
            return value
        raise DecodeError(_refusal(f"number {value}", where, scalar.go_name))
    if isinstance(value, float):
        raise DecodeError(_refusal(f"number {value!r}", where, scalar.go_name))
    raise DecodeError(_mismatch(value, where, scalar.go_name))


def _decode_quantity(value: str | float) -> str:
    try:
        return str(quantities.parse(str(value)))
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


def _mismatch(value: Any, where: str, go_type: str) -> str:
    return _refusal(gofmt.json_type(value), where, go_type)


def _refusal(shown: str, where: str, go_type: str) -> str:
    place = f"struct field {where}" if where else "value"
    return f"json: cannot unmarshal {shown} into Go {place} of type {go_type}"


def _join(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name
