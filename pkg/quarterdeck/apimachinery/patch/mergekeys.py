"""How strategic merge patch treats the fields of the built-in types: the patch strategies that their tables tell.

A field without one is merged when it is a map and replaced when it is a list. Source: the struct tags patchStrategy and
patchMergeKey in api/*/v1/types.go and apimachinery/pkg/apis/meta/v1/types.go.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from quarterdeck.apimachinery import errors, gofmt, meta
from quarterdeck.apimachinery.typetables import reader
from quarterdeck.apimachinery.typetables.reader import FieldEntry, TypeEntry


class Strategy(NamedTuple):
    """`merges`: a list is merged, by `merge_key` when its items are maps."""

    merges: bool = False
    merge_key: str = ""
    replaces_maps: bool = False  # a map is replaced too, where the field's tag says so


REPLACE: Final = Strategy()
_OPAQUE: Final = frozenset(("meta.FieldsV1", "runtime.RawExtension", "apiextensions.JSON"))

_list_or_map = re.compile(r"\*?(?:\[\]|map\[[\w.]+\])?").match


class PatchType(NamedTuple):
    """A type on the way down an object: `entry` is None where nothing is known of the fields. `is_opaque`: one that has
    none, for its value is any JSON; `is_map`: one whose members have any names; `is_list`: a list, or what a pointer
    leads to."""

    name: str
    entry: TypeEntry | None
    depth: int = 0
    is_opaque: bool = False
    is_map: bool = False
    is_list: bool = True


def type_of_kind(api_version: str, kind: str) -> PatchType:
    table = reader.TABLES.get(meta.split_api_version(api_version))
    return PatchType(kind, reader.find(table, kind) if table else None)


def lookup(parent: PatchType, field_name: str) -> tuple[PatchType, Strategy]:
    """The type of a field (of the items of a list) and how it is patched. Raises Unreasoned for a field that a known
    type does not have, or one that JSON does not show (what its value holds is no member of it), and for members of
    maps."""
    depth = parent.depth + 1
    entry = parent.entry
    if parent.is_map:
        raise errors.Unreasoned("merging an object in json but data type is not struct, instead is: map")
    if entry is None and parent.name and field_name == "metadata":
        return PatchType("ObjectMeta", reader.find("meta", "ObjectMeta"), depth, is_list=False), REPLACE
    found = _find_field(entry, field_name) if entry is not None else None
    if found is None and (entry is not None or parent.is_opaque):
        shown = gofmt.quote(field_name)
        raise errors.Unreasoned(f"unable to find api field in struct {parent.name} for the json field {shown}")
    if found is None:
        return PatchType("", None, depth), REPLACE
    table, field = found
    struct = _struct_of(field, table)
    text = field.type if field.type.startswith("*") else reader.underlying(field.type, table)
    is_list, is_map = text.startswith(("[]", "*")), text.startswith("map[")
    if struct is None and (opaque := _opaque(field, table)):
        return PatchType(opaque, None, depth, is_opaque=True, is_list=is_list), strategy_of(field)
    name = struct.name if struct is not None else ""
    return PatchType(name, struct, depth, is_map=is_map, is_list=is_list), strategy_of(field)


def lookup_list(parent: PatchType, field_name: str) -> tuple[PatchType, Strategy]:
    """As `lookup`, for a field that is to be merged as a list. Raises Unreasoned for one that is none."""
    found = lookup(parent, field_name)
    if not found[0].is_list:
        raise errors.Unreasoned("expected slice or array type, but got: struct")
    return found


def strategy_of(field: FieldEntry) -> Strategy:
    strategy, *key = reader.argument(field.words, "patch") or ("",)
    if "merge" in strategy.split("+"):
        return Strategy(merges=True, merge_key="".join(key))
    return Strategy(replaces_maps=True) if strategy == "replace" else REPLACE


def _find_field(entry: TypeEntry, name: str) -> tuple[str, FieldEntry] | None:
    """A field and the table that its type is named in, from an embedded struct where it stands there."""
    for field in entry.fields:
        if field.name == name:
            return entry.table, field
        if field.is_embedded:
            embedded = reader.find(*reader.place(field.type, entry.table))
            found = _find_field(embedded, name) if embedded is not None else None
            if found is not None:
                return found
    return None


def _opaque(field: FieldEntry, table: str) -> str:
    """The name of a type whose value is any JSON, that a field or its list holds; "" for another one."""
    prefix = _list_or_map(field.type)
    text = field.type[prefix.end() :] if prefix is not None else field.type
    name = reader.leaf(text, table)
    return name.rpartition(".")[2] if name in _OPAQUE and "map[" not in field.type else ""


def _struct_of(field: FieldEntry, table: str) -> TypeEntry | None:
    """The struct that a field holds, or that its list holds."""
    text = field.type
    if "map[" in text:
        return None
    prefix = _list_or_map(text)
    bare = text[prefix.end() :] if prefix is not None else text
    other, name = reader.place(bare, table)
    found = reader.find(other, name) if other in _TABLES else None
    return found if found is not None and not found.alias else None


_TABLES: Final = frozenset(reader.TABLES.values())
