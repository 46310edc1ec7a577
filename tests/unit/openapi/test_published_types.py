"""The schemas of built-in types say what a kube-apiserver's say, but for prose."""

from __future__ import annotations

import json
import lzma
from typing import Any

import pytest

from quarterdeck.openapi import builtin_types
from support import data

FACTS = data.find("kinds")
# Each document of version 3 lists the kinds that its own group shares, in an order that changes.
SHARED = "x-kubernetes-group-version-kind"


def facts(name: str) -> Any:
    if FACTS is None:
        pytest.skip("the facts of built-in kinds are not here")
    with lzma.open(FACTS / f"{name}.json.xz", "rt", encoding="utf-8") as file:
        return json.load(file)


def plain(value: Any) -> Any:
    """Without prose, and without the allOf that a description makes necessary beside a reference."""
    if isinstance(value, list):
        return [plain(item) for item in value]
    if not isinstance(value, dict):
        return value
    if len(value.get("allOf", [])) == 1:
        value = {**value, **value["allOf"][0], "allOf": None}
    members = {name: plain(inner) for name, inner in value.items() if inner is not None and name != SHARED}
    return {name: inner for name, inner in members.items() if name != "description" or isinstance(inner, dict)}


def test_version_2() -> None:
    compare(facts("openapi-v2")["definitions"], builtin_types.library().schema_v2)


def test_version_3() -> None:
    schemas: dict[str, Any] = {}
    for document in facts("openapi-v3")["documents"].values():
        if isinstance(document, dict):
            schemas |= document.get("components", {}).get("schemas", {})
    compare(schemas, builtin_types.library().schema_v3)


def compare(recorded: dict[str, Any], schema_of: Any) -> None:
    library = builtin_types.library()
    shared = [name for name in library.names() if name in recorded]
    assert len(shared) > 200
    for name in shared:
        assert plain(schema_of(name)) == plain(recorded[name]), name
