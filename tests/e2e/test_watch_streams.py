"""Watches of a real server: histories over HTTP under concurrent writers, and a client that stops reading."""

from __future__ import annotations

import asyncio
import http.client
import itertools
import json
import random
import ssl
import time
from collections.abc import Iterator
from typing import Any

import pytest

from quarterdeck.cmd.kubeconfig import load as load_kubeconfig
from support.server import Server
from support.waiting import PATIENCE_S, until
from support.watch_history import Told, WatchHistory, Write, check, parse_events, unframe

pytestmark = pytest.mark.e2e

GROUP = "streams.quarterdeck.dev"
COLLECTION = f"/apis/{GROUP}/v1/widgets"
DEFINITION: dict[str, Any] = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": f"widgets.{GROUP}"},
    "spec": {
        "group": GROUP,
        "scope": "Namespaced",
        "names": {"plural": "widgets", "singular": "widget", "kind": "Widget", "listKind": "WidgetList"},
        "versions": [
            {
                "name": version,
                "served": True,
                "storage": version == "v1",
                "schema": {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}},
            }
            for version in ("v1", "v2")
        ],
    },
}


class Connection:
    """A keep-alive connection for plain requests."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._lock = asyncio.Lock()
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def call(self, method: str, path: str, body: object = None) -> tuple[int, Any]:
        async with self._lock:
            if self._streams is None:
                self._streams = await asyncio.open_connection("127.0.0.1", self._port, limit=1 << 22)
            reader, writer = self._streams
            data = json.dumps(body).encode() if body is not None else b""
            content = "Content-Type: application/json\r\n"
            writer.write(
                f"{method} {path} HTTP/1.1\r\nHost: localhost\r\n{content}Content-Length: {len(data)}\r\n\r\n".encode()
            )
            writer.write(data)
            head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
            length = int(head.split("content-length:")[1].split("\r\n")[0])
            return int(head.split()[1]), json.loads(await reader.readexactly(length) or b"null")

    def close(self) -> None:
        if self._streams is not None:
            self._streams[1].close()


class Stream:
    """A watch that keeps every byte of its body. `is_ended` when the server has finished it."""

    def __init__(self, port: int, path: str, *, slow: bool = False, tls: ssl.SSLContext | None = None) -> None:
        self._port, self._path, self._slow, self._tls = port, path, slow, tls
        self.body = bytearray()
        self.is_ended = False
        self.arrivals: list[float] = []
        self.task: asyncio.Task[None] | None = None

    async def open(self) -> Stream:
        limit = 1 << 12 if self._slow else 1 << 20
        self.reader, self.writer = await asyncio.open_connection("127.0.0.1", self._port, limit=limit, ssl=self._tls)
        self.writer.write(f"GET {self._path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        head = await self.reader.readuntil(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 200"), head
        return self

    def start(self) -> Stream:
        self.task = asyncio.ensure_future(self._read())
        return self

    async def _read(self) -> None:
        while not self.body.endswith(b"0\r\n\r\n"):
            data = await self.reader.read(1 << 16)
            if not data:
                break
            self.body += data
            self.arrivals.append(time.monotonic())
            if self._slow:
                await asyncio.sleep(0.01)
        self.is_ended = True

    @property
    def events(self) -> list[Told]:
        return parse_events(unframe(bytes(self.body)))

    async def close(self) -> None:
        if self.task is not None:
            self.task.cancel()
        self.writer.close()


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with Server() as running:
        yield running


@pytest.fixture(scope="module")
def port(server: Server) -> int:
    async def define() -> None:
        connection = Connection(server.plain_port)
        status, body = await connection.call(
            "POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", DEFINITION
        )
        assert status == 201, body
        end = time.monotonic() + PATIENCE_S
        while True:
            path = f"/apis/{GROUP}/v1/namespaces/default/widgets"
            try:
                status, _ = await connection.call("GET", path)
            except ValueError:  # plain text: not served yet
                status = 404
            if status == 200:
                break
            assert time.monotonic() < end
            await asyncio.sleep(0.02)
        connection.close()

    asyncio.run(define())
    return server.plain_port


def make_object(name: str, app: str, **spec: Any) -> dict[str, Any]:
    metadata = {"name": name, "labels": {"app": app}}
    return {"apiVersion": f"{GROUP}/v1", "kind": "Widget", "metadata": metadata, "spec": spec}


async def write(port: int, rng: random.Random, count: int, acknowledged: dict[int, str]) -> None:
    connection = Connection(port)
    for n in range(count):
        name = f"w{rng.randrange(8)}"
        collection = f"/apis/{GROUP}/v1/namespaces/default/widgets"
        choice = rng.random()
        if choice < 0.3:
            await connection.call("DELETE", f"{collection}/{name}")
            continue
        status, found = await connection.call("GET", f"{collection}/{name}")
        obj = make_object(name, rng.choice("12"), n=n)
        if status == 200:
            obj["metadata"]["resourceVersion"] = found["metadata"]["resourceVersion"]
            status, answer = await connection.call("PUT", f"{collection}/{name}", obj)
        else:
            status, answer = await connection.call("POST", collection, obj)
        if status in (200, 201):
            acknowledged[int(answer["metadata"]["resourceVersion"])] = name
    connection.close()


def matches_app(path: str, obj: dict[str, Any]) -> bool:
    return bool(obj["metadata"].get("labels", {}).get("app") == "1")


async def write_for_all(connection: Connection) -> int:
    """The revision of a write that all of KINDS see: an object of one app becomes the other's."""
    path = f"/apis/{GROUP}/v1/namespaces/default/widgets"
    await connection.call("DELETE", f"{path}/w3")
    status, obj = await connection.call("POST", path, make_object("w3", "1"))
    assert status == 201, obj
    obj["metadata"]["labels"]["app"] = "2"
    status, obj = await connection.call("PUT", f"{path}/w3", obj)
    assert status == 200, obj
    return int(obj["metadata"]["resourceVersion"])


KINDS: list[tuple[str, Any]] = [
    ("", lambda path, obj: True),
    ("&labelSelector=app%3D1", matches_app),
    ("&labelSelector=app!%3D1", lambda path, obj: not matches_app(path, obj)),
    ("&fieldSelector=metadata.name%3Dw3", lambda path, obj: path == "default/w3"),
]


def test_histories_of_a_hundred_watchers_over_http_and_tls(server: Server, port: int) -> None:
    secure = load_kubeconfig(server.kubeconfig)

    async def body() -> None:
        rng = random.Random(5)
        connection = Connection(port)
        _, listed = await connection.call("GET", COLLECTION)
        begin = int(listed["metadata"]["resourceVersion"])
        witness = (await Stream(port, f"{COLLECTION}?watch=true&resourceVersion={begin}").open()).start()
        acknowledged: dict[int, str] = {}
        writers = [asyncio.ensure_future(write(port, random.Random(n), 60, acknowledged)) for n in range(8)]
        opened: list[tuple[Stream, WatchHistory]] = []
        for n in range(100):
            selector, matches = rng.choice(KINDS)
            version = rng.choice(["v1", "v1", "v2"])
            query = f"/apis/{GROUP}/{version}/widgets?watch=true{selector}"
            if n % 3:
                history = WatchHistory(matches, begin)
                query += f"&resourceVersion={begin}"
            else:
                history = WatchHistory(matches, begin, begin, wants_end_bookmark=True)
                query += "&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true"
            tls = secure.tls if n % 4 < 2 else None
            stream = await Stream(secure.port if tls else port, query, slow=n % 10 == 0, tls=tls).open()
            opened.append((stream.start(), history))
            await asyncio.sleep(0)
        await asyncio.gather(*writers)
        last = await write_for_all(connection)
        streams = [witness, *(stream for stream, _ in opened)]
        await until(lambda: all(stream.events and stream.events[-1].revision >= last for stream in streams))
        writes = [
            Write(event.revision, event.path, None if event.type == "DELETED" else event.obj)
            for event in witness.events
        ]
        assert set(acknowledged) <= {one.revision for one in writes if one.obj is not None}
        assert len(writes) > 100
        problems = []
        for stream, history in opened:
            history.told, history.is_quiet = stream.events, True
            problems += check(history, writes)
            await stream.close()
        await witness.close()
        connection.close()
        assert not problems, problems[:10]

    asyncio.run(body())


@pytest.mark.parametrize("is_secure", [False, True], ids=["plain", "tls"])
def test_a_client_that_stops_reading_is_ended_and_the_others_do_not_notice(
    server: Server, port: int, is_secure: bool
) -> None:
    secure = load_kubeconfig(server.kubeconfig)
    tls, streams_port = (secure.tls, secure.port) if is_secure else (None, port)

    async def body() -> None:
        connection = Connection(port)
        collection = f"/apis/{GROUP}/v1/namespaces/default/widgets"
        name = f"big-{is_secure}".lower()
        status, obj = await connection.call("POST", collection, make_object(name, "slow"))
        assert status == 201
        revision = obj["metadata"]["resourceVersion"]
        path = f"{collection}?watch=true&labelSelector=app%3Dslow&resourceVersion={revision}"
        stuck = await Stream(streams_port, path, slow=True, tls=tls).open()
        healthy = [(await Stream(streams_port, path, tls=tls).open()).start() for _ in range(2)]
        events = 50
        for n in range(events):
            obj["spec"] = {"n": n, "padding": "x" * 1_000_000}
            status, obj = await connection.call("PUT", f"{collection}/{name}", obj)
            assert status == 200, obj
        end = time.monotonic() + PATIENCE_S
        while any(stream.body.count(b'"type":"MODIFIED"') < events for stream in healthy):
            assert time.monotonic() < end
            await asyncio.sleep(0.1)
        # What was on its way to the stuck client is all that it gets, then the end.
        stuck.start()
        stuck._slow = False
        assert stuck.task is not None
        await asyncio.wait_for(stuck.task, PATIENCE_S)
        told = [event.revision for event in stuck.events]
        assert told == [event.revision for event in healthy[0].events][: len(told)]
        assert len(told) < events
        for stream in healthy:
            assert not stream.is_ended
            await stream.close()
        connection.close()

    asyncio.run(body())


def count_watches(metrics: str) -> int:
    found = [line for line in metrics.splitlines() if line.startswith("apiserver_longrunning_requests{")]
    return sum(int(line.rsplit(" ", 1)[1]) for line in found if 'verb="WATCH"' in line and f'group="{GROUP}"' in line)


@pytest.mark.parametrize("is_secure", [False, True], ids=["plain", "tls"])
def test_a_client_that_stops_reading_is_let_go_in_time(server: Server, port: int, is_secure: bool) -> None:
    """So few events that its ring would take them forever: the time decides (of which test_http1_timeouts tells)."""
    secure = load_kubeconfig(server.kubeconfig)
    tls, streams_port = (secure.tls, secure.port) if is_secure else (None, port)

    def scrape() -> int:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE_S)
        connection.request("GET", "/metrics")
        text = connection.getresponse().read().decode()
        connection.close()
        return count_watches(text)

    async def body() -> None:
        connection = Connection(port)
        collection = f"/apis/{GROUP}/v1/namespaces/default/widgets"
        name = f"stop-{is_secure}".lower()
        status, obj = await connection.call("POST", collection, make_object(name, name))
        assert status == 201
        query = f"watch=true&labelSelector=app%3D{name}&resourceVersion={obj['metadata']['resourceVersion']}"
        stuck = await Stream(streams_port, f"{collection}?{query}", slow=True, tls=tls).open()
        healthy = (await Stream(streams_port, f"{collection}?{query}", tls=tls).open()).start()
        obj["spec"]["padding"] = "x" * 2_900_000
        end = time.monotonic() + PATIENCE_S
        for n in itertools.count():
            obj["spec"]["n"] = n
            if n < 5:  # as much as sockets and buffers take
                status, obj = await connection.call("PUT", f"{collection}/{name}", obj)
                assert status == 200, obj
            if await asyncio.to_thread(scrape) == 1:
                break
            assert time.monotonic() < end
            await asyncio.sleep(0.1)
        assert not healthy.is_ended
        await stuck.close()
        await healthy.close()
        connection.close()

    asyncio.run(body())
