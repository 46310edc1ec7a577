"""A watch over a WebSocket: each event is a message. Browsers watch like that, which cannot read an answer in pieces.

What is wrong with the watch itself is answered before, as to any other. Text messages carry JSON, binary ones protobuf,
without the length before each event that a stream has. What the client sends is read and means nothing; its end is the
watch's, and the other way round. Many watchers of one kind share the encoding of an event, but each has its own write
of it, through the connection's tunnel: few clients watch like this.

Source: apiserver/pkg/endpoints/handlers/watch.go (HandleWS); golang.org/x/net/websocket/{hybi,server}.go.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator
from typing import Final

from websockets.protocol import OPEN, Protocol, Side

from quarterdeck._kernels.outlet import Outlet
from quarterdeck._kernels.tlssealer import Sealer
from quarterdeck.apimachinery.gourl import is_request_uri
from quarterdeck.endpoints import negotiation
from quarterdeck.storage.cacher import Watch
from quarterdeck.transport.fields import first_of
from quarterdeck.transport.messages import Headers, Response, Stream, StreamWriter
from quarterdeck.transport.streams import unframe
from quarterdeck.transport.tunnels import STATUS, Tunnel

_CHALLENGE: Final = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"  # RFC 6455, 1.3
_VERSION: Final = "13"
_NORMAL_CLOSURE: Final = 1000
_RECEIVED_BYTES_MAX: Final = 64 * 1024
_LENGTH_BYTES: Final = 4


def answer(headers: dict[str, str], watch: Watch, content_type: str) -> Response:
    """The watch, or what is wrong with the handshake, which ends it."""
    refused = _check(headers)
    if refused is not None:
        watch.closed()
        return refused
    return WebSocketStream(watch, _accept(headers), is_text=not content_type.startswith(negotiation.PROTOBUF))


def _check(headers: dict[str, str]) -> Response | None:
    if not headers.get("sec-websocket-key"):
        return _refuse(400, "mismatch challenge/response")
    if first_of(headers, "sec-websocket-version") != _VERSION:
        return _refuse(400, "missing or bad WebSocket Version", ("Sec-WebSocket-Version", _VERSION))
    origin = first_of(headers, "origin")
    if origin == "null" or not is_request_uri(origin):
        return _refuse(403, "")
    if len(_protocols(headers)) > 1:  # upstream hangs up
        return _refuse(400, "missing or bad WebSocket-Protocol")
    return None


def _refuse(status: int, text: str, *more: tuple[str, str]) -> Response:
    return Response(status, [*more, ("Connection", "close")], text.encode())


def _protocols(headers: dict[str, str]) -> list[str]:
    named = headers.get("sec-websocket-protocol", "").strip()
    return [each.strip() for each in named.split(",")] if named else []


def _accept(headers: dict[str, str]) -> Headers:
    digest = hashlib.sha1((first_of(headers, "sec-websocket-key") + _CHALLENGE).encode(), usedforsecurity=False)
    accepted: Headers = [
        ("Upgrade", "websocket"),
        ("Connection", "Upgrade"),
        ("Sec-WebSocket-Accept", base64.b64encode(digest.digest()).decode()),
    ]
    protocols = _protocols(headers)
    return [*accepted, ("Sec-WebSocket-Protocol", protocols[0])] if protocols else accepted


class WebSocketStream(Stream):
    """To the transport a stream, to the watch its writer."""

    __slots__ = ("_is_text", "_rest", "_socket", "_tunnel", "_watch")

    def __init__(self, watch: Watch, headers: Headers, *, is_text: bool) -> None:
        super().__init__(STATUS, headers)
        self._watch = watch
        self._is_text = is_text
        self._rest = b""
        self._socket = Protocol(Side.SERVER, state=OPEN, max_size=_RECEIVED_BYTES_MAX)
        self._tunnel: Tunnel | None = None

    # The transport's calls.

    def opened(self, writer: StreamWriter) -> None:
        assert isinstance(writer, Tunnel)
        self._tunnel = writer
        writer.receive(self._take)
        self._watch.attach(self)

    def resumed(self) -> None:
        self._watch.resumed()

    def closed(self) -> None:
        self._tunnel = None
        self._watch.closed()

    # The watch's calls.

    @property
    def is_paused(self) -> bool:
        return self._tunnel is not None and self._tunnel.is_paused

    def write(self, data: bytes) -> None:
        """Whole events, or parts of them in turn."""
        if self._socket.state is not OPEN:
            return
        send = self._socket.send_text if self._is_text else self._socket.send_binary
        for event in self._split(self._rest + data):
            send(event)
        self._send()

    def write_chunks(self, chunks: bytes) -> None:
        self.write(unframe(chunks))

    def direct(self) -> tuple[int, Sealer | None, Outlet | None]:
        """There is none: each message has a head of its own."""
        return -1, None, None

    def end(self) -> None:
        if self._socket.state is OPEN:
            self._socket.send_close(_NORMAL_CLOSURE)
            self._send()
        if self._tunnel is not None:
            self._tunnel.end()

    # Both ways.

    def _take(self, data: bytes) -> None:
        self._socket.receive_data(data)
        self._socket.events_received()
        self._send()

    def _send(self) -> None:
        """An empty piece is the socket's end."""
        for piece in self._socket.data_to_send():
            tunnel = self._tunnel
            if tunnel is None:
                return
            if piece:
                tunnel.write(piece)
            else:
                tunnel.end()

    def _split(self, data: bytes) -> Iterator[bytes]:
        begin = 0
        while (end := self._end_of_event(data, begin)) > 0:
            yield data[begin if self._is_text else begin + _LENGTH_BYTES : end]
            begin = end
        self._rest = data[begin:]

    def _end_of_event(self, data: bytes, begin: int) -> int:
        """0: not all of it is there."""
        if self._is_text:
            return data.find(b"\n", begin) + 1
        end = begin + _LENGTH_BYTES + int.from_bytes(data[begin : begin + _LENGTH_BYTES], "big")
        return end if end <= len(data) else 0
