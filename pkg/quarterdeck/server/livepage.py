"""Wiring of the live page: a port of its own on the loopback interface, with a gate before the API. Loaded where asked
for."""

from __future__ import annotations

import errno
import socket
import sys
from dataclasses import replace
from pathlib import Path
from typing import Final

from quarterdeck.livepage import address, files
from quarterdeck.livepage.application import PageApplication
from quarterdeck.server.files import PRIVATE, write_atomically
from quarterdeck.transport.limits import Limits
from quarterdeck.transport.messages import Application
from quarterdeck.transport.server import HTTPServer, bind

_LOOPBACK: Final = "127.0.0.1"
# A browser opens six. Whoever is on the machine may connect, and is to take up no more.
_CONNECTIONS_MAX: Final = 256


class LivePage:
    """From `open` to `close`."""

    def __init__(self, listener: socket.socket, told: address.Address, file: Path) -> None:
        self._listener = listener
        self._told = told
        self._file = file
        self._http: HTTPServer | None = None

    @classmethod
    def open(cls, folder: Path, port: int) -> LivePage:
        """`port` 0: that of the server that was here before, where nobody else has it now. Raises OSError."""
        known = address.read(folder)
        listener = bind(_LOOPBACK, port) if port else _bind_again(known.port)
        told = known._replace(port=listener.getsockname()[1])
        return cls(listener, told, folder / address.FILE)

    async def listen(self, application: Application, limits: Limits) -> str:
        """What is to be told to whoever starts the server: the address where a person reads it, which is no log."""
        few = replace(limits, connections_max=_CONNECTIONS_MAX, body_bytes_max=0)
        self._http = HTTPServer(PageApplication(application, self._told.token, files.load()), few)
        write_atomically(self._file, f"{self._told.url}\n".encode(), PRIVATE)
        await self._http.listen(self._listener)
        shown = self._told.url if sys.stdout.isatty() else f"its address is in {self._file}"
        return f"live page: {shown}"

    async def drain(self, grace_s: float) -> bool:
        return self._http is None or await self._http.drain(grace_s)

    def close(self) -> None:
        self._listener.close()


def _bind_again(port: int) -> socket.socket:
    try:
        return bind(_LOOPBACK, port)
    except OSError as error:
        if not port or error.errno not in (errno.EADDRINUSE, errno.EACCES):
            raise
        return bind(_LOOPBACK, 0)
