"""Writers and watchers of several servers, any of which may go at any time: each goes on at another one.

A watcher goes on from the last resourceVersion that it was told, so that all it hears is one watch. What was written is
read from the store at the end; the history is judged by support/watch_history.py.
"""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import Callable, Iterable
from typing import Any, Final

from support.watch_history import Told, WatchHistory, parse_events

NAMESPACE: Final = "watched"
PATH: Final = f"/api/v1/namespaces/{NAMESPACE}/configmaps"
PREFIX: Final = f"/registry/core/configmaps/{NAMESPACE}/"
COLORS: Final = ("red", "green", "blue")
_OPEN_S: Final = 20.0
_PAUSE_S: Final = 0.05

PickPort = Callable[[], int]


async def ask(port: int, method: str, path: str, body: Any = None) -> tuple[int, Any]:
    """Raises OSError, EOFError and TimeoutError where the server goes."""
    async with asyncio.timeout(_OPEN_S):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        try:
            data = b"" if body is None else json.dumps(body).encode()
            head = f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n"
            writer.write(f"{head}Content-Type: application/json\r\nContent-Length: {len(data)}\r\n\r\n".encode() + data)
            status = await _read_head(reader)
            text = await reader.read()
            return status, json.loads(text)
        finally:
            writer.close()


async def _read_head(reader: asyncio.StreamReader) -> int:
    head = await reader.readuntil(b"\r\n\r\n")
    return int(head.split(b" ", 2)[1])


class Lines:
    """Events by their bytes: many watchers are told the same."""

    def __init__(self) -> None:
        self._known: dict[bytes, Told] = {}

    def read(self, line: bytes) -> Told:
        found = self._known.get(line)
        if found is None:
            found = self._known[line] = parse_events(line)[0]
        return found


class Watcher:
    """`color` None: everything. `expired`: how often its resourceVersion was too old for a server."""

    def __init__(self, pick_port: PickPort, lines: Lines, revision: int, color: str | None) -> None:
        self.history = WatchHistory(self._matches, after=revision)
        self.revision = revision
        self.opened = 0
        self.expired = 0
        self._pick_port = pick_port
        self._lines = lines
        self.color = color

    def _matches(self, _path: str, obj: dict[str, Any]) -> bool:
        return self.color is None or (obj["metadata"].get("labels") or {}).get("color") == self.color

    async def run(self) -> None:
        while True:
            try:
                await self._watch(self._pick_port())
            except (OSError, EOFError, TimeoutError, ValueError):
                await asyncio.sleep(_PAUSE_S)

    async def _watch(self, port: int) -> None:
        selector = f"&labelSelector=color={self.color}" if self.color else ""
        path = f"{PATH}?watch=1&allowWatchBookmarks=true&resourceVersion={self.revision}{selector}"
        async with asyncio.timeout(_OPEN_S):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
        try:
            writer.write(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode())
            async with asyncio.timeout(_OPEN_S):
                status = await _read_head(reader)
            if status != 200:
                raise OSError(f"a watch was answered {status}")
            self.opened += 1
            rest = b""
            while size := int(await reader.readuntil(b"\r\n"), 16):
                rest += await reader.readexactly(size)
                await reader.readexactly(2)
                *whole, rest = rest.split(b"\n")
                for line in whole:
                    self._take(line + b"\n")
        finally:
            writer.close()

    def _take(self, line: bytes) -> None:
        if line.startswith(b'{"type":"ERROR"'):
            if b'"code":410' in line:
                self.expired += 1
            raise OSError("the watch has ended")
        told = self._lines.read(line)
        self.history.told.append(told)
        self.revision = max(told.revision, self.revision)


class Writer:
    """Owns its objects. `acknowledged`: the revisions of its writes."""

    def __init__(self, pick_port: PickPort, number: int, pause_s: float) -> None:
        self.acknowledged: list[int] = []
        self.unanswered = 0
        self._pick_port = pick_port
        self._number = number
        self._pause_s = pause_s
        self._choose = random.Random(number)

    async def run(self) -> None:
        step = 0
        while True:
            step += 1
            try:
                await self._write(step)
            except (OSError, EOFError, TimeoutError, ValueError):
                self.unanswered += 1
                await asyncio.sleep(_PAUSE_S)
            await asyncio.sleep(self._pause_s)

    async def _write(self, step: int) -> None:
        port = self._pick_port()
        name = f"w{self._number}-{self._choose.randrange(10)}"
        status, live = await ask(port, "GET", f"{PATH}/{name}")
        if status == 404:
            await self._done(201, ask(port, "POST", PATH, self._build(name, step, {})))
        elif status != 200:
            raise OSError(f"a get was answered {status}")
        elif self._choose.random() < 0.2:
            status, _ = await ask(port, "DELETE", f"{PATH}/{name}")
            if status != 200:
                raise OSError(f"a deletion was answered {status}")
        else:
            await self._done(200, ask(port, "PUT", f"{PATH}/{name}", self._build(name, step, live["metadata"])))

    def _build(self, name: str, step: int, metadata: dict[str, Any]) -> dict[str, Any]:
        metadata = {**metadata, "name": name, "labels": {"color": self._choose.choice(COLORS)}}
        return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": {"step": str(step)}}

    async def _done(self, wanted: int, asking: Any) -> None:
        status, obj = await asking
        if status == wanted:
            self.acknowledged.append(int(obj["metadata"]["resourceVersion"]))
        elif status not in (404, 409):  # who did not hear of its last write meets it
            raise OSError(f"a write was answered {status}")


def spread(pick_port: PickPort, count: int, revision: int) -> list[Watcher]:
    lines = Lines()
    colors: Iterable[str | None] = (None, *COLORS)
    wanted = list(colors)
    return [Watcher(pick_port, lines, revision, wanted[number % len(wanted)]) for number in range(count)]
