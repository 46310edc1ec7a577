"""A whole server without sockets writes down what it is asked and what it answers."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from quarterdeck.recording.file import read
from quarterdeck.transport.messages import Stream
from support import in_process
from support.in_process import InProcess
from support.waiting import until

MAPS = "/api/v1/namespaces/default/configmaps"
PROTOBUF = "application/vnd.kubernetes.protobuf"


class Writer:
    is_paused = False

    def __init__(self) -> None:
        self.written = b""

    def write(self, data: bytes) -> None:
        self.written += data

    def write_chunks(self, chunks: bytes) -> None:
        raise AssertionError("what is tapped is no chunks any more")

    def direct(self) -> tuple[int, None, None]:
        return -1, None, None

    def end(self) -> None:
        """It is over."""

    def abort(self) -> None:
        """It is over."""


@pytest.fixture
def server(runner: asyncio.Runner, tmp_path: Path) -> Iterator[InProcess]:
    running = in_process.running(tmp_path, users="t,jane,jane\n", record_file=tmp_path / "record", has_faults=True)
    yield runner.run(running.__aenter__())
    runner.run(running.__aexit__(None, None, None))


def lines(tmp_path: Path) -> list[dict[str, Any]]:
    return [{name: each[name] for name in each if name != "at"} for each in read(tmp_path / "record")]


def config_map(name: str) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}}


async def test_requests_and_answers(server: InProcess, tmp_path: Path) -> None:
    answer = await server.call("POST", f"{MAPS}?fieldManager=m", config_map("one"), User_Agent="me/1")
    await server.call("GET", f"{MAPS}/two")
    await server.call("GET", "/readyz")
    asked, answered, again, missing = lines(tmp_path)
    assert asked == {
        "request": 1,
        "user": "admin",
        "groups": ["system:masters", "system:authenticated"],
        "method": "POST",
        "path": f"{MAPS}?fieldManager=m",
        "type": "application/json",
        "accept": "application/json",
        "agent": "me/1",
        "body": config_map("one"),
    }
    assert isinstance(answer.body, bytes)
    assert answered == {"answer": 1, "status": 201, "type": "application/json", "body": json.loads(answer.body)}
    assert (again["request"], missing["answer"], missing["status"]) == (2, 2, 404)
    assert "secret" not in (tmp_path / "record").read_text()  # the token


async def test_who_is_refused_stands_there_without_a_user(server: InProcess, tmp_path: Path) -> None:
    for headers in ({"Authorization": "Bearer t"}, {"Authorization": "Bearer nobody"}):
        await server.send(server.request("GET", MAPS, None, **headers))
    told = lines(tmp_path)
    assert [each.get("status") for each in told] == [None, 403, None, 401]
    assert all("user" not in each for each in told)
    assert "nobody" not in (tmp_path / "record").read_text()


async def test_faults_are_told_as_clients_see_them(server: InProcess, tmp_path: Path) -> None:
    for action in ({"error": {"when": "After"}}, {"drop": {}}):
        await server.call("PUT", "/quarterdeck/v1/faults/r", {**action, "times": 1})
        try:
            await server.call("POST", MAPS, config_map("one"))
        except asyncio.CancelledError:
            assert "drop" in action
    assert [each["status"] for each in lines(tmp_path) if "answer" in each] == [500, 0]


@pytest.mark.parametrize("kind", ["application/json", PROTOBUF])
async def test_watches(server: InProcess, tmp_path: Path, kind: str) -> None:
    answer = await server.call("GET", f"{MAPS}?watch=1&resourceVersion=0", accept=kind)
    assert isinstance(answer, Stream)
    writer = Writer()
    answer.opened(writer)
    await server.call("POST", MAPS, config_map("one"))
    await server.call("DELETE", f"{MAPS}/one")
    await until(lambda: b"DELETED" in writer.written)
    answer.closed()
    told = lines(tmp_path)
    events = [each["body"] for each in told if each.get("event") == 1]
    seen = [
        (each["type"], each["object"]["metadata"]["name"])
        for each in events
        if each["object"]["metadata"]["name"] == "one"
    ]
    assert seen == [("ADDED", "one"), ("DELETED", "one")]
    assert told[-1] == {"end": 1}
    order = [next(iter(each)) for each in told]
    assert order[:2] == ["request", "answer"]


async def test_requests_under_way_stand_beside_each_other(server: InProcess, tmp_path: Path) -> None:
    await server.call("PUT", "/quarterdeck/v1/faults/r", {"match": {"names": ["one"]}, "delay": {"seconds": 0.05}})
    await asyncio.gather(*(server.call("POST", MAPS, config_map(name)) for name in ("one", "two")))
    what = [next(iter(each.items())) for each in lines(tmp_path)]
    assert what == [("request", 1), ("request", 2), ("answer", 2), ("answer", 1)]
