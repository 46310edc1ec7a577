"""The Go types of built-in kinds, read from the tables of gotables/ when one of their group is first asked for.

A table has a line for each type:

    Name = TYPE                                a named type that is no struct
    Name: field TYPE, field TYPE?, ~Name       a struct: its fields by their JSON names, in Go's order

A TYPE is Go's: `*` a pointer, `[]` a list, `map[KEY]` a map, a scalar, or the name of a type, with its table where that
is another one (`meta.Time`). `?` is omitempty, `??` omitempty and omitzero; `~` a struct that is embedded.
"""

from __future__ import annotations

import importlib
import re
from dataclasses import replace
from functools import cache
from typing import Final

from quarterdeck.apimachinery import meta
from quarterdeck.schema import gotype
from quarterdeck.schema.gotype import Field, GoType, ListOf, MapOf, Scalar, Struct

_TABLES: Final = {
    ("", "v1"): "core",
    ("admissionregistration.k8s.io", "v1"): "admissionregistration",
    ("apps", "v1"): "apps",
    ("coordination.k8s.io", "v1"): "coordination",
    ("events.k8s.io", "v1"): "events",
}
_SCALARS: Final[dict[str, Scalar]] = {
    "string": gotype.STRING,
    "bool": gotype.BOOL,
    "int32": gotype.INT32,
    "int64": gotype.INT64,
    "float64": gotype.FLOAT,
    "types.UID": Scalar("types.UID", "string"),
    "meta.Time": gotype.TIME,
    "meta.MicroTime": gotype.MICRO_TIME,
    "meta.FieldsV1": gotype.ANY,
    "resource.Quantity": gotype.QUANTITY,
    "intstr.IntOrString": gotype.INT_OR_STRING,
    "runtime.RawExtension": gotype.ANY,
}
# Structs in Go: written even where they are zero and have omitempty.
_ALWAYS_WRITTEN: Final = frozenset(("time", "microtime", "quantity", "intorstring"))

_map_type = re.compile(r"map\[([\w.]+)\](.*)").match


@cache
def struct_of(api_version: str, kind: str) -> Struct:
    """The type of a kind, without its metadata; the same one every time."""
    made = object_of(api_version, kind)
    return Struct(made.name, {name: field for name, field in made.fields.items() if name != "metadata"}, made.package)


def object_of(api_version: str, kind: str) -> Struct:
    """The type of a kind with its metadata."""
    return named_struct(_TABLES[meta.split_api_version(api_version)], kind)


def object_meta() -> Struct:
    return named_struct("meta", "ObjectMeta")


@cache
def named_struct(table: str, name: str) -> Struct:
    """A struct of a table. None of the types contains itself."""
    found = _lookup(table, name)
    assert isinstance(found, Struct), name
    return found


@cache
def _lines(table: str) -> dict[str, str]:
    text: str = importlib.import_module(f"quarterdeck.schema.gotables.{table}").TABLE
    lines = re.sub(r"\n +", " ", text).strip().splitlines()
    return {re.split(r":| =", line, maxsplit=1)[0]: line for line in lines}


@cache
def _lookup(table: str, name: str) -> GoType:
    line = _lines(table)[name]
    if line.startswith(f"{name} = "):
        base = _parse_type(line.partition(" = ")[2], table)
        if isinstance(base, Scalar):
            return Scalar(f"v1.{name}", base.kind)
        assert isinstance(base, MapOf), line
        return replace(base, name=f"v1.{name}")
    fields: dict[str, Field] = {}
    for text in line.partition(": ")[2].split(", "):
        if text.startswith("~"):
            embedded = named_struct(*_place(text[1:], table))
            fields |= {
                key: replace(field, embedded=f"{embedded.name}.{field.embedded}".rstrip("."))
                for key, field in embedded.fields.items()
            }
        else:
            field_name, _, type_text = text.partition(" ")
            fields[field_name] = _parse_field(type_text, table)
    return Struct(name, fields)


def _parse_field(text: str, table: str) -> Field:
    bare = text.rstrip("?")
    pointer = bare.startswith("*")
    made = _parse_type(bare.removeprefix("*"), table)
    is_written = isinstance(made, Scalar) and made.kind in _ALWAYS_WRITTEN and not pointer
    return Field(made, pointer=pointer, always=bare == text or (is_written and not text.endswith("??")))


def _parse_type(text: str, table: str) -> GoType:
    text = text.removeprefix("*")
    if text == "[]byte":
        return gotype.BYTES
    if text.startswith("[]"):
        return ListOf(_parse_type(text[2:], table))
    if found := _map_type(text):
        key = "string" if found[1] == "string" else f"v1.{found[1]}"
        return MapOf(_parse_type(found[2], table), key=key)
    scalar = _SCALARS.get(text) or _SCALARS.get(f"{table}.{text}")
    return scalar if scalar is not None else _lookup(*_place(text, table))


def _place(text: str, table: str) -> tuple[str, str]:
    """(table, name) of a named type."""
    other, dot, name = text.partition(".")
    return (other, name) if dot else (table, text)
