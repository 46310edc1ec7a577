"""The order in which Go writes what an object of a built-in kind holds: fields as their struct has them, maps by key.

Source: encoding/json (structEncoder, mapEncoder).
"""

from __future__ import annotations

from typing import Any, Final

from quarterdeck._kernels import longsteps
from quarterdeck.apimachinery import gofmt
from quarterdeck.apimachinery.codec import json as json_codec
from quarterdeck.schema.gotype import GoType, ListOf, MapOf, Struct, Union

# Whose JSON of any type is read and written anew: definitions are converted.
_SCHEMA: Final = "JSONSchemaProps"
_CONVERTED: Final = ("default", "enum", "example")


def order_members(value: Any, of: GoType) -> Any:
    """A copy of a value of that type; what the type has no field for comes last. Goes as deep as the value."""
    if isinstance(of, Union):
        of = ListOf(of.list_of) if isinstance(value, list) and of.list_of is not None else of.struct
    if isinstance(value, list) and isinstance(of, ListOf):
        return [order_members(item, of.item) for item in value]
    if not isinstance(value, dict):
        return value
    if isinstance(of, MapOf):
        return {key: order_members(value[key], of.value) for key in longsteps.sort(value)}
    if not isinstance(of, Struct):
        return value  # JSON of any type keeps the text in which it was sent
    known = {name: order_members(value[name], field.type) for name, field in of.fields.items() if name in value}
    if of.name == _SCHEMA:
        known |= {name: _sorted(known[name]) for name in _CONVERTED if name in known}
    return {**known, **{name: item for name, item in value.items() if name not in known}}


def _sorted(value: Any) -> Any:
    return json_codec.decode(gofmt.format_json(value).encode("utf-8", "surrogatepass")).value
