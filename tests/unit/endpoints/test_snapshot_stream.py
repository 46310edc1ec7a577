"""A snapshot that cannot go on, for whatever reason, is cut: nobody waits for the rest of it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import cast

import pytest

from quarterdeck.endpoints.snapshots import PATH, SnapshotPath
from quarterdeck.storage.interface import StoreFailed
from quarterdeck.transport.messages import ConnectionInfo, Request, Stream, StreamWriter
from support.waiting import PATIENCE_S


class Writer:
    """What a stream of a snapshot uses of a StreamWriter."""

    def __init__(self) -> None:
        self.told: list[object] = []
        self.is_over = asyncio.Event()

    @property
    def is_paused(self) -> bool:
        return False

    def write(self, data: bytes) -> None:
        self.told.append(data)

    def end(self) -> None:
        self.told.append("end")
        self.is_over.set()

    def abort(self) -> None:
        self.told.append("abort")
        self.is_over.set()


async def send(error: Exception | None) -> tuple[list[object], int]:
    async def pieces() -> AsyncIterator[bytes]:
        yield b"piece"
        if error is not None:
            raise error

    path = SnapshotPath(pieces)
    stream = path(Request("GET", PATH, "", {}, b"", ConnectionInfo("", is_secure=True)))
    assert isinstance(stream, Stream)
    writer = Writer()
    stream.opened(cast(StreamWriter, writer))
    await asyncio.wait_for(writer.is_over.wait(), PATIENCE_S)
    stream.closed()
    return writer.told, path.under_way


@pytest.mark.parametrize(
    ("error", "last"), [(None, "end"), (StoreFailed("it is gone"), "abort"), (ZeroDivisionError(), "abort")]
)
def test_a_snapshot_ends_or_is_cut(error: Exception | None, last: str) -> None:
    assert asyncio.run(send(error)) == ([b"piece", last], 0)
