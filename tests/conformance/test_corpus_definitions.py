"""Real definitions end with the status that kube-apiserver gave them: conditions, accepted names, stored versions."""

from __future__ import annotations

import asyncio
import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from quarterdeck.apimachinery import errors
from quarterdeck.apimachinery.codec import json as json_codec
from support import data
from support.control import World

CORPUS = data.find("corpus")
PROJECTS = sorted(path.parent for path in CORPUS.glob("*/crds.json.gz")) if CORPUS is not None else []
# The projects whose definitions are small, so that all of them together take some seconds.
BYTES_MAX = 30_000

pytestmark = pytest.mark.skipif(CORPUS is None, reason="the corpus of real definitions is not here")


def load(path: Path) -> Any:
    return json.loads(gzip.decompress(path.read_bytes()))


def is_small(project: Path) -> bool:
    return (project / "crds.json.gz").stat().st_size <= BYTES_MAX


async def install(definitions: list[dict[str, Any]]) -> dict[str, Any]:
    """By name: the status, or the code of a refusal."""
    world = await World().start()
    scope = world.definitions[""]
    found: dict[str, Any] = {}
    for definition in definitions:
        name = definition["metadata"]["name"]
        try:
            await world.create(scope, definition)
        except errors.APIStatus as error:
            found[name] = error.code
        await world.settle()
    for entry in scope.store.cache.state.all():
        found[entry.name] = normalize(json_codec.load(entry.data)["status"])
    return found


def normalize(status: dict[str, Any]) -> dict[str, Any]:
    conditions = [
        {name: value for name, value in one.items() if name != "lastTransitionTime"}
        for one in status.get("conditions") or ()
    ]
    return {**status, "conditions": sorted(conditions, key=lambda one: str(one["type"]))}


def check(project: Path) -> None:
    found = asyncio.run(install(load(project / "crds.json.gz")))
    recorded = {
        one["name"]: normalize(one["status"]) if one["code"] == 201 else one["code"]
        for one in load(project / "server.json.gz")["crds"]
    }
    differing = {name: (found.get(name), wanted) for name, wanted in recorded.items() if found.get(name) != wanted}
    assert not differing, next(iter(differing.items()))


@pytest.mark.parametrize("project", [one for one in PROJECTS if is_small(one)], ids=lambda path: path.name)
def test_small_definitions_end_as_recorded(project: Path) -> None:
    check(project)


@pytest.mark.slow
@pytest.mark.parametrize("project", [one for one in PROJECTS if not is_small(one)], ids=lambda path: path.name)
def test_large_definitions_end_as_recorded(project: Path) -> None:
    check(project)
