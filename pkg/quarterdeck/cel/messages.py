"""Protobuf's well-known messages, which expressions may make: their fields, and which value of CEL a message becomes.

Source: cel-go checker/checker.go (checkCreateStruct), common/types/provider.go (NewValue, msgSetField) and the
ConvertToNative of its types.
"""

from __future__ import annotations

import base64
import struct
from collections.abc import Callable
from typing import Any, Final

from quarterdeck._kernels import celvalue
from quarterdeck.cel import strfmt, types
from quarterdeck.cel.types import Kind, Type
from quarterdeck.cel.values import CelErr, Duration, Optional, Timestamp, UInt

_PREFIX: Final = "google.protobuf."
_MOMENT: Final = {"seconds": types.INT, "nanos": types.INT}
# Fields of messages by name. Of the wrappers only one of each type of values is asked for.
_FIELDS: Final[dict[str, dict[str, Type]]] = {
    "Any": {"type_url": types.STRING, "value": types.BYTES},
    "Duration": _MOMENT,
    "Timestamp": _MOMENT,
    "Struct": {"fields": types.JSON_OBJECT},
    "ListValue": {"values": types.LIST_DYN},
    "Value": {
        "null_value": types.INT,
        "number_value": types.DOUBLE,
        "string_value": types.STRING,
        "bool_value": types.BOOL,
        "struct_value": types.JSON_OBJECT,
        "list_value": types.LIST_DYN,
    },
}
_BY_KIND: Final = {
    Kind.ANY: "Any",
    Kind.TIMESTAMP: "Timestamp",
    Kind.DURATION: "Duration",
    Kind.DYN: "Value",
    Kind.NULL: "NullValue",
}
# What the numbers of messages may be.
_INT32: Final = range(-(1 << 31), 1 << 31)
_INT64: Final = range(-(1 << 63), 1 << 63)
_UINT32: Final = range(1 << 32)
_UINT64: Final = range(1 << 64)
_EXACT: Final = range(-(1 << 53) + 1, 1 << 53)  # integers that JSON has as numbers, others are texts there
_DURATION_MAX: Final = (1 << 63) - 1
_CONVERSIONS: Final = {
    "int": "unsupported type conversion from 'int' to {}",
    "uint": "unsupported type conversion from 'uint' to {}",
    "string": "unsupported native conversion from string to '{}'",
    "double": "type conversion error from Double to '{}'",
    "bool": "type conversion error from bool to '{}'",
    "bytes": "type conversion error from Bytes to '{}'",
    "list": "type conversion error from list to '{}'",
    "map": "type conversion error from map to '{}'",
    "type": "type conversion not supported for 'type'",
}


class _Misfit(Exception):
    """A value that a field cannot hold."""


def name_of(t: Type) -> str | None:
    """The message that a type stands for; None for other types."""
    if t.kind == Kind.WRAPPER:
        return "a wrapper"
    if t is types.LIST_DYN:
        return "ListValue"
    return "Struct" if t is types.JSON_OBJECT else _BY_KIND.get(t.kind)


def field_of(made: Type, name: str, field: str, given: Type) -> tuple[Type, str | None]:
    """As types.field_of, of messages too."""
    message = name_of(made)
    if message is None:
        return types.field_of(made, name, field, given)
    fields = {"value": made.params[0]} if made.kind == Kind.WRAPPER else _FIELDS.get(message)
    if fields is None:
        return types.ERROR, f"unexpected failed resolution of '{_PREFIX}{message}'"
    found = fields.get(field)
    return (types.ERROR, f"undefined field '{field}'") if found is None else (found, None)


def maker_of(made: Type, name: str) -> Callable[[dict[str, Any]], object] | None:
    """What makes a value of fields, or a CelErr; None where `made` is no message."""
    if name_of(made) is None:
        return None
    make = _MAKERS.get(name.removeprefix(_PREFIX)) if name.startswith(_PREFIX) else None

    def made_of(fields: dict[str, Any]) -> object:
        if make is None:
            return CelErr(f"unknown type '{name}'")
        try:
            return make(_Reader(fields))
        except _Misfit as error:
            field, fault = error.args
            return CelErr(f"field type conversion error for {name}.{field} value type: {fault}")

    return made_of


class _Reader:
    """Fields of a message as Go's types; what is not given has the type's zero. Raises _Misfit."""

    __slots__ = ("fields",)

    def __init__(self, fields: dict[str, Any]) -> None:
        self.fields = fields

    def number(self, field: str, bounds: range, go_type: str) -> Any:
        wanted: type = UInt if go_type.startswith("u") else int
        value = self.one(field, wanted, go_type, wanted(0))
        if int(value) not in bounds:  # of a subclass a range would look at each of its numbers
            raise _Misfit(field, f"{'unsigned ' if wanted is UInt else ''}integer overflow")
        return value

    def one(self, field: str, wanted: type, go_type: str, zero: Any) -> Any:
        value = _held(field, self.fields.get(field, zero))
        if type(value) is not wanted:
            raise _Misfit(field, _words(value, go_type))
        return value

    def json(self, field: str, read: Callable[[object], Any], go_type: str) -> Any:
        """A list or a map, as `read` tells."""
        value = self.fields[field]
        if read(value) is None:
            raise _Misfit(field, _words(value, go_type))
        return _json(field, value)


def _words(value: object, go_type: str) -> str:
    name = celvalue.cel_type_name(value)
    return _CONVERSIONS.get(name, f"type conversion error from '{name.rpartition('.')[2]}' to '{{}}'").format(go_type)


def _held(field: str, value: Any) -> Any:
    while isinstance(value, Optional):
        if not value.present:
            raise _Misfit(field, "optional.none() dereference")
        value = value.value
    return value


def _json(field: str, value: Any) -> Any:
    """A value as JSON has it: numbers are doubles."""
    value = _held(field, value)
    if value is None or isinstance(value, (bool, str, float)):
        return value
    if isinstance(value, int):
        return float(value) if int(value) in _EXACT else str(value)
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    if isinstance(value, Timestamp):
        return strfmt.show_timestamp(value)
    if isinstance(value, Duration):
        return strfmt.show_duration(value.ns)
    items = celvalue.items_of(value)
    if items is not None:
        return [_json(field, item) for item in items]
    keys = celvalue.keys_of(value)
    if keys is None:
        raise _Misfit(field, _words(value, "*structpb.Value"))
    made = {}
    for key in keys:
        if not isinstance(key, str):
            raise _Misfit(field, _words(key, "string"))
        made[key] = _json(field, celvalue.get_key(value, key))
    return made


def _container(name: str, field: str, read: Callable[[object], Any], zero: Any) -> Callable[[_Reader], object]:
    def make(fields: _Reader) -> object:
        value = fields.fields.get(field, zero)
        if read(value) is None:
            return CelErr(f"unsupported field type for {_PREFIX}{name}.{field}: {celvalue.cel_type_name(value)}")
        return _json(field, value)

    return make


def _duration(fields: _Reader) -> object:
    seconds, nanos = fields.number("seconds", _INT64, "int64"), fields.number("nanos", _INT32, "int32")
    return Duration(max(-_DURATION_MAX - 1, min(seconds * strfmt.SECOND + nanos, _DURATION_MAX)))


def _timestamp(fields: _Reader) -> object:
    seconds, nanos = fields.number("seconds", _INT64, "int64"), fields.number("nanos", _INT32, "int32")
    return Timestamp(seconds + nanos // strfmt.SECOND, nanos % strfmt.SECOND)


def _value(fields: _Reader) -> object:
    """The last field that is given counts."""
    for field in reversed(fields.fields):
        if field == "struct_value":
            return fields.json(field, celvalue.keys_of, "*structpb.Struct")
        if field == "list_value":
            return fields.json(field, celvalue.items_of, "*structpb.ListValue")
        if field == "null_value":
            return None
        wanted, go_type = _IN_VALUES[field]
        return fields.one(field, wanted, go_type, None)
    return None


_IN_VALUES: Final = {"number_value": (float, "float64"), "string_value": (str, "string"), "bool_value": (bool, "bool")}


def _float32(fields: _Reader) -> object:
    value = fields.one("value", float, "float32", 0.0)
    try:
        (rounded,) = struct.unpack("f", struct.pack("f", value))
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")
    return rounded


_MAKERS: Final[dict[str, Callable[[_Reader], object]]] = {
    "Any": lambda fields: CelErr("unsupported conversion to ref.Val: (*dynamicpb.Message)"),
    "Duration": _duration,
    "Timestamp": _timestamp,
    "Struct": _container("Struct", "fields", celvalue.keys_of, {}),
    "ListValue": _container("ListValue", "values", celvalue.items_of, []),
    "Value": _value,
    "BoolValue": lambda fields: fields.one("value", bool, "bool", False),
    "BytesValue": lambda fields: fields.one("value", bytes, "[]uint8", b""),
    "DoubleValue": lambda fields: fields.one("value", float, "float64", 0.0),
    "FloatValue": _float32,
    "Int32Value": lambda fields: fields.number("value", _INT32, "int32"),
    "Int64Value": lambda fields: fields.number("value", _INT64, "int64"),
    "StringValue": lambda fields: fields.one("value", str, "string", ""),
    "UInt32Value": lambda fields: fields.number("value", _UINT32, "uint32"),
    "UInt64Value": lambda fields: fields.number("value", _UINT64, "uint64"),
}
