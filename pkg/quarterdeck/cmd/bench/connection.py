"""One HTTP/1.1 connection of the load: bytes of a request out, status and body of its answer in."""

from __future__ import annotations

import asyncio
from typing import Final, cast

from quarterdeck.cmd.bench.messages import JSON, Answer, Request, Unreachable
from quarterdeck.cmd.client import RequestError
from quarterdeck.cmd.kubeconfig import Target

_HEAD_END: Final = b"\r\n\r\n"
_HEAD_BYTES_MAX: Final = 65536


class Connection(asyncio.Protocol):
    """One request at a time. `exchange` fails with RequestError when the connection is lost."""

    def __init__(self, target: Target) -> None:
        lines = "".join(f"{name}: {value}\r\n" for name, value in target.headers.items())
        self._head = f" HTTP/1.1\r\nHost: {target.host}:{target.port}\r\nAccept: {JSON}\r\n{lines}"
        self._transport: asyncio.Transport | None = None
        self._waiting: asyncio.Future[Answer] | None = None
        self._buffer = bytearray()
        self._body = -1  # where it begins; -1: the head is not complete
        self._size = -1  # of the body; -1: it comes in chunks
        self._status = 0
        self._looked = 0  # chunks were found up to here
        self._chunks: list[bytes] = []

    @property
    def is_usable(self) -> bool:
        return self._transport is not None and not self._transport.is_closing()

    async def exchange(self, request: Request) -> Answer:
        if self._transport is None or not self.is_usable:
            raise RequestError("the server has closed a connection")
        self._waiting = asyncio.get_running_loop().create_future()
        self._transport.write(self._encode(request))
        try:
            return await self._waiting
        except asyncio.CancelledError:
            self.close()  # what still comes would be taken for the answer to the next request
            raise

    def close(self) -> None:
        if self._transport is not None:
            self._transport.close()

    def _encode(self, request: Request) -> bytes:
        head = f"{request.method} {request.path}{self._head}"
        if not request.content_type:
            return (head + "\r\n").encode()
        size = len(request.body)
        return f"{head}Content-Type: {request.content_type}\r\nContent-Length: {size}\r\n\r\n".encode() + request.body

    # - asyncio's side

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)  # uvloop's are none by inheritance

    def connection_lost(self, exc: Exception | None) -> None:
        self._transport = None
        if self._waiting is not None and not self._waiting.done():
            self._waiting.set_exception(RequestError(f"the server closed a connection: {exc or 'without an answer'}"))

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        try:
            complete = (self._body >= 0 or self._read_head()) and self._read_body()
        except (ValueError, IndexError):
            self._fail("the server's answer is no HTTP/1.1")
            return
        if complete and self._waiting is not None and not self._waiting.done():
            self._waiting.set_result((self._status, b"".join(self._chunks)))
            del self._buffer[:]
            self._chunks, self._body, self._size = [], -1, -1

    def _fail(self, reason: str) -> None:
        if self._waiting is not None and not self._waiting.done():
            self._waiting.set_exception(RequestError(reason))
        self.close()

    def _read_head(self) -> bool:
        end = self._buffer.find(_HEAD_END)
        if end < 0:
            if len(self._buffer) > _HEAD_BYTES_MAX:
                raise ValueError
            return False
        first, *lines = bytes(self._buffer[:end]).split(b"\r\n")
        self._status = int(first.split(b" ")[1])
        self._body = self._looked = end + len(_HEAD_END)
        for line in lines:
            name, _, value = line.partition(b":")
            if name.lower() == b"content-length":
                self._size = int(value)
        if self._status == 204:
            self._size = 0
        return True

    def _read_body(self) -> bool:
        """Whether all of it is there."""
        if self._size >= 0:
            if len(self._buffer) < self._body + self._size:
                return False
            self._chunks.append(bytes(self._buffer[self._body : self._body + self._size]))
            return True
        while (end := self._buffer.find(b"\r\n", self._looked)) >= 0:
            size = int(bytes(self._buffer[self._looked : end]).split(b";")[0], 16)
            after = end + 2 + size + 2
            if len(self._buffer) < after:
                return False
            if not size:
                return True
            self._chunks.append(bytes(self._buffer[end + 2 : end + 2 + size]))
            self._looked = after
        return False


async def connect(target: Target) -> Connection:
    """Raises Unreachable."""
    loop = asyncio.get_running_loop()
    try:
        _, connection = await loop.create_connection(
            lambda: Connection(target),
            target.host,
            target.port,
            ssl=target.tls,
            server_hostname=target.server_name if target.tls is not None else None,
        )
    except OSError as error:
        raise Unreachable(f"cannot reach {target.url}: {error}") from error
    return connection
