"""How the rules of a schema node read data: a Reader a node, which the kernel fills in when a rule goes below it.

A node that is not exposed to rules (see schema.py) has none. Source: apiserver's pkg/cel/common/values.go.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from quarterdeck._kernels import celvalue
from quarterdeck.cel.schema import FORMATS, RESERVED, Schema, escape, unescape, with_object_meta
from quarterdeck.cel.values import Reader

# The kinds of a Reader (see the kernel).
_STRING, _INT, _DOUBLE, _BOOL, _OBJECT, _MAP, _LIST, _INT_OR_STRING, _PARSED = range(1, 10)
_LIST_TYPES: Final = {"set": 1, "map": 2}

_SCALARS: Final = {
    "string": (Reader(_STRING), Reader(_STRING, True)),
    "integer": (Reader(_INT), Reader(_INT, True)),
    "number": (Reader(_DOUBLE), Reader(_DOUBLE, True)),
    "boolean": (Reader(_BOOL), Reader(_BOOL, True)),
}
_INT_OR_STRING_READERS: Final = (Reader(_INT_OR_STRING), Reader(_INT_OR_STRING, True))


def _parsed(parse: Callable[[str], object], nullable: bool) -> Reader:
    made = Reader(_PARSED, nullable)
    made.set_parse(parse)
    return made


_FORMATTED: Final = {
    name: (_parsed(parse, nullable=False), _parsed(parse, nullable=True)) for name, (_, _, _, parse) in FORMATS.items()
}


def reader_of(schema: Schema, is_resource_root: bool) -> Reader | None:
    """How data of a schema node is read; None for what is not exposed. The Reader keeps the schema and reads it further
    on demand, so nobody may change it."""
    nullable = bool(schema.get("nullable"))
    if schema.get("x-kubernetes-int-or-string"):
        return _INT_OR_STRING_READERS[nullable]
    kind = schema.get("type")
    if kind == "object":
        values = schema.get("additionalProperties")
        if isinstance(values, dict):
            return Reader(_MAP, nullable, schema)
        return Reader(_OBJECT, nullable, _Rooted(schema) if is_resource_root else schema)
    if kind == "array":
        return Reader(_LIST, nullable, schema) if isinstance(schema.get("items"), dict) else None
    if kind == "string" and schema.get("format") in _FORMATTED:
        return _FORMATTED[schema["format"]][nullable]
    return _SCALARS[kind][nullable] if kind in _SCALARS else None


class _Rooted:
    """The schema of a resource's root, where kind, apiVersion and metadata are declared in any case."""

    __slots__ = ("schema",)

    def __init__(self, schema: Schema) -> None:
        self.schema = schema


def _expand(reader: Reader) -> None:
    """Fills in what is below a Reader."""
    source = reader.source
    rooted = isinstance(source, _Rooted)
    schema: Schema = source.schema if rooted else source
    if reader.kind == _OBJECT:
        properties = schema.get("properties") or {}
        _expand_fields(reader, with_object_meta(properties) if rooted else properties)
        return
    below = schema["items" if reader.kind == _LIST else "additionalProperties"]
    elem = reader_of(below, bool(below.get("x-kubernetes-embedded-resource"))) or celvalue.DYN
    keys = tuple([escape(k) or k for k in schema.get("x-kubernetes-list-map-keys") or ()])
    reader.set_elem(elem, _LIST_TYPES.get(schema.get("x-kubernetes-list-type") or "", 0), keys)


def _expand_fields(reader: Reader, properties: Mapping[str, Schema]) -> None:
    fields: dict[str, tuple[str, Reader]] = {}
    raw_fields: dict[str, Reader] = {}
    for name, prop in properties.items():
        below = reader_of(prop, bool(prop.get("x-kubernetes-embedded-resource")))
        if below is None:
            continue
        raw_fields[name] = below
        escaped = escape(name)
        if escaped is not None:
            fields[escaped] = (name, below)
    for word in RESERVED.intersection(raw_fields):
        fields.setdefault(word, fields[f"__{word}__"])
    reader.set_fields(fields, raw_fields)


celvalue.set_expand(_expand, unescape)
