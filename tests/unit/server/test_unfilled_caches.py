"""Versions that had objects which cannot be converted when they began to be served: what upstream would answer from
their caches is refused until those objects go. Objects that come later leave a cache as it was.
"""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from quarterdeck.transport.messages import Response, Stream
from support import definitions, in_process
from support.in_process import InProcess
from support.waiting import PATIENCE_S
from support.watch_client import RecordingWriter

GROUP = "filled.example.com"
THINGS = f"/apis/{GROUP}/%s/namespaces/default/things"
DEFINITION = f"{definitions.PATH}/things.{GROUP}"
MERGE = "application/merge-patch+json"
NOBODY = {
    "strategy": "Webhook",
    "webhook": {"clientConfig": {"url": "https://127.0.0.1:1/x"}, "conversionReviewVersions": ["v1"]},
}
FAILED = f'conversion webhook for {GROUP}/v1, Kind=Thing failed: Post "https://127.0.0.1:1/x?timeout=30s": '
LOST = f"request to convert CR from an invalid group/version: {GROUP}/v1"
UNFILLED = f"storage is (re)initializing: failed to list {GROUP}/v2, Kind=Thing: "
PAST_CACHES = ["?limit=1", "?limit=1&resourceVersion=0"]
OF_CACHES = [
    "",
    "?labelSelector=a%3Db",
    "?limit=1&fieldSelector=metadata.name%3Da",
    "?resourceVersion=1&resourceVersionMatch=Exact",
    "?resourceVersion=0",
    "?resourceVersion=1",
    "?resourceVersion=0&resourceVersionMatch=NotOlderThan",
    "?resourceVersion=0&labelSelector=a%3Db",
    "?resourceVersion=0&limit=1&fieldSelector=metadata.name%3Dx",
    "?watch=1",
    "?watch=1&resourceVersion=0",
    "?watch=1&resourceVersion=1",
    "?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan",
]


def thing(name: str, version: str = "v1") -> dict[str, Any]:
    return {"apiVersion": f"{GROUP}/{version}", "kind": "Thing", "metadata": {"name": name}}


def said(answer: Response) -> dict[str, Any]:
    assert isinstance(answer.body, bytes)
    found: dict[str, Any] = json.loads(answer.body)
    return found


@asynccontextmanager
async def running(folder: Path, **spec: Any) -> AsyncIterator[InProcess]:
    async with in_process.running(folder) as server, asyncio.timeout(PATIENCE_S):
        versions = [definitions.version(name=name, is_storage=name == "v1") for name in ("v1", "v2")]
        definition = definitions.of_things(GROUP, *versions)
        definition["spec"].update(spec)
        await server.define(definition)
        assert (await server.call("POST", THINGS % "v1", thing("a"))).status == 201
        yield server


async def change(server: InProcess, spec: dict[str, Any]) -> None:
    assert (await server.call("PATCH", DEFINITION, {"spec": spec}, MERGE)).status == 200


async def lose_version(server: InProcess) -> None:
    versions = [definitions.version(name=name, is_storage=name == "v2") for name in ("v1", "v2")]
    await change(server, {"versions": versions})
    stored = {"status": {"storedVersions": ["v2"]}}
    assert (await server.call("PATCH", f"{DEFINITION}/status", stored, MERGE)).status == 200
    await change(server, {"versions": versions[1:]})


async def check_unfilled(server: InProcess, text: str) -> None:
    for query in OF_CACHES:
        refused = await server.call("GET", THINGS % "v2" + query)
        told = said(refused)
        assert (refused.status, told["reason"], told["details"]) == (429, "TooManyRequests", {"retryAfterSeconds": 1})
        assert told["message"].startswith(UNFILLED + text), query
    for query in PAST_CACHES:
        refused = await server.call("GET", THINGS % "v2" + query)
        assert (refused.status, said(refused)["message"][: len(text)]) == (500, text), query
    assert (await server.call("GET", f"{THINGS % 'v2'}/a?resourceVersion=0")).status == 500
    # Another namespace has no such object, its cache is the same.
    elsewhere = (THINGS % "v2").replace("default", "other")
    assert (await server.call("GET", f"{elsewhere}?resourceVersion=0")).status == 429
    assert (await server.call("GET", elsewhere)).status == 429
    assert (await server.call("GET", f"{elsewhere}?limit=1")).status == 200
    # Collections are read in pages.
    assert (await server.call("DELETE", elsewhere)).status == 200
    for path in (elsewhere, THINGS % "v2"):
        refused = await server.call("DELETE", f"{path}?labelSelector=a%3Db")
        assert (refused.status, said(refused)["message"][: len(UNFILLED)]) == (429, UNFILLED)


async def check_watched(server: InProcess) -> None:
    stream = await server.call("GET", f"{THINGS % 'v2'}?watch=1")
    assert isinstance(stream, Stream) and stream.status == 200
    stream.opened(RecordingWriter())
    stream.closed()


async def test_objects_that_were_there_keep_a_cache_from_being_filled(tmp_path: Path) -> None:
    async with running(tmp_path) as server:
        await change(server, {"conversion": NOBODY})
        await check_unfilled(server, FAILED)
        assert (await server.call("GET", f"{THINGS % 'v1'}?resourceVersion=0")).status == 200
        assert (await server.call("DELETE", f"{THINGS % 'v1'}/a")).status == 200
        assert (await server.call("GET", f"{THINGS % 'v2'}?resourceVersion=0")).status == 200
        await check_watched(server)


async def test_an_object_of_a_lost_version_keeps_a_cache_from_being_filled(tmp_path: Path) -> None:
    async with running(tmp_path) as server:
        await lose_version(server)
        await check_unfilled(server, LOST)


async def test_a_collection_with_an_object_of_a_lost_version_is_not_deleted(tmp_path: Path) -> None:
    async with running(tmp_path) as server:
        await lose_version(server)
        assert (await server.call("POST", THINGS % "v2", thing("b", "v2"))).status == 201
        refused = await server.call("DELETE", THINGS % "v2")
        assert (refused.status, said(refused)["message"]) == (500, LOST)
        assert (await server.call("GET", f"{THINGS % 'v2'}/b")).status == 200


async def test_a_definition_with_an_object_of_a_lost_version_does_not_go(tmp_path: Path) -> None:
    async with running(tmp_path) as server:
        await lose_version(server)
        await server.call("DELETE", DEFINITION)
        told = {}
        while told.get("reason") != "InstanceDeletionFailed":
            await asyncio.sleep(0.01)
            conditions = said(await server.call("GET", DEFINITION))["status"]["conditions"]
            told = next((each for each in conditions if each["type"] == "Terminating"), {})
        assert told["message"] == f"could not list instances: {UNFILLED}{LOST}"


@pytest.mark.parametrize("query", ["?resourceVersion=0", "?resourceVersion=1", "?resourceVersion=0&limit=1"])
async def test_objects_that_came_later_leave_a_cache_as_it_was(tmp_path: Path, query: str) -> None:
    async with running(tmp_path, conversion=NOBODY) as server:
        listed = await server.call("GET", THINGS % "v2" + query)
        assert (listed.status, said(listed)["items"]) == (200, [])
        newest = said(await server.call("GET", f"{THINGS % 'v1'}/a"))["metadata"]["resourceVersion"]
        assert (await server.call("GET", f"{THINGS % 'v2'}?resourceVersion={newest}")).status == 500
        assert (await server.call("GET", f"{THINGS % 'v2'}/a{query}")).status == 404
        assert (await server.call("GET", f"{THINGS % 'v2'}/a")).status == 500
        await check_watched(server)
