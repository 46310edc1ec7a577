"""The body of an answer in lines, while it comes. What waits is bounded: a server that is quicker than its reader is
held up, and a line without end ends the answer.
"""

from __future__ import annotations

import asyncio
from typing import Final

from quarterdeck.transport.client.failures import CallFailed
from quarterdeck.transport.client.streamed import WINDOW_BYTES, StreamedAnswer

LINE_BYTES_MAX: Final = 8 * 1024 * 1024
ERROR_BYTES_MAX: Final = 64 * 1024


class LineReader:
    """Takes what `answer` delivers; the answer is its caller's to abort."""

    def __init__(self, answer: StreamedAnswer) -> None:
        self._answer = answer
        self._buffer = bytearray()
        self._searched = 0
        self._is_ended = False
        self._is_paused = False
        self._failure: CallFailed | None = None
        self._came = asyncio.Event()
        answer.deliver(self._take, self._end)

    async def line(self) -> bytes | None:
        """The next one that is not empty; None behind the last. Raises CallFailed."""
        while True:
            end = self._buffer.find(b"\n", self._searched)
            if end >= 0:
                found = bytes(self._buffer[:end])
                del self._buffer[: end + 1]
                self._searched = 0
                if found.strip():
                    return found
                continue
            self._searched = len(self._buffer)
            if self._searched > LINE_BYTES_MAX:
                raise CallFailed(f"a line exceeds {LINE_BYTES_MAX} bytes", has_status=True)
            if not await self._more():
                return bytes(self._buffer) if self._buffer.strip() else None

    async def rest(self) -> bytes:
        """All that is left, as far as anybody wants to know. Raises CallFailed."""
        while len(self._buffer) < ERROR_BYTES_MAX and await self._more():
            pass
        return bytes(self._buffer[:ERROR_BYTES_MAX])

    async def _more(self) -> bool:
        """False: nothing more comes. Raises CallFailed."""
        if self._is_ended:
            if self._failure is not None:
                raise self._failure
            return False
        self._came.clear()
        if self._is_paused:
            self._is_paused = False
            self._answer.resume()
        await self._came.wait()
        return True

    def _take(self, piece: bytes) -> None:
        self._buffer += piece
        if len(self._buffer) > WINDOW_BYTES and not self._is_paused:
            self._is_paused = True
            self._answer.pause()
        self._came.set()

    def _end(self, failure: CallFailed | None) -> None:
        self._failure = failure
        self._is_ended = True
        self._came.set()
