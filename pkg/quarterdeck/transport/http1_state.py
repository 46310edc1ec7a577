"""The state of one HTTP/1.x connection, which both of its halves share (http1.py draws it)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from quarterdeck._kernels.http1 import LastFields
from quarterdeck._kernels.tlssealer import Sealer
from quarterdeck.transport import bodies, stalls
from quarterdeck.transport.channel import Channel
from quarterdeck.transport.connections import Connections
from quarterdeck.transport.incoming import IncomingBody, IncomingHead
from quarterdeck.transport.messages import ConnectionInfo, Parked, Request, Stream
from quarterdeck.transport.phases import HEAD, NEVER
from quarterdeck.transport.streams import HTTP1StreamWriter


class HTTP1State(asyncio.Protocol):
    """`_phase` is one of phases.py; `deadline` is when the server has to `expire` the connection (its clock)."""

    __slots__ = (
        "_body_bytes",
        "_build_sealer",
        "_channel",
        "_compressed",
        "_connection",
        "_flags",
        "_incoming_body",
        "_incoming_head",
        "_is_ended",
        "_is_paused",
        "_is_reading_paused",
        "_is_working",
        "_last_fields",
        "_on_end",
        "_parked",
        "_pending",
        "_phase",
        "_pump",
        "_request",
        "_server",
        "_socket",
        "_stall",
        "_stream",
        "_task",
        "_writer",
        "deadline",
    )

    _build_sealer: Callable[[], Sealer | None] | None
    _channel: Channel
    _connection: ConnectionInfo

    def __init__(self, server: Connections) -> None:
        self._server = server
        self._phase = HEAD
        self._incoming_head: IncomingHead | None = None
        self._flags = 0
        self._last_fields = LastFields()
        self._body_bytes = 0  # of its own among all bodies that are in flight
        self._incoming_body: IncomingBody | None = None
        self._request: Request | None = None
        self._pending = b""
        self._is_paused = False
        self._is_reading_paused = False
        self._is_ended = False
        self._task: asyncio.Task[None] | None = None
        self._parked: Parked | None = None  # what is waited for without a task
        self._on_end: Callable[[], None] | None = None  # who waits for the answer to be sent
        self._is_working = False  # the task is the application's, which may be told that it is late
        self._pump: bodies.BodyPump | None = None
        self._compressed: bodies.CompressedBody | None = None
        self._stream: Stream | None = None
        self._writer: HTTP1StreamWriter | None = None
        self._socket = -1
        self._stall: stalls.Stall | None = None  # of a stream's client that is behind
        self.deadline = NEVER
