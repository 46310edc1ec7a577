"""The notation of the library of built-in types: packages, their types, and what is said of these and their fields."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any, Final

import orjson

from quarterdeck.openapi import custom_schemas, names
from quarterdeck.openapi.library import meta

Schema = dict[str, Any]

PLAIN: Final[dict[str, Schema]] = {
    "string": {"type": "string"},
    "bool": {"type": "boolean"},
    "int32": {"type": "integer", "format": "int32"},
    "int64": {"type": "integer", "format": "int64"},
    "double": {"type": "number", "format": "double"},
    "bytes": {"type": "string", "format": "byte"},
    "object": {"type": "object"},
    "any": {},
}
_FIELD: Final = re.compile(
    r"  (?P<name>[^ !]+)(?P<required>!?) (?P<type>[^ ]+)(?P<words>(?: [=@][^ ]+)*)(?: # (?P<text>.*))?"
)
_TYPE: Final = re.compile(
    r"(?P<name>\w+)(?: = (?P<plain>\w+)(?: (?P<format>[\w-]+))?)?(?P<words>(?: (?:gvk=|@)[^ ]+)*)(?: # (?P<text>.*))?"
)
_UNION: Final = re.compile(r"@union\(([^|]*)\|(.*)\)")
_MAP_KEYS: Final = re.compile(r"@map\((.*)\)")
_MERGE_KEY: Final = re.compile(r"@merge(?:\((.*)\))?")
_PATCH: Final = re.compile(r"@patch\(([^|]*)(?:\|(.*))?\)")
_ENUM: Final = re.compile(r"@enum\((.*)\)")


@dataclass(frozen=True, slots=True)
class Field:
    name: str
    type: str  # as written, with full names of types
    text: str
    default: object
    words: Schema
    is_silent: bool = False


@dataclass(slots=True)
class Type:
    name: str
    text: str
    gvks: list[Schema]
    plain: Schema | None
    is_atomic: bool
    unions: list[Schema]
    is_shared: bool = False  # by all groups and versions
    required: list[str] = field(default_factory=list)
    fields: list[Field] = field(default_factory=list)

    def references(self) -> Iterator[str]:
        for each in self.fields:
            name = each.type.strip("[]{}")
            if name not in PLAIN:
                yield name


def versions_of(word: str) -> Iterator[tuple[str, str]]:
    """`group/v1,v2` as (group, version) pairs."""
    group, _, versions = word.partition("/")
    return ((group, version) for version in versions.split(","))


def parse(text: str, every: list[tuple[str, str]]) -> Iterator[Type]:
    package = ""
    current: Type | None = None
    for line in filter(None, text.splitlines()):
        if line.startswith("package "):
            package = line.removeprefix("package ")
        elif line.startswith("  "):
            assert current is not None, line
            _add_field(current, line)
        else:
            if current is not None:
                yield current
            current = _parse_type(package, line, every)
    if current is not None:
        yield current


def _parse_type(package: str, line: str, every: list[tuple[str, str]]) -> Type:
    match = _TYPE.fullmatch(line)
    assert match, line
    kind, words = match["name"], match["words"].split()
    versions: list[tuple[str, str]] = []
    for word in words:
        if word.startswith("gvk="):
            versions = every if word == "gvk=*" else list(versions_of(word.removeprefix("gvk=")))
    plain: Schema | None = None
    if match["plain"]:
        plain = PLAIN[match["plain"]] | ({"format": match["format"]} if match["format"] else {})
    gvks = [{"group": group, "kind": kind, "version": version} for group, version in versions]
    is_shared = "gvk=*" in words
    built = Type(
        f"{package}.{kind}", match["text"] or "", gvks, plain, "@atomic" in words, _read_unions(words), is_shared
    )
    if gvks and kind != "WatchEvent":  # an object without an object's head
        for name, schema in (("apiVersion", custom_schemas.API_VERSION), ("kind", custom_schemas.KIND)):
            built.fields.append(Field(name, "string", schema["description"], None, {}))
    return built


def _read_unions(words: list[str]) -> list[Schema]:
    """Of which fields one is to be set. Upstream tells the Go name of each: its JSON name, capitalized."""
    unions: list[Schema] = []
    for found in filter(None, map(_UNION.fullmatch, words)):
        fields = {name: name[0].upper() + name[1:] for name in found[2].split("|")}
        unions.append(({"discriminator": found[1]} if found[1] else {}) | {"fields-to-discriminateBy": fields})
    return unions


def _add_field(current: Type, line: str) -> None:
    match = _FIELD.fullmatch(line)
    assert match, line
    default: object = None
    words: Schema = {}
    for word in match["words"].split():
        if word.startswith("="):
            default = orjson.loads(word[1:])
        else:
            _add_word(words, word, match["type"])
    if match["required"]:
        current.required.append(match["name"])
    is_silent = match["name"] in meta.SILENT.get(current.name.rpartition(".")[2], ())
    current.fields.append(Field(match["name"], match["type"], match["text"] or "", default, words, is_silent))


def _add_word(words: Schema, word: str, type_: str) -> None:
    if keys := _MAP_KEYS.fullmatch(word):
        words["x-kubernetes-list-map-keys"] = keys[1].split(",")
        words["x-kubernetes-list-type"] = "map"
    elif merge := _MERGE_KEY.fullmatch(word):
        words["x-kubernetes-patch-strategy"] = "merge"
        if merge[1]:
            words["x-kubernetes-patch-merge-key"] = merge[1]
    elif patch := _PATCH.fullmatch(word):
        words["x-kubernetes-patch-strategy"] = patch[1]
        if patch[2]:
            words["x-kubernetes-patch-merge-key"] = patch[2]
    elif enum := _ENUM.fullmatch(word):
        words["enum"] = enum[1].replace("_", " ").split("|")
    elif word == "@granular" or type_.startswith("{"):
        words["x-kubernetes-map-type"] = word[1:]
    else:  # a list, or bytes, which Go knows as one
        words["x-kubernetes-list-type"] = word[1:]


def resolve(item: Field, owner: str, types: dict[str, Type]) -> Field:
    """The same field, with its type's full name."""
    short = item.type.strip("[]{}")
    if short in PLAIN or short in types:
        return item
    package = owner.rpartition(".")[0]
    full = next((name for name in (f"{package}.{short}", names.META_PREFIX + short) if name in types), "")
    assert full, f"{owner}: {short}"
    return replace(item, type=item.type.replace(short, full))
