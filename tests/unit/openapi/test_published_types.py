"""The schemas of built-in types say what a kube-apiserver's say, but for prose."""

from __future__ import annotations

import json
import lzma
from typing import Any

import pytest

from quarterdeck.openapi import builtin_types
from quarterdeck.openapi.library import meta
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
    """Without prose."""
    if isinstance(value, list):
        return [plain(item) for item in value]
    if not isinstance(value, dict):
        return value
    members = {name: plain(inner) for name, inner in value.items() if inner is not None and name != SHARED}
    return {name: inner for name, inner in members.items() if name != "description" or isinstance(inner, dict)}


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("io.k8s.api.networking.v1.NetworkPolicyList", "List of networkpolicies."),
        ("io.k8s.api.core.v1.EndpointsList", "List of endpoints."),
        ("io.k8s.api.networking.v1.IngressList", "List of ingresses."),
    ],
)
def test_lists_tell_of_what_they_are(name: str, words: str) -> None:
    assert builtin_types.library().schema_v2(name)["properties"]["items"]["description"] == words


def test_version_2_is_as_recorded() -> None:
    compare(facts("openapi-v2")["definitions"], builtin_types.library().schema_v2)


def test_version_2_tells_of_what_all_servers_share() -> None:
    library = builtin_types.library()
    recorded = facts("openapi-v2")["definitions"]
    shared = [name for name in recorded if name in library and library.is_shared(name)]
    assert len(shared) == 2
    for name in shared:
        assert library.schema_v2(name)[SHARED] == recorded[name][SHARED], name


def test_version_3_is_as_recorded() -> None:
    schemas: dict[str, Any] = {}
    for document in facts("openapi-v3")["documents"].values():
        if isinstance(document, dict):
            schemas |= document.get("components", {}).get("schemas", {})
    compare(schemas, builtin_types.library().schema_v3)


def test_each_document_of_version_3_tells_of_what_all_share_what_is_its_own() -> None:
    library = builtin_types.library()
    told = 0
    for path, document in facts("openapi-v3")["documents"].items():
        if not isinstance(document, dict) or "CRD" in document["info"]["title"]:
            continue
        version = ("", "v1") if path == "api/v1" else tuple(path.split("/")[1:])
        for name, recorded in document.get("components", {}).get("schemas", {}).items():
            if name in library and library.is_shared(name):
                shown = library.schema_v3(name, version)[SHARED]
                assert sorted(shown, key=str) == sorted(recorded[SHARED], key=str), (path, name)
                told += 1
    assert told > 30


def compare(recorded: dict[str, Any], schema_of: Any) -> None:
    library = builtin_types.library()
    shared = [name for name in library.names() if name in recorded]
    assert len(shared) > 200
    for name in shared:
        assert plain(schema_of(name)) == plain(recorded[name]), name


def test_every_type_and_each_of_its_fields_is_described() -> None:
    """For `kubectl explain`."""
    library = builtin_types.library()
    silent = []
    for name in library.names():
        schema = library.schema_v2(name)
        silent += [] if schema.get("description") else [name]
        allowed = meta.SILENT.get(name.rpartition(".")[2], ())  # upstream's are silent too, which shows in version 3
        fields = {field for field, one in schema.get("properties", {}).items() if "description" not in one}
        silent += [f"{name}.{field}" for field in fields.difference(allowed)]
    assert silent == []


def test_descriptions_are_short_sentences() -> None:
    library = builtin_types.library()
    texts = {
        text
        for name in library.names()
        for schema in (library.schema_v2(name), *library.schema_v2(name).get("properties", {}).values())
        if (text := schema.get("description"))
    }
    assert len(texts) > 1_000
    assert [text for text in texts if "<<" in text or not text.endswith((".", ")"))] == []
