"""The way of bytes to one client, plain or TLS: the part of asyncio's transports that is used here."""

from __future__ import annotations

import asyncio
from typing import Any, Protocol


class Channel(Protocol):
    def set_protocol(self, protocol: asyncio.BaseProtocol) -> None:
        """Who is told of what happens on the connection from now on."""

    def write(self, data: bytes) -> None: ...

    def write_sealed(self, records: bytes) -> None:
        """Records of the connection's own TLS, which a direct send could not place. Only where there is TLS."""

    def write_eof(self) -> None:
        """Nothing more comes from this side; what the other side still sends is read to its end."""

    def close(self) -> None:
        """Close when everything is written."""

    def abort(self) -> None:
        """Close now."""

    def is_closing(self) -> bool: ...

    def pause_reading(self) -> None: ...

    def resume_reading(self) -> None: ...

    def get_write_buffer_size(self) -> int: ...

    def set_write_buffer_limits(self, high: int | None = None, low: int | None = None) -> None: ...

    def get_extra_info(self, name: str, default: Any = None) -> Any: ...


def remote_address(channel: Channel) -> str:
    """The client's address without its port; empty where there is none (any more)."""
    peer = channel.get_extra_info("peername")
    return peer[0] if isinstance(peer, tuple) else ""
