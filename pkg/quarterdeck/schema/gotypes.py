"""The Go types of built-in kinds, made from the tables of types when one is first asked for."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache
from typing import Final

from quarterdeck.apimachinery import meta
from quarterdeck.apimachinery.typetables import reader
from quarterdeck.apimachinery.typetables.reader import FieldEntry
from quarterdeck.schema import gotype
from quarterdeck.schema.gotype import Field, GoType, ListOf, MapOf, Scalar, Struct

_SCALARS: Final[dict[str, Scalar]] = {
    "string": gotype.STRING,
    "bool": gotype.BOOL,
    "int32": gotype.INT32,
    "int64": gotype.INT64,
    "float64": gotype.FLOAT,
    "[]byte": gotype.BYTES,
    "types.UID": Scalar("types.UID", "string"),
    "meta.Time": gotype.TIME,
    "meta.MicroTime": gotype.MICRO_TIME,
    "meta.FieldsV1": gotype.ANY,
    "resource.Quantity": gotype.QUANTITY,
    "intstr.IntOrString": gotype.INT_OR_STRING,
    "runtime.RawExtension": gotype.ANY,
    "apiextensions.JSON": gotype.ANY,
}
# Structs in Go: written even where they are zero and have omitempty.
_ALWAYS_WRITTEN: Final = frozenset(("time", "microtime", "quantity", "intorstring"))

_map_key = re.compile(r"map\[([\w.]+)\]").match


@cache
def struct_of(api_version: str, kind: str) -> Struct:
    """The type of a kind, without its metadata; the same one every time."""
    made = object_of(api_version, kind)
    return replace(made, fields={name: field for name, field in made.fields.items() if name != "metadata"})


def object_of(api_version: str, kind: str) -> Struct:
    """The type of a kind with its metadata."""
    return named_struct(reader.TABLES[meta.split_api_version(api_version)], kind)


def object_meta() -> Struct:
    return named_struct("meta", "ObjectMeta")


@cache
def named_struct(table: str, name: str) -> Struct:
    """A struct of a table. None of the types contains itself."""
    found = _lookup(table, name)
    assert isinstance(found, Struct), name
    return found


@cache
def _lookup(table: str, name: str) -> GoType:
    entry = reader.find(table, name)
    assert entry is not None, (table, name)
    go_name = f"{_package(table)}.{name}"
    if entry.alias:
        base = _parse_type(entry.alias, table)
        if isinstance(base, Scalar):
            return Scalar(go_name, base.kind)
        assert isinstance(base, (MapOf, ListOf)), entry
        return replace(base, name=go_name)
    fields: dict[str, Field] = {}
    for field in entry.fields:
        if field.is_embedded:
            embedded = named_struct(*reader.place(field.type, table))
            fields |= {
                key: replace(inner, embedded=f"{embedded.name}.{inner.embedded}".rstrip("."))
                for key, inner in embedded.fields.items()
            }
        else:
            fields[field.name] = _field_of(field, table)
    return Struct(name, fields, _package(table), atomic="atomic" in entry.words)


def _package(table: str) -> str:
    return table.partition("_")[2] or "v1"


def _field_of(entry: FieldEntry, table: str) -> Field:
    pointer = entry.type.startswith("*")
    made = _parse_type(entry.type.removeprefix("*"), table)
    if isinstance(made, Struct) and "granular" in entry.words:
        made = replace(made, atomic=False)
    is_written = isinstance(made, Scalar) and made.kind in _ALWAYS_WRITTEN and not pointer
    return Field(
        made,
        pointer=pointer,
        always=not entry.omits_empty or (is_written and not entry.omits_zero),
        list_keys=entry.list_keys,
        is_set="set" in entry.words,
        atomic="atomic" in entry.words,
        default=entry.default,
    )


def _parse_type(text: str, table: str) -> GoType:
    text = text.removeprefix("*")
    inner, brackets = reader.element(text)
    if brackets == "[]":
        return ListOf(_parse_type(inner, table))
    if found := _map_key(text):
        # Go's errors name the package alone, which is v1 of any group.
        key = "string" if found[1] == "string" else f"v1.{found[1].rpartition('.')[2]}"
        return MapOf(_parse_type(inner, table), key=key)
    if leaf := reader.leaf(text, table):
        return _SCALARS[leaf]
    place = reader.place(text, table)
    return _nested_kind(*place) if _is_kind(*place) else _lookup(*place)


def _is_kind(table: str, name: str) -> bool:
    entry = reader.find(table, name)
    return entry is not None and "kind" in entry.words


@cache
def _nested_kind(table: str, name: str) -> Struct:
    """A whole object within another says what it is."""
    return with_type_meta(named_struct(table, name))


def with_type_meta(struct: Struct) -> Struct:
    text = Field(gotype.STRING, embedded="TypeMeta")
    return replace(struct, fields={"kind": text, "apiVersion": text, **struct.fields})
