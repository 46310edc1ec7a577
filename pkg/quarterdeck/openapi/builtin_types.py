"""Reads the library of built-in types, and gives their schemas in both OpenAPI versions.

Parsed when first asked for: a server that is never asked for OpenAPI never pays.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Final

from quarterdeck.apimachinery.codec import versions
from quarterdeck.apimachinery.typetables import reader
from quarterdeck.openapi import custom_schemas
from quarterdeck.openapi.type_notation import PLAIN, Field, Schema, Type, parse, resolve, versions_of

# What is a string in v2 says in v3 that it may be a number.
_EITHER: Final[dict[str, Schema]] = {
    "io.k8s.apimachinery.pkg.api.resource.Quantity": {"oneOf": [{"type": "string"}, {"type": "number"}]},
    "io.k8s.apimachinery.pkg.util.intstr.IntOrString": {
        "format": "int-or-string",
        "oneOf": [{"type": "integer"}, {"type": "string"}],
    },
}


class Library:
    """All known types by their full names. `only_in_v2`: groups and versions of what all share, beside those of v3."""

    def __init__(self, types: dict[str, Type], only_in_v2: list[tuple[str, str]]) -> None:
        self._only_in_v2 = only_in_v2
        self.types = types

    def __contains__(self, name: str) -> bool:
        return name in self.types

    def add(self, types: dict[str, Type]) -> None:
        self.types |= types

    def collect(self, roots: Iterable[str]) -> list[str]:
        """The known ones of `roots` and all types that they refer to."""
        found: dict[str, None] = {}
        stack = [name for name in roots if name in self.types]
        while stack:
            name = stack.pop()
            if name not in found:
                found[name] = None
                stack.extend(self.types[name].references())
        return sorted(found)

    def names(self) -> list[str]:
        return list(self.types)

    def schema_v2(self, name: str) -> Schema:
        each = self.types[name]
        schema = self._schema(each, is_v2=True)
        if each.is_shared:
            kind = each.gvks[0]["kind"]
            more = ({"group": group, "kind": kind, "version": version} for group, version in self._only_in_v2)
            every = sorted((*each.gvks, *more), key=lambda gvk: (gvk["group"], gvk["version"]))
            schema["x-kubernetes-group-version-kind"] = every
        return schema

    def schema_v3(self, name: str, version: tuple[str, str] | None = None) -> Schema:
        """As the document of a version of a group has it, or that of definitions (None)."""
        each = self.types[name]
        schema = self._schema(each, is_v2=False)
        if each.is_shared and version is not None:
            kind = each.gvks[0]["kind"]
            schema["x-kubernetes-group-version-kind"] = [
                {"group": group, "kind": kind, "version": name} for group, name in dict.fromkeys((("", "v1"), version))
            ]
        return schema

    def is_shared(self, name: str) -> bool:
        """Whether all groups and versions have the type, each for itself."""
        return self.types[name].is_shared

    def kinds(self) -> Iterator[tuple[str, Schema]]:
        """Types that are kinds, with their first group, version and kind."""
        return ((name, each.gvks[0]) for name, each in self.types.items() if each.gvks)

    def _schema(self, each: Type, *, is_v2: bool) -> Schema:
        built = _described(each.text)
        if each.plain is not None:
            return built | (each.plain if is_v2 else _EITHER.get(each.name, each.plain))
        built["type"] = "object"
        if each.required:
            built["required"] = each.required
        ordered = sorted(each.fields, key=lambda item: item.name)
        if ordered:
            built["properties"] = {item.name: _property(item, is_v2=is_v2) for item in ordered}
        if each.gvks:
            built["x-kubernetes-group-version-kind"] = each.gvks
        if each.is_atomic:
            built["x-kubernetes-map-type"] = "atomic"
        if each.unions:
            built["x-kubernetes-unions"] = each.unions
        return built


def _property(item: Field, *, is_v2: bool) -> Schema:
    """Upstream tells defaults in v3 only, and what is said of strings in a list it says of the items."""
    default = None if is_v2 else item.default
    words = item.words
    if item.type[0] in "[{":
        built = _described(item.text) | _collection(item.type, words.get("enum"), is_v2=is_v2)
        words = {name: value for name, value in words.items() if name != "enum"}
    elif item.type in PLAIN:
        built = _described(item.text) | PLAIN[item.type]
    else:
        text = "" if item.is_silent else item.text
        built = custom_schemas.reference(item.type, text, is_v2=is_v2, default=default)
        if not is_v2 and "$ref" in built and not item.is_silent:
            built = {"allOf": [built]}  # there is a description upstream
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
        element = PLAIN.get(inner) or custom_schemas.reference(inner, "", is_v2=is_v2)
        element = {**element, "enum": values} if values else element
    if written[0] == "[":
        return {"type": "array", "items": element}
    return {"type": "object", "additionalProperties": element}


@cache
def library() -> Library:
    """All types, read once; of versions that are off where nothing is said those that `add_version` was asked for."""
    from quarterdeck.openapi.library import apiextensions, described, meta

    types = _read((meta.TEXT, apiextensions.TEXT, described.build_text()), {})
    return Library(types, [gvk for word in meta.ONLY_IN_VERSION_2.split() for gvk in versions_of(word)])


@cache
def add_version(group: str, version: str) -> None:
    """The types of a version that is off where nothing is said. To be called before the version is described."""
    from quarterdeck.openapi.library import described

    found, table = library(), reader.TABLES.get((group, version))
    if table is not None:
        found.add(_read((described.build_text_of(table, found.__contains__),), found.types))


def _read(texts: Iterable[str], known: Mapping[str, Type]) -> dict[str, Type]:
    """The types of texts in the library's notation, which may refer to those that are known."""
    from quarterdeck.openapi.library import meta

    every = [gvk for word in meta.EVERY_GROUP_VERSION.split() for gvk in versions_of(word)]
    types = {each.name: each for text in texts for each in parse(text, every)}
    every_type = {**known, **types}
    for each in types.values():
        each.fields = [resolve(item, each.name, every_type) for item in each.fields]
    for each in list(types.values()):
        if (
            each.gvks
            and each.gvks[0]["kind"] not in versions.UNLISTED
            and any(item.name == "metadata" and item.type == custom_schemas.OBJECT_META for item in each.fields)
        ):
            listed = _list_type(each)
            types[listed.name] = listed
    return types


def _plural(kind: str) -> str:
    """Source: apimachinery/pkg/api/meta/restmapper.go (UnsafeGuessKindToResource)."""
    word = kind.lower()
    if word.endswith("endpoints"):
        return word
    if word.endswith("s"):
        return f"{word}es"
    return f"{word[:-1]}ies" if word.endswith("y") else f"{word}s"


def _list_type(each: Type) -> Type:
    kind = each.gvks[0]["kind"]
    gvks = [gvk | {"kind": f"{kind}List"} for gvk in each.gvks]
    built = Type(f"{each.name}List", f"{kind}List is a list of {kind}.", gvks, None, is_atomic=False, unions=[])
    built.required = ["items"]
    built.fields = [
        each.fields[0],
        Field("items", f"[{each.name}]", f"List of {_plural(kind)}.", None, {}),
        each.fields[1],
        Field("metadata", custom_schemas.LIST_META, "Standard list metadata.", {}, {}),
    ]
    return built
