"""Faults on a whole server without sockets: what has happened, and what its client is told."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from quarterdeck.transport.messages import Response, Stream
from support import in_process
from support.in_process import InProcess
from support.waiting import PATIENCE_S, until

FAULTS = "/quarterdeck/v1/faults"
MAPS = "/api/v1/namespaces/default/configmaps"
PROTOBUF = "application/vnd.kubernetes.protobuf"


def config_map(name: str, size: int = 1) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": {"k": "x" * size}}


def read(response: Response) -> Any:
    body = response.body if isinstance(response.body, bytes) else b"".join(response.body)
    return json.loads(body)


class Writer:
    """A transport's, for a stream."""

    def __init__(self) -> None:
        self.is_paused = False
        self.written: list[bytes] = []
        self.ending = ""
        self.is_over = asyncio.Event()

    def write(self, data: bytes) -> None:
        self.written.append(data)

    def write_chunks(self, chunks: bytes) -> None:
        raise AssertionError("what is tapped is no chunks any more")

    def direct(self) -> tuple[int, None, None]:
        return -1, None, None

    def end(self) -> None:
        self.ending = self.ending or "end"
        self.is_over.set()

    def abort(self) -> None:
        self.ending = self.ending or "abort"
        self.is_over.set()


class Faulty:
    def __init__(self, server: InProcess) -> None:
        self.server = server
        self.call = server.call

    async def put(self, **rule: Any) -> str:
        answer = await self.call("POST", FAULTS, {"name": "r", "match": {"resources": ["configmaps"]}, **rule})
        assert answer.status == 201, answer.body
        return "r"

    async def fired(self) -> int:
        return int(read(await self.call("GET", f"{FAULTS}/r"))["rules"][0]["fired"])

    async def status(self, address: str) -> int:
        return (await self.call("GET", address)).status


@pytest.fixture
def faulty(runner: asyncio.Runner, tmp_path: Path) -> Iterator[Faulty]:
    running = in_process.running(tmp_path, users="t,jane,jane\n", has_faults=True)
    yield Faulty(runner.run(running.__aenter__()))
    runner.run(running.__aexit__(None, None, None))


async def test_errors_before_and_after(faulty: Faulty) -> None:
    for when, status in (("Before", 404), ("After", 200)):
        for code in (500, 503):
            await faulty.put(error={"code": code, "when": when, "retryAfterSeconds": 7})
            name = f"{when.lower()}{code}"
            answer = await faulty.call("POST", MAPS, config_map(name))
            assert answer.status == code
            assert read(answer)["code"] == code
            assert ("Retry-After", "7") in answer.headers
            assert "Audit-Id" in dict(answer.headers)
            assert await faulty.fired() == 1
            await faulty.call("DELETE", FAULTS)
            assert await faulty.status(f"{MAPS}/{name}") == status


async def test_conflicts_and_too_many_requests_are_the_usual_ones(faulty: Faulty) -> None:
    await faulty.call("POST", MAPS, config_map("one"))
    await faulty.put(conflict={}, match={"verbs": ["update"]})
    stale = {**config_map("one"), "metadata": {"name": "one", "resourceVersion": "1"}}
    injected = read(await faulty.call("PUT", f"{MAPS}/one", stale))
    await faulty.call("DELETE", FAULTS)
    assert injected == read(await faulty.call("PUT", f"{MAPS}/one", stale))
    await faulty.put(tooManyRequests={"retryAfterSeconds": 3})
    answer = await faulty.call("GET", f"{MAPS}/one")
    assert (answer.status, answer.body) == (429, b"Too many requests, please try again later.\n")
    assert ("Retry-After", "3") in answer.headers


async def test_names_are_known_of_what_is_created(faulty: Faulty) -> None:
    await faulty.put(error={}, match={"verbs": ["create"], "names": ["two"]})
    assert (await faulty.call("POST", MAPS, config_map("one"))).status == 201
    assert (await faulty.call("POST", MAPS, config_map("two"))).status == 500
    text = b"kind: ConfigMap\napiVersion: v1\nmetadata: {name: two}\n"
    assert (await faulty.call("POST", MAPS, text, "application/yaml")).status == 500
    for body in (b"{", b"[]", b'{"metadata":[]}', b'{"metadata":{"name":1}}'):
        assert (await faulty.call("POST", MAPS, body)).status in (400, 422)
    for kind in ("application/yaml", PROTOBUF):
        assert (await faulty.call("POST", MAPS, b"\x00", kind)).status == 400
    assert await faulty.fired() == 2


async def test_what_has_not_been_done_is_not_lost(faulty: Faulty) -> None:
    await faulty.call("POST", MAPS, config_map("one"))
    for action in ({"error": {"when": "After"}}, {"drop": {"when": "After"}}, {"drop": {"when": "Midway"}}):
        await faulty.put(times=1, **action)
        assert (await faulty.call("POST", MAPS, config_map("one"))).status == 409
        assert (await faulty.call("GET", f"{MAPS}/none")).status == 404
        assert await faulty.fired() == 0
        await faulty.call("DELETE", FAULTS)


async def test_dropped_answers(faulty: Faulty) -> None:
    for when, status in (("Before", 404), ("After", 200)):
        await faulty.put(drop={"when": when}, times=1)
        with pytest.raises(asyncio.CancelledError):
            await faulty.call("POST", MAPS, config_map(when.lower()))
        assert await faulty.status(f"{MAPS}/{when.lower()}") == status


@pytest.mark.parametrize("size", [10, 300_000])
async def test_an_answer_that_breaks_off(faulty: Faulty, size: int) -> None:
    await faulty.call("POST", MAPS, config_map("one", size))
    whole = (await faulty.call("GET", f"{MAPS}/one")).body
    await faulty.put(drop={"when": "Midway"}, times=1)
    request = faulty.server.request("GET", f"{MAPS}/one")
    answer = await faulty.server.send(request)
    assert isinstance(answer, Stream)
    assert isinstance(whole, bytes)
    assert request.on_end is None
    writer = Writer()
    answer.opened(writer)
    await writer.is_over.wait()
    assert writer.ending == "abort"
    assert b"".join(writer.written) == whole[: len(whole) // 2]


async def test_a_delay_before_is_over_before_anything_is_done(faulty: Faulty) -> None:
    for when, status in (("Before", 404), ("After", 200)):
        await faulty.put(delay={"seconds": 3600, "when": when}, times=1)
        request = faulty.server.request("POST", MAPS, config_map(when.lower()))
        task = asyncio.ensure_future(faulty.server.send(request))
        async with asyncio.timeout(PATIENCE_S):
            while not read(await faulty.call("GET", FAULTS))["rules"][0]["fired"]:
                await asyncio.sleep(0.001)
        request.is_late = True
        task.cancel()
        assert (await task).status == 504
        assert await faulty.status(f"{MAPS}/{when.lower()}") == status


async def test_stale_reads_show_the_past(faulty: Faulty) -> None:
    while await faulty.status("/readyz") != 200:  # by then the server's own writes are over
        await asyncio.sleep(0.01)
    await faulty.call("POST", MAPS, config_map("one"))
    await faulty.put(stale={})
    old = read(await faulty.call("GET", MAPS))
    await faulty.call("POST", MAPS, config_map("two"))
    await faulty.call("PUT", f"{MAPS}/one", config_map("one", 9))
    assert read(await faulty.call("GET", MAPS)) == old
    assert read(await faulty.call("GET", f"{MAPS}?resourceVersion=0")) == old
    assert await faulty.status(f"{MAPS}/two") == 404
    assert read(await faulty.call("GET", f"{MAPS}/one"))["data"] == {"k": "x"}
    await faulty.call("DELETE", FAULTS)
    assert await faulty.status(f"{MAPS}/two") == 200
    revision = int(old["metadata"]["resourceVersion"])
    behind = int(read(await faulty.call("GET", MAPS))["metadata"]["resourceVersion"]) - revision
    await faulty.put(stale={"revisionsBehind": behind})
    assert read(await faulty.call("GET", f"{MAPS}/one"))["data"] == {"k": "x"}
    await faulty.put(stale={"revision": revision})
    assert read(await faulty.call("GET", MAPS)) == old


async def open_watch(faulty: Faulty, query: str = "") -> tuple[Stream, Writer]:
    answer = await faulty.call("GET", f"{MAPS}?watch=1&resourceVersion=0{query}")
    assert isinstance(answer, Stream)
    writer = Writer()
    answer.opened(writer)
    return answer, writer


def events_of(writer: Writer) -> list[str]:
    lines = b"".join(writer.written).splitlines()
    return [json.loads(line)["object"]["metadata"].get("name", "") for line in lines]


@pytest.mark.parametrize("end, ending", [("Cut", "abort"), ("End", "end"), ("Gone", "end")])
async def test_a_watch_ends_after_so_many_events(faulty: Faulty, end: str, ending: str) -> None:
    await faulty.put(watch={"events": 2, "end": end}, times=1)
    stream, writer = await open_watch(faulty)
    assert await faulty.fired() == 0
    for name in ("a", "b", "c"):
        await faulty.call("POST", MAPS, config_map(name))
    await writer.is_over.wait()
    assert writer.ending == ending
    events = [json.loads(line) for line in b"".join(writer.written).splitlines()]
    names = [each["object"]["metadata"].get("name") for each in events]
    assert names[:2] == ["kube-root-ca.crt", "a"] or names[:2] == ["a", "b"]
    if end == "Gone":
        assert events[2]["type"] == "ERROR"
        assert events[2]["object"]["code"] == 410
        assert events[2]["object"]["reason"] == "Expired"
    assert len(events) == (3 if end == "Gone" else 2)
    assert await faulty.fired() == 1
    stream.closed()


async def test_late_events_keep_their_order(faulty: Faulty) -> None:
    await faulty.put(watch={"lateSeconds": 0.05})
    stream, writer = await open_watch(faulty)
    names = [f"m{number}" for number in range(20)]
    for name in names:
        await faulty.call("POST", MAPS, config_map(name))
    assert names[-1] not in events_of(writer)
    await until(lambda: names[-1] in events_of(writer))
    assert [each for each in events_of(writer) if each in names] == names
    stream.closed()
    assert await faulty.fired() == 1


async def test_a_watch_without_bookmarks(faulty: Faulty) -> None:
    query = "&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true"
    for kind in ("application/json", PROTOBUF):
        for rule in ({"watch": {"bookmarks": True}}, {"watch": {"bookmarks": False}}):
            await faulty.put(**rule)
            answer = await faulty.call("GET", f"{MAPS}?watch=1&resourceVersion=0{query}", accept=kind)
            assert isinstance(answer, Stream)
            writer = Writer()
            answer.opened(writer)
            assert (b"BOOKMARK" in b"".join(writer.written)) is rule["watch"]["bookmarks"]
            answer.closed()


async def test_a_watch_in_protobuf_can_be_gone(faulty: Faulty) -> None:
    await faulty.put(watch={"events": 0, "end": "Gone"})
    answer = await faulty.call("GET", f"{MAPS}?watch=1&resourceVersion=0", accept=PROTOBUF)
    assert isinstance(answer, Stream)
    writer = Writer()
    answer.opened(writer)
    await writer.is_over.wait()
    assert b"".join(writer.written)[4:].startswith(b"\x0a\x05ERROR")
    answer.closed()


async def test_a_rule_for_watches_passes_over_other_answers(faulty: Faulty) -> None:
    await faulty.put(watch={"events": 0}, times=1)
    assert (await faulty.call("GET", MAPS)).status == 200
    assert (await faulty.call("GET", f"{MAPS}?watch=1&resourceVersion=x")).status == 500
    assert await faulty.fired() == 0


async def test_who_may_not_reach_the_path_changes_nothing(faulty: Faulty) -> None:
    jane = faulty.server.request("POST", FAULTS, {"conflict": {}}, Authorization="Bearer t")
    assert (await faulty.server.send(jane)).status == 403
    assert read(await faulty.call("GET", FAULTS)) == {"rules": []}


async def test_the_path(faulty: Faulty) -> None:
    rules = {"rules": [{"name": "a", "conflict": {}}, {"drop": {}, "match": {"verbs": ["watch"]}}]}
    assert [each["name"] for each in read(await faulty.call("POST", FAULTS, rules))["rules"]] == ["a", "rule-1"]
    assert (await faulty.call("PUT", f"{FAULTS}/b", {"delay": {"seconds": 1}})).status == 200
    assert (await faulty.call("PUT", f"{FAULTS}/b", {"name": "c", "delay": {}})).status == 400
    assert [each["name"] for each in read(await faulty.call("GET", FAULTS))["rules"]] == ["a", "rule-1", "b"]
    assert (await faulty.call("DELETE", f"{FAULTS}/a")).status == 200
    for method in ("GET", "DELETE"):
        assert (await faulty.call(method, f"{FAULTS}/a")).status == 404
    for method, path in (("PATCH", FAULTS), ("POST", f"{FAULTS}/b")):
        assert (await faulty.call(method, path, {"conflict": {}})).status == 405
    assert (await faulty.call("GET", f"{FAULTS}x")).status == 404
    bad = await faulty.call("POST", FAULTS, b"{")
    assert bad.status == 400
    assert len(read(await faulty.call("DELETE", FAULTS))["rules"]) == 2


async def test_a_server_that_was_not_asked_has_nothing_of_it(tmp_path: Path) -> None:
    async with in_process.running(tmp_path) as server:
        assert (await server.call("GET", FAULTS)).status == 404
        assert type(server.server.application).__name__ == "Application"
