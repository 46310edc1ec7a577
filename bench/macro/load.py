"""A client that keeps N connections busy with requests made by a function, on plain sockets; it counts, not times.

The serving process's CPU time is what is measured: the client may be slow, it only has to keep the server busy.
"""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

MakeRequest = Callable[[int], bytes]  # the number of the request


class Counted(NamedTuple):
    requests: int
    failures: int
    cpu_us: float  # of the serving process, for each request


def build_request(method: str, path: str, body: object = None, content_type: str = "application/json") -> bytes:
    data = b"" if body is None else json.dumps(body).encode()
    head = [f"{method} {path} HTTP/1.1", "Host: 127.0.0.1", "User-Agent: bench/1.0", "Accept: application/json"]
    if data:
        head += [f"Content-Type: {content_type}", f"Content-Length: {len(data)}"]
    return "\r\n".join(head).encode() + b"\r\n\r\n" + data


def cpu_seconds(process_id: int) -> float:
    """What the living threads of a process have run so far: the scheduler's count, in nanoseconds. That of
    /proc/PID/stat goes by ticks of 10 ms, too coarse for a floor of 10 µs."""
    threads = Path(f"/proc/{process_id}/task").iterdir()
    return sum(int((thread / "schedstat").read_text().split()[0]) for thread in threads) / 1e9


def resident_mib(process_id: int) -> float:
    pages = int(Path(f"/proc/{process_id}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


async def run(
    port: int, process_id: int, make: MakeRequest, *, requests: int, connections: int, first: int = 0
) -> Counted:
    """Send `requests` requests, numbered from `first`, over `connections` connections, one at a time on each."""
    numbers = iter(range(first, first + requests))
    failures = 0

    async def work() -> None:
        nonlocal failures
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        for number in numbers:
            writer.write(make(number))
            head = await reader.readuntil(b"\r\n\r\n")
            status = int(head[9:12])
            failures += status >= 300
            begin = head.lower().index(b"content-length:") + 15
            length = int(head[begin : head.index(b"\r\n", begin)])
            if length:
                await reader.readexactly(length)
        writer.close()

    before = cpu_seconds(process_id)
    await asyncio.gather(*(work() for _ in range(connections)))
    used = cpu_seconds(process_id) - before
    return Counted(requests, failures, used * 1e6 / requests)
