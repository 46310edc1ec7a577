"""JSON that fits a Go type, decoded fast: no paths, no error texts.

`decode_fitting` gives what godecode.Decoder gives wherever that finds nothing to say, and None otherwise: then the
caller asks the Decoder, which has the words. A definition holds thousands of schemas with forty possible fields each,
of which three are there; so a struct is walked by what it holds, in the order of its type.

Source of the rules: godecode.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, partial
from typing import Any, Final

from quarterdeck._kernels import gofit
from quarterdeck.schema.godecode import STRUCTS_NESTED_MAX
from quarterdeck.schema.goscalar import INT_BOUNDS, DecodeError, decode_scalar
from quarterdeck.schema.gotype import ANY, Field, GoType, ListOf, Scalar, Struct, Union, absent_of, zero_of

_PLAIN: Final = {
    "string": gofit.Fit(gofit.TEXT),
    "bool": gofit.Fit(gofit.TRUTH),
    "any": gofit.Fit(gofit.ANY),
}


def decode_fitting(value: Any, struct: Struct) -> dict[str, Any] | None:
    """The decoded object; None where it does not fit, or holds a field that the type does not have."""
    try:
        decoded = _struct_fit(struct).decode(value, STRUCTS_NESTED_MAX)
    except DecodeError:
        return None
    return decoded if isinstance(decoded, dict) else None


@cache
def _struct_fit(struct: Struct) -> gofit.Fit:
    return gofit.Fit(gofit.STRUCT, expand=partial(_fields, struct))


def _fields(struct: Struct) -> Iterator[gofit.Field]:
    for name, field in struct.fields.items():
        is_struct = isinstance(field.type, Struct)
        is_zero_kept = field.pointer or field.always or field.type is ANY or is_struct
        yield name, _fit(field.type), is_zero_kept, _null_of(field)


def _null_of(field: Field) -> Any:
    is_struct = isinstance(field.type, Struct)
    if is_struct and not field.pointer:
        return gofit.EMPTY
    if field.always:
        return None if is_struct else absent_of(field)
    return gofit.ABSENT


def _fit(go_type: GoType) -> gofit.Fit:
    if isinstance(go_type, Scalar):
        return _scalar_fit(go_type)
    if isinstance(go_type, Struct):
        return _struct_fit(go_type)
    if isinstance(go_type, Union):
        list_of = _list_fit(go_type.list_of) if go_type.list_of is not None else None
        return gofit.Fit(gofit.UNION, struct=_struct_fit(go_type.struct), item=list_of, or_bool=go_type.or_bool)
    if isinstance(go_type, ListOf):
        return _list_fit(go_type.item)
    return gofit.Fit(gofit.MAP, item=_fit(go_type.value), null=_null_item(go_type.value))


def _list_fit(item: GoType) -> gofit.Fit:
    return gofit.Fit(gofit.LIST, item=_fit(item), null=_null_item(item))


def _null_item(item: GoType) -> Any:
    return gofit.EMPTY if isinstance(item, Struct) else zero_of(item)


def _scalar_fit(scalar: Scalar) -> gofit.Fit:
    plain = _PLAIN.get(scalar.kind)
    if plain is not None:
        return plain
    if scalar.kind == "int":
        low, high = INT_BOUNDS[scalar.go_name]
        return gofit.Fit(gofit.INTEGER, low=low, high=high)
    return gofit.Fit(gofit.CALL, call=partial(decode_scalar, scalar=scalar, where=""))
