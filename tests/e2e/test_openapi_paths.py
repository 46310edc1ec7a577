"""The OpenAPI documents of a server say of built-in kinds what a kube-apiserver's say, but for prose."""

from __future__ import annotations

import json
import lzma
from collections.abc import Iterator
from typing import Any

import pytest

from support import data
from support.golden.client import Client
from support.server import Server

pytestmark = pytest.mark.e2e

FACTS = data.find("kinds")
PARAMETERS = "#/parameters/"


@pytest.fixture(scope="module")
def client() -> Iterator[Client]:
    if FACTS is None:
        pytest.skip("the facts of built-in kinds are not here")
    with Server() as server:
        yield Client("127.0.0.1", server.plain_port)


def facts(name: str) -> Any:
    assert FACTS is not None
    with lzma.open(FACTS / f"{name}.json.xz", "rt", encoding="utf-8") as file:
        return json.load(file)


def plain(value: Any, shared: dict[str, Any]) -> Any:
    """Without prose, and with the parameters that version 2 tells once and refers to, by names that come of prose."""
    if isinstance(value, list):
        return [plain(item, shared) for item in value]
    if not isinstance(value, dict):
        return value
    reference = value.get("$ref", "")
    if reference.startswith(PARAMETERS):
        return {"shared": plain(shared[reference.removeprefix(PARAMETERS)], shared)}
    return {name: plain(inner, shared) for name, inner in value.items() if name != "description"}


def describe(paths: dict[str, Any]) -> dict[tuple[str, str], str]:
    """What operations on resources do."""
    return {
        (path, method): operation["description"]
        for path, item in paths.items()
        for method, operation in item.items()
        if method != "parameters" and operation.get("x-kubernetes-action")
    }


def compare_paths(actual: dict[str, Any], recorded: dict[str, Any]) -> None:
    assert sorted(actual["paths"]) == sorted(recorded["paths"])
    for path, item in recorded["paths"].items():
        told = plain(actual["paths"][path], actual.get("parameters", {}))
        assert told == plain(item, recorded.get("parameters", {})), path


def test_version_2(client: Client) -> None:
    actual, recorded = json.loads(client("GET", "/openapi/v2").body), facts("openapi-v2")
    compare_paths(actual, recorded)
    assert sorted(actual["definitions"]) == sorted(recorded["definitions"])


def test_version_3(client: Client) -> None:
    recorded = facts("openapi-v3")["documents"]
    assert sorted(json.loads(client("GET", "/openapi/v3").body)["paths"]) == sorted(recorded)
    for name, document in recorded.items():
        actual = json.loads(client("GET", f"/openapi/v3/{name}").body)
        compare_paths(actual, document)
        assert describe(actual["paths"]) == describe(document["paths"])
        assert sorted(actual["components"].get("schemas", ())) == sorted(document["components"].get("schemas", ())), (
            name
        )
