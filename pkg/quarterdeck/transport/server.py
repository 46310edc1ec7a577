"""The server: listens, and makes a protocol for each connection."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from quarterdeck.transport.connections import Connections
from quarterdeck.transport.http1 import HTTP1Protocol
from quarterdeck.transport.limits import Limits
from quarterdeck.transport.messages import Application

if TYPE_CHECKING:
    from quarterdeck.transport.tls import TLSContext

_BACKLOG: Final = 4096


class HTTPServer(Connections):
    def __init__(
        self, application: Application, limits: Limits | None = None, clock: Callable[[], float] | None = None
    ) -> None:
        super().__init__(application, limits, clock)
        self._listeners: list[asyncio.Server] = []

    async def listen(self, listener: socket.socket, tls: TLSContext | None = None) -> None:
        """Accept connections of a bound socket, which belongs to the server from now on."""
        if tls is None:
            factory: Callable[[], asyncio.BaseProtocol] = self._build_plain
        else:
            from quarterdeck.transport.tls_protocol import TLSProtocol

            factory = lambda: TLSProtocol(self, tls)  # noqa: E731
        self._listeners.append(await self.loop.create_server(factory, sock=listener, backlog=_BACKLOG))

    def _build_plain(self) -> HTTP1Protocol:
        return HTTP1Protocol(self)

    async def drain(self, grace_s: float) -> bool:
        """Accept no more, let requests be answered and streams end. False: some had to be cut off after `grace_s`."""
        for listener in self._listeners:
            listener.close()
        self._listeners.clear()
        return await super().drain(grace_s)


def bind(address: str, port: int) -> socket.socket:
    """A listening TCP socket; OSError when the address is taken or not ours."""
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if family == socket.AF_INET6 and address == "::":
            listener.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
        listener.bind((address, port))
        # From here on clients that connect wait in the backlog until connections are accepted.
        listener.listen(_BACKLOG)
    except OSError:
        listener.close()
        raise
    listener.setblocking(False)
    return listener
