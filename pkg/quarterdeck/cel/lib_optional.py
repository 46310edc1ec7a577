"""Optionals, and the functions of lists that make one.

Source: cel-go's cel/library.go.
"""

from __future__ import annotations

from typing import Any, Final

from quarterdeck._kernels import celnative, celvalue
from quarterdeck.cel import go_values, natives, strfmt
from quarterdeck.cel.structs import JSON_PATCH, StructValue
from quarterdeck.cel.values import CelErr, Duration, ListValue, MapValue, ObjectValue, Optional, Timestamp, UInt

# What a schema describes is not zero, even where it is empty.
_DESCRIBED: Final = frozenset((ListValue, MapValue, ObjectValue))


def of(value: object) -> object:
    return Optional(value)


def of_non_zero(value: Any) -> object:
    return celvalue.optional_none if _is_zero(value) else Optional(value)


def _is_zero(value: Any) -> bool:
    kind = type(value)
    if value is None or value is False:
        return True
    if kind in (int, UInt, float, str, bytes):
        return not value
    if kind is Duration:
        return bool(value.ns == 0)
    if kind is Timestamp:
        return bool(value.seconds == strfmt.SECONDS_MIN and value.nanos == 0)
    if kind in _DESCRIBED:
        return False
    if kind is StructValue:
        return not value.fields and value.cel_type != JSON_PATCH
    items = celvalue.items_of(value)
    if items is not None:
        return not items
    keys = celvalue.keys_of(value)
    return keys is not None and celvalue.actual_size(value) == 0


def none() -> object:
    return celvalue.optional_none


def value(value: Optional) -> object:
    return value.value if value.present else CelErr("optional.none() dereference")


def has_value(value: Optional) -> object:
    return value.present


def unwrap(values: object) -> object:
    items = celvalue.items_of(values)
    for item in items:
        if type(item) is not Optional:
            return item if type(item) is CelErr else CelErr(f"value {go_values.show(item)} is not optional")
    return [item.value for item in items if item.present]


def list_first(values: object) -> object:
    items = celvalue.items_of(values)
    return Optional(items[0]) if items else celvalue.optional_none


def list_last(values: object) -> object:
    items = celvalue.items_of(values)
    return Optional(items[-1]) if items else celvalue.optional_none


celvalue.set_type_of(natives.type_of)
celnative.set_native_of_other(natives.native_of)
