"""GET /debug/snapshot: all that the store holds, while it is written. For who may do everything: Secrets are in it.

The answer has no length. One that breaks off (the store forgot the revision meanwhile, a damaged record, a shutdown) is
cut, so that the file has no end and nobody takes it for a snapshot.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from typing import Final

from quarterdeck.apimachinery import errors
from quarterdeck.storage.interface import StorageError
from quarterdeck.transport.messages import Request, Response, Stream, StreamWriter

PATH: Final = "/debug/snapshot"
AT_ONCE_MAX: Final = 2
_LOG: Final = logging.getLogger(__name__)


class SnapshotPath:
    """`begin` takes a snapshot: the pieces of its file."""

    def __init__(self, begin: Callable[[], AsyncIterator[bytes]]) -> None:
        self._begin = begin
        self.under_way = 0

    def __call__(self, request: Request) -> Response | None:
        if request.path != PATH:
            return None
        if request.method != "GET":
            raise errors.MethodNotAllowed("the server does not allow this method on the requested resource", {})
        if self.under_way >= AT_ONCE_MAX:
            raise errors.TooManyRequests("other snapshots are being taken, please try again later", {})
        return _SnapshotStream(self)

    def begin(self) -> AsyncIterator[bytes]:
        return self._begin()


class RefusedSnapshotPath:
    """Where resources are kept in several stores: there is no revision of all."""

    def __call__(self, request: Request) -> Response | None:
        if request.path == PATH:
            raise errors.BadRequest("resources are kept in several etcds: there is no snapshot as of one revision")
        return None


class _SnapshotStream(Stream):
    """Counts among those under way from its first piece to its end."""

    __slots__ = ("_path", "_room", "_task", "_writer")

    def __init__(self, path: SnapshotPath) -> None:
        super().__init__(200, [("Content-Type", "application/octet-stream"), ("Cache-Control", "no-cache, private")])
        self._path = path
        self._room = asyncio.Event()
        self._writer: StreamWriter | None = None
        self._task: asyncio.Task[None] | None = None

    def opened(self, writer: StreamWriter) -> None:
        self._writer = writer
        self._path.under_way += 1
        self._task = asyncio.get_running_loop().create_task(self._send())

    def resumed(self) -> None:
        self._room.set()

    def closed(self) -> None:
        self._writer = None
        if self._task is not None:
            self._path.under_way -= 1
            self._task.cancel()
            self._task = None

    async def _send(self) -> None:
        try:
            async for piece in self._path.begin():
                writer = self._writer
                if writer is None:
                    return
                self._room.clear()
                writer.write(piece)
                while writer.is_paused:
                    await self._room.wait()
                    self._room.clear()
        except StorageError as error:
            _LOG.error("a snapshot is given up: %s", error)
            self._abort()
        except Exception:  # noqa: BLE001 - a bug: whoever waits for the rest must not wait for ever
            _LOG.exception("a snapshot is given up")
            self._abort()
        else:
            if self._writer is not None:
                self._writer.end()

    def _abort(self) -> None:
        if self._writer is not None:
            self._writer.abort()
