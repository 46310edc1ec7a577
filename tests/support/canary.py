"""A client that asks for something small again and again, in a process of its own, and times each answer.

Run as a program with a port it asks until its standard input is closed, then prints a JSON list of [when, how long],
both in seconds; `Canary` starts it and reads that.
"""

from __future__ import annotations

import json
import select
import socket
import subprocess
import sys
import time
from pathlib import Path
from types import TracebackType

_PAUSE_S = 0.002
_ASK = b"GET /api/v1/namespaces/default HTTP/1.1\r\nHost: localhost\r\n\r\n"


class Canary:
    """`waits`: (when, how long) of each answer, by time.monotonic(); there when the block has ended."""

    def __init__(self, port: int) -> None:
        self._port = port
        self.waits: list[tuple[float, float]] = []

    def __enter__(self) -> Canary:
        self._process = subprocess.Popen(
            [sys.executable, str(Path(__file__)), str(self._port)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        output, _ = self._process.communicate(timeout=60)
        if kind is None:
            self.waits = [(at, wait) for at, wait in json.loads(output)]

    def longest_s(self, begin: float, end: float) -> float:
        """The longest wait that began in this time."""
        return max((wait for at, wait in self.waits if begin <= at <= end), default=0.0)


def _ask_until_closed(port: int) -> list[tuple[float, float]]:
    waits = []
    with socket.create_connection(("127.0.0.1", port)) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        while not select.select([sys.stdin], [], [], _PAUSE_S)[0]:
            begin = time.monotonic()
            connection.sendall(_ASK)
            head, _, body = connection.recv(1 << 16).partition(b"\r\n\r\n")
            length = int(head.lower().split(b"content-length: ")[1].split(b"\r\n")[0])
            while len(body) < length:
                body += connection.recv(1 << 16)
            waits.append((begin, time.monotonic() - begin))
    return waits


if __name__ == "__main__":
    print(json.dumps(_ask_until_closed(int(sys.argv[1]))))
