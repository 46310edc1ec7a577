"""JSON that fits a Go type, decoded fast: no paths, no error texts.

`decode_fitting` gives what godecode.Decoder gives wherever that finds nothing to say, and None otherwise: then the
caller asks the Decoder, which has the words. A definition holds thousands of schemas with forty possible fields each,
of which three are there; so a struct is walked by what it holds, in the order of its type.

Source of the rules: godecode.py.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, Final

from quarterdeck.schema.godecode import STRUCTS_NESTED_MAX
from quarterdeck.schema.goscalar import INT_BOUNDS, DecodeError, decode_scalar
from quarterdeck.schema.gotype import ANY, Field, GoType, ListOf, Scalar, Struct, Union, absent_of, zero_of

# Decodes a value that is not null and lies within so many structs.
_Decode = Callable[[Any, int], Any]


class _Misfit(Exception):
    """Something that only the Decoder has words for."""


class _Marker:
    """Stands for what a null decodes to where that is no value."""


# The Python types of scalars that stay as they are.
_PLAIN: Final[dict[str, tuple[type, ...]]] = {"string": (str,), "bool": (bool,), "float": (int, float)}

_ABSENT: Final = _Marker()  # nothing is written
_EMPTY: Final = _Marker()  # what an empty object decodes to


def decode_fitting(value: Any, struct: Struct) -> dict[str, Any] | None:
    """The decoded object; None where it does not fit, or holds a field that the type does not have."""
    try:
        return _plan(struct).decode(value, 0)
    except (_Misfit, DecodeError, KeyError):  # KeyError: a field that is not known
        return None


class _Slot:
    """A field. Values of the Python type `exact` stay as they are; where that is None they go through `decode`."""

    __slots__ = ("decode", "exact", "is_zero_kept", "null")

    def __init__(self, field: Field) -> None:
        is_struct = isinstance(field.type, Struct)
        kind = field.type.kind if isinstance(field.type, Scalar) else ""
        self.exact = str if kind == "string" else bool if kind == "bool" else None
        self.decode = _decoder(field.type)
        self.is_zero_kept = field.pointer or field.always or field.type is ANY or is_struct
        self.null: Any = _ABSENT
        if is_struct and not field.pointer:
            self.null = _EMPTY
        elif field.always:
            self.null = None if is_struct else absent_of(field)


class _Plan:
    """How values of one struct are decoded. `fill`: the fields that are written although they are not there."""

    __slots__ = ("fill", "order", "slots")

    def __init__(self, struct: Struct) -> None:
        self.order = {name: position for position, name in enumerate(struct.fields)}
        self.slots = {name: _Slot(field) for name, field in struct.fields.items()}
        self.fill = {name: None for name, slot in self.slots.items() if slot.null is not _ABSENT}

    def decode(self, value: Any, depth: int) -> dict[str, Any]:
        if type(value) is not dict or depth == STRUCTS_NESTED_MAX:
            raise _Misfit
        if self.fill:
            value = {**self.fill, **value}
        slots = self.slots
        out: dict[str, Any] = {}
        for name in sorted(value, key=self.order.__getitem__):
            item, slot = value[name], slots[name]
            if item is None:
                item = slot.decode({}, depth + 1) if slot.null is _EMPTY else slot.null
                if item is not _ABSENT:
                    out[name] = item
                continue
            if slot.exact is None:
                item = slot.decode(item, depth + 1)
            elif type(item) is not slot.exact:
                raise _Misfit
            if item or slot.is_zero_kept:
                out[name] = item
        return out


@cache
def _plan(struct: Struct) -> _Plan:
    return _Plan(struct)


def _decoder(go_type: GoType) -> _Decode:
    """The plan of a struct is made at its first value: a struct may contain itself."""
    if isinstance(go_type, Scalar):
        return _scalar_decoder(go_type)
    if isinstance(go_type, Struct):
        return lambda value, depth: _plan(go_type).decode(value, depth)
    if isinstance(go_type, Union):
        return _union_decoder(go_type)
    if isinstance(go_type, ListOf):
        return _list_decoder(go_type.item)
    return _map_decoder(go_type.value)


def _scalar_decoder(scalar: Scalar) -> _Decode:
    if scalar is ANY:
        return lambda value, _: value
    accepted = _PLAIN.get(scalar.kind)
    if accepted is not None:

        def decode_plain(value: Any, _: int) -> Any:
            if type(value) not in accepted:
                raise _Misfit
            return value

        return decode_plain
    if scalar.kind == "int":
        low, high = INT_BOUNDS[scalar.go_name]

        def decode_int(value: Any, _: int) -> Any:
            if type(value) is not int or not low <= value <= high:
                raise _Misfit
            return value

        return decode_int
    return lambda value, _: decode_scalar(value, scalar, "")


def _union_decoder(union: Union) -> _Decode:
    decode_list = _list_decoder(union.list_of) if union.list_of is not None else None

    def decode(value: Any, depth: int) -> Any:
        if type(value) is bool and union.or_bool:
            return value
        if type(value) is list and decode_list is not None:
            return decode_list(value, depth)
        if type(value) is not dict and not union.or_bool:
            return None
        return _plan(union.struct).decode(value, depth)

    return decode


def _null_item(item: GoType) -> Any:
    return _EMPTY if isinstance(item, Struct) else zero_of(item)


def _list_decoder(item_type: GoType) -> _Decode:
    decode_item, null = _decoder(item_type), _null_item(item_type)

    def decode(value: Any, depth: int) -> list[Any]:
        if type(value) is not list:
            raise _Misfit
        out = []
        for item in value:
            if item is None:
                item = decode_item({}, depth) if null is _EMPTY else null
            else:
                item = decode_item(item, depth)
            out.append(item)
        return out

    return decode


def _map_decoder(value_type: GoType) -> _Decode:
    decode_item, null = _decoder(value_type), _null_item(value_type)
    plain = frozenset(_PLAIN.get(value_type.kind, ()) if isinstance(value_type, Scalar) else ())

    def decode(value: Any, depth: int) -> dict[str, Any]:
        if type(value) is not dict:
            raise _Misfit
        if plain.issuperset(map(type, value.values())):
            return dict(value)
        out = {}
        for key, item in value.items():
            if item is None:
                out[key] = decode_item({}, depth) if null is _EMPTY else null
            else:
                out[key] = decode_item(item, depth)
        return out

    return decode
