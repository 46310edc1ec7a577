"""A server on the loopback whose every connection is handled by the test, for clients to be tested against."""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

from cryptography import x509

from support.certificates import SERVER, Certificate

Handler = Callable[["Origin", asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]

LOCALHOST = (x509.DNSName("localhost"), x509.IPAddress(ipaddress.ip_address("127.0.0.1")))


class Origin:
    """`connections` and `requests` count what has come."""

    def __init__(self) -> None:
        self.port = 0
        self.connections = 0
        self.requests = 0
        self.heads: list[bytes] = []
        self.bodies: list[bytes] = []

    async def read_request(self, reader: asyncio.StreamReader) -> bytes:
        """The body of the next request. Raises IncompleteReadError at the end."""
        head = await reader.readuntil(b"\r\n\r\n")
        length = next(
            int(line.split(b":")[1]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:")
        )
        body = await reader.readexactly(length)
        self.requests += 1
        self.heads.append(head)
        self.bodies.append(body)
        return body


def server_context(certificate: Certificate, folder: Path) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*certificate.write(folder))
    return context


def certificate_for(
    *names: x509.GeneralName, issuer: Certificate | None = None, days: tuple[int, int] = (-1, 1)
) -> Certificate:
    return Certificate("origin", issuer=issuer, names=names, usages=(SERVER,), days=days)


@contextlib.asynccontextmanager
async def serving(handle: Handler, context: ssl.SSLContext | None = None) -> AsyncIterator[Origin]:
    """`handle` may end in any way; its connection is closed then."""
    origin = Origin()
    tasks: set[asyncio.Task[None]] = set()

    async def run(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        origin.connections += 1
        task = asyncio.current_task()
        assert task is not None
        tasks.add(task)
        try:
            await handle(origin, reader, writer)
        except (asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError):
            pass
        finally:
            tasks.discard(task)
            writer.close()

    server = await asyncio.start_server(run, "127.0.0.1", 0, ssl=context)
    origin.port = server.sockets[0].getsockname()[1]
    try:
        yield origin
    finally:
        server.close()
        for task in tuple(tasks):
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def answering(*answers: bytes, then_close: bool = False) -> Handler:
    """Each request of a connection gets the next answer, the last one again and again."""

    async def handle(origin: Origin, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        turn = 0
        while True:
            await origin.read_request(reader)
            writer.write(answers[min(turn, len(answers) - 1)])
            await writer.drain()
            turn += 1
            if then_close and turn == len(answers):
                return

    return handle
