"""The floor of an HTTP request in Python: uvloop and httptools answer fixed bytes, nothing is looked at.

python bench/floor/http_floor.py PORT [BYTES]
"""

from __future__ import annotations

import asyncio
import sys

import httptools
import uvloop


class Floor(asyncio.Protocol):
    answer = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport
        self._parser = httptools.HttpRequestParser(self)

    def data_received(self, data: bytes) -> None:
        self._parser.feed_data(data)

    def on_message_complete(self) -> None:
        self._transport.write(self.answer)


async def serve(port: int, size: int) -> None:
    head = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"
    Floor.answer = head % size + b"x" * size
    await asyncio.get_running_loop().create_server(Floor, "127.0.0.1", port)
    await asyncio.Event().wait()


if __name__ == "__main__":
    uvloop.run(serve(int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 600))
