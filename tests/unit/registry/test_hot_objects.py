"""Objects that are updated again and again are kept as they are decoded: few, and for one writer at a time."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from quarterdeck.registry import hotobjects
from quarterdeck.registry.hotobjects import HotObjects
from quarterdeck.server import apiserver
from support import definitions, in_process
from support.in_process import InProcess

READER, OTHER = object(), object()
KEY = "/registry/hot.example.com/things/default/a"
GROUP = "hot.example.com"
THINGS = f"/apis/{GROUP}/v1/namespaces/default/things"
MERGE, JSON_PATCH, APPLY = (
    "application/merge-patch+json",
    "application/json-patch+json",
    "application/apply-patch+yaml",
)


def thing(name: str = "a", **members: Any) -> dict[str, Any]:
    return {"apiVersion": f"{GROUP}/v1", "kind": "Thing", "metadata": {"name": name}, **members}


def test_whoever_takes_an_object_has_it_alone() -> None:
    hot = HotObjects()
    hot.keep("k", 3, READER, thing(), 100)
    taken = hot.take("k", 3, READER)
    assert taken == {"apiVersion": f"{GROUP}/v1", "kind": "Thing", "metadata": {"resourceVersion": "3", "name": "a"}}
    assert hot.take("k", 3, READER) is None


@pytest.mark.parametrize(("key", "revision", "reader"), [("l", 3, READER), ("k", 4, READER), ("k", 3, OTHER)])
def test_another_object_is_read(key: str, revision: int, reader: object) -> None:
    hot = HotObjects()
    hot.keep("k", 3, READER, thing(), 100)
    assert hot.take(key, revision, reader) is None


def test_the_latest_are_kept_and_large_ones_are_not() -> None:
    hot = HotObjects(bytes_max=1_000)
    for number in range(5):
        hot.keep(f"k{number}", 1, READER, thing(), 300)
    hot.keep("k4", 2, READER, thing(), 400)
    assert [hot.take(f"k{number}", 1, READER) is not None for number in range(4)] == [False, False, True, True]
    assert hot.take("k4", 2, READER) is not None
    hot.keep("large", 1, READER, thing(), hotobjects.OBJECT_BYTES_MAX + 1)
    assert hot.take("large", 1, READER) is None


def schema() -> dict[str, Any]:
    part = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    sized = {"type": "object", "properties": {"n": {"type": "integer", "default": 4}, "free": part}}
    return {"type": "object", "properties": {"spec": sized, "status": part}}


@pytest.fixture
def hot(monkeypatch: pytest.MonkeyPatch) -> HotObjects:
    found = HotObjects()
    monkeypatch.setattr(apiserver, "HotObjects", lambda _: found)
    return found


async def define(server: InProcess) -> None:
    await server.define(definitions.of_things(GROUP, definitions.version(schema(), subresources={"status": {}})))


async def send(server: InProcess, method: str, path: str, body: Any, kind: str = in_process.JSON) -> tuple[int, Any]:
    answer = await server.call(method, path, body, kind)
    assert isinstance(answer.body, bytes)
    return answer.status, json.loads(answer.body)


async def see(server: InProcess, hot: HotObjects) -> Any:
    """The object as it is stored. What is kept of that revision is the same, with members in the same order."""
    _, stored = await send(server, "GET", f"{THINGS}/a", None)
    kept = hot._kept.get(KEY)
    if kept is not None and str(kept[0]) == stored["metadata"]["resourceVersion"]:
        assert json.dumps(kept[3]) == json.dumps(stored)
    return stored


def is_kept(hot: HotObjects, stored: Any) -> bool:
    kept = hot._kept.get(KEY)
    return kept is not None and str(kept[0]) == stored["metadata"]["resourceVersion"]


async def test_writes_go_on_from_what_the_last_one_stored(tmp_path: Path, hot: HotObjects) -> None:
    async with in_process.running(tmp_path) as server:
        await define(server)
        await send(server, "POST", THINGS, thing(spec={"free": {"a": [1, {"b": None}]}}))
        at = f"{THINGS}/a"
        writes: list[tuple[str, str, Any, str]] = [
            ("PATCH", at, {"spec": {"n": 1}}, MERGE),
            ("PATCH", at, {"metadata": {"labels": {"a": "x"}, "annotations": {"b": "é"}}}, MERGE),
            ("PATCH", f"{at}/status", {"status": {"x": [1, 2, {"y": 0.5}]}}, MERGE),
            ("PATCH", at, [{"op": "add", "path": "/spec/free/again", "value": {"a": [1, 2]}}], JSON_PATCH),
            ("PATCH", at, [{"op": "remove", "path": "/spec/free/again/a/1"}], JSON_PATCH),
            ("PATCH", f"{at}?fieldManager=m&force=true", thing(spec={"n": 7, "free": {"c": {"d": 1}}}), APPLY),
            ("PATCH", f"{at}?fieldManager=m&force=true", thing(spec={"n": 7, "free": {"c": {"e": 1}}}), APPLY),
            ("PATCH", at, {"spec": {"n": None}}, MERGE),
            ("PATCH", at, {"spec": {"free": {"c": None}}}, MERGE),
        ]
        for method, path, body, kind in writes:
            status, told = await send(server, method, path, body, kind)
            assert status == 200, told
            stored = await see(server, hot)
            assert stored == told
            assert is_kept(hot, stored)
        assert stored["spec"]["n"] == 4, "by default"
        assert stored["spec"]["free"]["again"] == {"a": [1]}


async def change_what_is_kept(server: InProcess, hot: HotObjects, number: int) -> None:
    """So that whoever takes it shows that it did."""
    stored = await see(server, hot)
    assert is_kept(hot, stored)
    revision, reader, size, obj = hot._kept[KEY]
    hot.keep(KEY, revision, reader, {**obj, "spec": {**obj["spec"], "n": number}}, size)


async def label(server: InProcess, value: str, query: str = "") -> Any:
    """A patch that leaves the spec as it is read."""
    body = {"metadata": {"labels": {"l": value}}}
    status, told = await send(server, "PATCH", f"{THINGS}/a{query}", body, MERGE)
    assert status == 200, told
    return told["spec"]["n"]


async def test_who_takes_it_and_who_does_not(tmp_path: Path, hot: HotObjects) -> None:
    async with in_process.running(tmp_path) as server:
        await define(server)
        at = f"{THINGS}/a"
        await send(server, "POST", THINGS, thing(spec={"n": 1}))
        assert await label(server, "a") == 1
        await change_what_is_kept(server, hot, 50)
        assert await label(server, "b", "?dryRun=All") == 1, "a dry run reads"
        assert await label(server, "c") == 50
        await change_what_is_kept(server, hot, 60)
        stored = await see(server, HotObjects())
        stale = {**stored, "metadata": {**stored["metadata"], "resourceVersion": "1"}}
        assert (await send(server, "PUT", at, stale))[0] == 409
        assert await label(server, "d") == 50, "a write that fails keeps nothing"


async def test_a_write_that_fails_leaves_nothing_of_what_it_changed(tmp_path: Path, hot: HotObjects) -> None:
    async with in_process.running(tmp_path) as server:
        await define(server)
        await send(server, "POST", THINGS, thing(spec={"n": 1}))
        at = f"{THINGS}/a"
        _, told = await send(server, "PATCH", at, {"spec": {"free": {"a": 1}}}, MERGE)
        assert (await send(server, "PATCH", at, {"spec": {"n": "x", "free": {"a": 2}}}, MERGE))[0] == 422
        assert (await send(server, "PATCH", f"{at}?dryRun=All", {"spec": {"free": {"a": 3}}}, MERGE))[0] == 200
        assert await see(server, hot) == told
        status, after = await send(server, "PATCH", at, {"spec": {"n": 2}}, MERGE)
        assert (status, after["spec"]) == (200, {"n": 2, "free": {"a": 1}})


async def test_numbers_that_are_stored_otherwise_are_read(tmp_path: Path, hot: HotObjects) -> None:
    async with in_process.running(tmp_path) as server:
        await define(server)
        await send(server, "POST", THINGS, thing(spec={"n": 1}))
        at = f"{THINGS}/a"
        status, told = await send(server, "PATCH", at, b'{"spec":{"free":{"f":1.0}}}', MERGE)
        assert (status, told["spec"]["free"]) == (200, {"f": 1})
        assert not is_kept(hot, told)
        generation = told["metadata"]["generation"]
        status, told = await send(server, "PATCH", at, {"spec": {"free": {"f": 1}}}, MERGE)
        assert told["metadata"]["generation"] == generation, "nothing has changed"


async def test_what_is_stored_again_as_it_was_is_read(
    tmp_path: Path, hot: HotObjects, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With another key, say: what a client sent may have its members in another order."""

    async def is_stale(_storage: object, _key: str) -> bool:
        return True

    async with in_process.running(tmp_path, is_ephemeral=True) as server:
        await define(server)
        at = f"{THINGS}/a"
        await send(server, "POST", THINGS, thing(spec={"free": {"a": 1, "b": 2}}))
        _, told = await send(server, "PATCH", at, {"spec": {"n": 1}}, MERGE)
        monkeypatch.setattr(type(server.server._storage), "is_stale", is_stale)
        turned = {**told, "spec": {"free": {"b": 2, "a": 1}, "n": 1}}
        status, again = await send(server, "PUT", at, turned)
        assert (status, again["metadata"]["resourceVersion"] > told["metadata"]["resourceVersion"]) == (200, True)
        assert not is_kept(hot, again)
        assert list((await see(server, hot))["spec"]["free"]) == ["a", "b"]
