"""Watches of a definition that changes end with the requests that began before, and show what those wrote. None resumes
from before the change."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable
from pathlib import Path
from typing import Any

import pytest

from quarterdeck.storage import sqlite
from quarterdeck.storage.cacher import cacher
from quarterdeck.storage.sqlite import SQLiteStorage
from quarterdeck.transport.messages import Stream
from support import definitions, in_process
from support.waiting import PATIENCE_S
from support.watch_client import RecordingWriter

GROUP = "retired.example.com"
THINGS = f"/apis/{GROUP}/v1/namespaces/default/things"
DEFINITION = f"{definitions.PATH}/things.{GROUP}"
MERGE = "application/merge-patch+json"


class SlowStorage:
    """The real store, in which updates of things wait for `goes_on`. `is_asked` is set by the first."""

    def __init__(self, storage: SQLiteStorage) -> None:
        self._storage = storage
        self.is_asked = asyncio.Event()
        self.goes_on = asyncio.Event()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._storage, name)

    def update(self, key: str, value: bytes, expected_revision: int, hint: object = None) -> Awaitable[int]:
        arguments = (key, value, expected_revision, hint)
        return self._update_later(*arguments) if f"/{GROUP}/" in key else self._storage.update(*arguments)

    async def _update_later(self, *arguments: Any) -> int:
        self.is_asked.set()
        await self.goes_on.wait()
        return await self._storage.update(*arguments)


@pytest.fixture
def storages(monkeypatch: pytest.MonkeyPatch) -> list[SlowStorage]:
    """Of the servers that are begun; nothing is waited for but requests."""
    made: list[SlowStorage] = []

    class Opener:
        @staticmethod
        async def open(*arguments: Any, **named: Any) -> SlowStorage:
            made.append(SlowStorage(await SQLiteStorage.open(*arguments, **named)))
            return made[-1]

    monkeypatch.setattr(sqlite, "SQLiteStorage", Opener)
    monkeypatch.setattr(cacher, "RETIRED_S", 0.0)
    return made


async def turns(count: int = 50) -> None:
    for _ in range(count):
        await asyncio.sleep(0)


async def open_watch(server: in_process.InProcess, revision: str) -> RecordingWriter:
    stream = await server.call("GET", f"{THINGS}?watch=true&resourceVersion={revision}")
    assert isinstance(stream, Stream), stream.body
    writer = RecordingWriter()
    stream.opened(writer)
    return writer


async def outlive(folder: Path, storages: list[SlowStorage]) -> None:
    async with in_process.running(folder) as server, asyncio.timeout(PATIENCE_S):
        await server.define(definitions.of_things(GROUP))
        made = await server.call("POST", THINGS, thing())
        assert made.status == 201
        watch = await open_watch(server, "")
        assert [event.type for event in watch.events] == ["ADDED"]
        write = asyncio.ensure_future(server.call("PATCH", f"{THINGS}/a", {"spec": {"b": 1}}, MERGE))
        await storages[0].is_asked.wait()

        versions = [definitions.version(), definitions.version(name="v2", is_storage=False)]
        changed = await server.call("PATCH", DEFINITION, {"spec": {"versions": versions}}, MERGE)
        assert changed.status == 200
        new = await open_watch(server, "")
        await turns()
        assert not watch.is_ended

        storages[0].goes_on.set()
        assert (await write).status == 200
        while not watch.is_ended:
            await asyncio.sleep(0)
        assert [event.type for event in watch.events] == ["ADDED", "MODIFIED"]
        assert [event.type for event in new.events] == ["ADDED", "MODIFIED"]
        assert not new.is_ended


def test_a_watch_outlives_the_requests_of_its_definition(tmp_path: Path, storages: list[SlowStorage]) -> None:
    asyncio.run(outlive(tmp_path, storages))


def thing() -> dict[str, Any]:
    return {"apiVersion": f"{GROUP}/v1", "kind": "Thing", "metadata": {"name": "a"}}


async def told_of_old(server: in_process.InProcess, revision: str) -> list[Any]:
    watch = await open_watch(server, revision)
    return [event.obj["message"] if event.type == "ERROR" else event.type for event in watch.events]


async def resume(folder: Path) -> None:
    async with in_process.running(folder) as server, asyncio.timeout(PATIENCE_S):
        await server.define(definitions.of_things(GROUP))
        made = json.loads((await server.call("POST", THINGS, thing())).body)
        revision = made["metadata"]["resourceVersion"]
        await server.call("PATCH", f"{THINGS}/a", {"spec": {"b": 1}}, MERGE)
        labelled = await server.call("PATCH", DEFINITION, {"metadata": {"labels": {"a": "b"}}}, MERGE)
        assert labelled.status == 200
        assert await told_of_old(server, revision) == ["MODIFIED"]

        columns = [{"name": "B", "type": "integer", "jsonPath": ".spec.b"}]
        versions = [definitions.version(additionalPrinterColumns=columns)]
        changed = json.loads((await server.call("PATCH", DEFINITION, {"spec": {"versions": versions}}, MERGE)).body)
        floor = changed["metadata"]["resourceVersion"]
        assert await told_of_old(server, revision) == [f"too old resource version: {revision} ({floor})"]
        listed = json.loads((await server.call("GET", THINGS)).body)
        assert await told_of_old(server, listed["metadata"]["resourceVersion"]) == []
        old = await server.call("GET", f"{THINGS}?resourceVersionMatch=Exact&resourceVersion={revision}")
        assert "spec" not in json.loads(old.body)["items"][0]


def test_no_watch_resumes_from_before_its_definition(tmp_path: Path) -> None:
    asyncio.run(resume(tmp_path))
