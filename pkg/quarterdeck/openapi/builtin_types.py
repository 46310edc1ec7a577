"""Reads the library of built-in types, and gives their schemas in both OpenAPI versions.

Parsed when first asked for: a server that is never asked for OpenAPI never pays.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Final

import orjson

from quarterdeck.openapi import custom_schemas, names

Schema = dict[str, Any]

_PLAIN: Final[dict[str, Schema]] = {
    "string": {"type": "string"},
    "bool": {"type": "boolean"},
    "int32": {"type": "integer", "format": "int32"},
    "int64": {"type": "integer", "format": "int64"},
    "double": {"type": "number", "format": "double"},
    "bytes": {"type": "string", "format": "byte"},
    "object": {"type": "object"},
    "any": {},
}
# What is a string in v2 says in v3 that it may be a number.
_EITHER: Final[dict[str, Schema]] = {
    "io.k8s.apimachinery.pkg.api.resource.Quantity": {"oneOf": [{"type": "string"}, {"type": "number"}]},
    "io.k8s.apimachinery.pkg.util.intstr.IntOrString": {
        "format": "int-or-string",
        "oneOf": [{"type": "integer"}, {"type": "string"}],
    },
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
class _Field:
    name: str
    type: str  # as written, with full names of types
    text: str
    default: object
    words: Schema


@dataclass(slots=True)
class _Type:
    name: str
    text: str
    gvks: list[Schema]
    plain: Schema | None
    is_atomic: bool
    unions: list[Schema]
    required: list[str] = field(default_factory=list)
    fields: list[_Field] = field(default_factory=list)

    def references(self) -> Iterator[str]:
        for each in self.fields:
            name = each.type.strip("[]{}")
            if name not in _PLAIN:
                yield name


class Library:
    """All known types by their full names."""

    def __init__(self, types: dict[str, _Type]) -> None:
        self._types = types

    def __contains__(self, name: str) -> bool:
        return name in self._types

    def collect(self, roots: Iterable[str]) -> list[str]:
        """The known ones of `roots` and all types that they refer to."""
        found: dict[str, None] = {}
        stack = [name for name in roots if name in self._types]
        while stack:
            name = stack.pop()
            if name not in found:
                found[name] = None
                stack.extend(self._types[name].references())
        return sorted(found)

    def names(self) -> list[str]:
        return list(self._types)

    def schema_v2(self, name: str) -> Schema:
        return self._schema(self._types[name], is_v2=True)

    def schema_v3(self, name: str) -> Schema:
        return self._schema(self._types[name], is_v2=False)

    def kinds(self) -> Iterator[tuple[str, Schema]]:
        """Types that are kinds, with their first group, version and kind."""
        return ((name, each.gvks[0]) for name, each in self._types.items() if each.gvks)

    def _schema(self, each: _Type, *, is_v2: bool) -> Schema:
        built = _described(each.text)
        if each.plain is not None:
            return built | (each.plain if is_v2 else _EITHER.get(each.name, each.plain))
        built["type"] = "object"
        if each.required:
            built["required"] = each.required
        ordered = sorted(each.fields, key=lambda item: item.name)
        built["properties"] = {item.name: _property(item, is_v2=is_v2) for item in ordered}
        if each.gvks:
            built["x-kubernetes-group-version-kind"] = each.gvks
        if each.is_atomic:
            built["x-kubernetes-map-type"] = "atomic"
        if each.unions:
            built["x-kubernetes-unions"] = each.unions
        return built


def _property(item: _Field, *, is_v2: bool) -> Schema:
    """Upstream tells defaults in v3 only, and what is said of strings in a list it says of the items."""
    default = None if is_v2 else item.default
    words = item.words
    if item.type[0] in "[{":
        built = _described(item.text) | _collection(item.type, words.get("enum"), is_v2=is_v2)
        words = {name: value for name, value in words.items() if name != "enum"}
    elif item.type in _PLAIN:
        built = _described(item.text) | _PLAIN[item.type]
    else:
        built = custom_schemas.reference(item.type, item.text, is_v2=is_v2, default=default)
    if default is not None:
        built["default"] = default
    return built | words


def _described(text: str) -> Schema:
    return {"description": text} if text else {}


def _collection(written: str, values: list[str] | None, *, is_v2: bool) -> Schema:
    """Of a list or a map, of lists or maps too; `values` are what its innermost strings may be."""
    inner = written[1:-1]
    if inner[0] in "[{":
        element = _collection(inner, values, is_v2=is_v2)
    else:
        element = _PLAIN.get(inner) or custom_schemas.reference(inner, "", is_v2=is_v2)
        element = {**element, "enum": values} if values else element
    if written[0] == "[":
        return {"type": "array", "items": element}
    return {"type": "object", "additionalProperties": element}


@cache
def library() -> Library:
    """All types, read once."""
    from quarterdeck.openapi.library import apiextensions, described, meta

    every = [gvk for word in meta.EVERY_GROUP_VERSION.split() for gvk in _versions(word)]
    types: dict[str, _Type] = {}
    for text in (meta.TEXT, apiextensions.TEXT, described.build_text()):
        for each in _parse(text, every):
            types[each.name] = each
    for each in types.values():
        each.fields = [_resolve(item, each.name, types) for item in each.fields]
    for each in list(types.values()):
        if (
            each.gvks
            and each.gvks[0]["kind"] not in meta.UNLISTED
            and any(item.name == "metadata" and item.type == custom_schemas.OBJECT_META for item in each.fields)
        ):
            listed = _list_type(each)
            types[listed.name] = listed
    return Library(types)


def _versions(word: str) -> Iterator[tuple[str, str]]:
    """`group/v1,v2` as (group, version) pairs."""
    group, _, versions = word.partition("/")
    return ((group, version) for version in versions.split(","))


def _parse(text: str, every: list[tuple[str, str]]) -> Iterator[_Type]:
    package = ""
    current: _Type | None = None
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


def _parse_type(package: str, line: str, every: list[tuple[str, str]]) -> _Type:
    match = _TYPE.fullmatch(line)
    assert match, line
    kind, words = match["name"], match["words"].split()
    versions: list[tuple[str, str]] = []
    for word in words:
        if word.startswith("gvk="):
            versions = every if word == "gvk=*" else list(_versions(word.removeprefix("gvk=")))
    plain: Schema | None = None
    if match["plain"]:
        plain = _PLAIN[match["plain"]] | ({"format": match["format"]} if match["format"] else {})
    gvks = [{"group": group, "kind": kind, "version": version} for group, version in versions]
    built = _Type(f"{package}.{kind}", match["text"] or "", gvks, plain, "@atomic" in words, _read_unions(words))
    if gvks and kind != "WatchEvent":  # an object without an object's head
        for name, schema in (("apiVersion", custom_schemas.API_VERSION), ("kind", custom_schemas.KIND)):
            built.fields.append(_Field(name, "string", schema["description"], None, {}))
    return built


def _read_unions(words: list[str]) -> list[Schema]:
    """Of which fields one is to be set. Upstream tells the Go name of each: its JSON name, capitalized."""
    unions: list[Schema] = []
    for found in filter(None, map(_UNION.fullmatch, words)):
        fields = {name: name[0].upper() + name[1:] for name in found[2].split("|")}
        unions.append(({"discriminator": found[1]} if found[1] else {}) | {"fields-to-discriminateBy": fields})
    return unions


def _add_field(current: _Type, line: str) -> None:
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
    current.fields.append(_Field(match["name"], match["type"], match["text"] or "", default, words))


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


def _resolve(item: _Field, owner: str, types: dict[str, _Type]) -> _Field:
    """The same field, with its type's full name."""
    short = item.type.strip("[]{}")
    if short in _PLAIN or short in types:
        return item
    package = owner.rpartition(".")[0]
    full = next((name for name in (f"{package}.{short}", names.META_PREFIX + short) if name in types), "")
    assert full, f"{owner}: {short}"
    return _Field(item.name, item.type.replace(short, full), item.text, item.default, item.words)


def _list_type(each: _Type) -> _Type:
    kind = each.gvks[0]["kind"]
    gvks = [gvk | {"kind": f"{kind}List"} for gvk in each.gvks]
    built = _Type(f"{each.name}List", f"{kind}List is a list of {kind}.", gvks, None, is_atomic=False, unions=[])
    built.required = ["items"]
    built.fields = [
        each.fields[0],
        _Field("items", f"[{each.name}]", f"The objects of kind {kind}.", None, {}),
        each.fields[1],
        _Field("metadata", custom_schemas.LIST_META, "Standard list metadata.", {}, {}),
    ]
    return built
