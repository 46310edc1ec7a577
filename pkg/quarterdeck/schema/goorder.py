"""The order in which Go writes what an object of a built-in kind holds: fields as their struct has them, maps by key.

Source: encoding/json (structEncoder, mapEncoder).
"""

from __future__ import annotations

from typing import Any

from quarterdeck.apimachinery import gofmt
from quarterdeck.apimachinery.codec import json as json_codec
from quarterdeck.schema.gotype import GoType, ListOf, MapOf, Struct, Union


def order_members(value: Any, of: GoType, *, sorts_any: bool = True) -> Any:
    """A copy of a value of that type; what the type has no field for comes last. Goes as deep as the value.

    `sorts_any`: whether what may be any JSON is a map in Go, rather than the text that was sent."""
    if isinstance(of, Union):
        of = ListOf(of.list_of) if isinstance(value, list) and of.list_of is not None else of.struct
    if isinstance(value, list) and isinstance(of, ListOf):
        return [order_members(item, of.item, sorts_any=sorts_any) for item in value]
    if not isinstance(value, dict):
        return value
    if isinstance(of, MapOf):
        return {key: order_members(value[key], of.value, sorts_any=sorts_any) for key in sorted(value)}
    if not isinstance(of, Struct):
        return json_codec.load(gofmt.format_json(value).encode("utf-8", "surrogatepass")) if sorts_any else value
    known = {
        name: order_members(value[name], field.type, sorts_any=sorts_any)
        for name, field in of.fields.items()
        if name in value
    }
    return {**known, **{name: item for name, item in value.items() if name not in known}}
