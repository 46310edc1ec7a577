"""A connection of HTTP/2 that is spoken to in frames, byte by byte."""

from __future__ import annotations

from quarterdeck.transport.http2 import HTTP2Protocol
from quarterdeck.transport.messages import ConnectionInfo, Response
from support.http1 import Bench, FakeChannel

DATA, HEADERS, PRIORITY, RST_STREAM, SETTINGS, PUSH_PROMISE, PING, GOAWAY, WINDOW_UPDATE, CONTINUATION = range(10)
END_STREAM, ACK, END_HEADERS, PADDED, PRIORITIZED = 1, 1, 4, 8, 32
PROTOCOL, FLOW_CONTROL, CLOSED, FRAME_SIZE, COMPRESSION, CALM = 1, 3, 5, 6, 9, 11
PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
Field = tuple[str, str]
USUAL: list[Field] = [(":method", "GET"), (":scheme", "https"), (":path", "/"), (":authority", "h")]
POST: list[Field] = [(":method", "POST"), *USUAL[1:]]


def frame(kind: int, flags: int = 0, stream: int = 0, payload: bytes = b"") -> bytes:
    return len(payload).to_bytes(3, "big") + bytes((kind, flags)) + stream.to_bytes(4, "big") + payload


def block(fields: list[Field]) -> bytes:
    """A head that changes no table."""
    parts = []
    for name, value in fields:
        for text in (name, value):
            assert len(text) < 127
        parts.append(b"\x00" + bytes((len(name),)) + name.encode() + bytes((len(value),)) + value.encode())
    return b"".join(parts)


def head(stream: int, fields: list[Field] | None = None, flags: int = END_STREAM | END_HEADERS) -> bytes:
    return frame(HEADERS, flags, stream, block(USUAL if fields is None else fields))


def setting(number: int, value: int) -> bytes:
    return frame(SETTINGS, 0, 0, number.to_bytes(2, "big") + value.to_bytes(4, "big"))


def window(stream: int, size: int) -> bytes:
    return frame(WINDOW_UPDATE, 0, stream, size.to_bytes(4, "big"))


class Wire:
    """A connection that is spoken to in frames."""

    def __init__(self, preface: bytes = PREFACE + frame(SETTINGS)) -> None:
        self.bench = Bench(lambda request: Response(200, [], b"x" * (100 if request.path == "/large" else 1)))
        self.channel = FakeChannel()
        protocol = HTTP2Protocol(self.bench.server)
        self.channel.protocol = protocol
        self.bench.server.admit(protocol)
        protocol.begin(self.channel, ConnectionInfo("192.0.2.1", is_secure=True), -1)
        self.send(preface)

    def send(self, data: bytes) -> None:
        if self.channel.state == "open":
            self.channel.protocol.data_received(data)

    def take(self) -> list[tuple[int, int, int, bytes]]:
        """Kind, flags, stream and payload of the frames that have come."""
        data, found = self.channel.take(), []
        while data:
            end = 9 + int.from_bytes(data[:3], "big")
            found.append((data[3], data[4], int.from_bytes(data[5:9], "big"), data[9:end]))
            data = data[end:]
        return found


def codes(frames: list[tuple[int, int, int, bytes]], kind: int) -> list[int]:
    at = 4 if kind == GOAWAY else 0
    return [int.from_bytes(payload[at : at + 4], "big") for each, _, _, payload in frames if each == kind]
