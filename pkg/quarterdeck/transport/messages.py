"""What the transport hands to the application and takes back. No I/O here.

An application is `Callable[[Request], Response | Awaitable[Response]]`: it answers a request that needs no waiting
at once, without a task; what waits for others alone it may answer by a call (`Parked`). A `Stream` is a response whose
body is written later, piece by piece, through a StreamWriter.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Generator, Iterator, Sequence
from typing import Any, Protocol

from mypy_extensions import mypyc_attr

from quarterdeck._kernels.outlet import Outlet
from quarterdeck._kernels.tlssealer import Sealer

Headers = list[tuple[str, str]]


class ConnectionInfo:
    """What is the same for all requests of one connection.

    `peer_certificates`: DER, leaf first, as the client sent them, unverified; empty without TLS or certificate.
    `identity`: a place for the authenticator to keep what it found (a connection's certificate does not change).
    """

    __slots__ = ("identity", "is_secure", "peer_certificates", "remote_address")

    def __init__(self, remote_address: str, *, is_secure: bool, peer_certificates: Sequence[bytes] = ()) -> None:
        self.remote_address = remote_address
        self.is_secure = is_secure
        self.peer_certificates = peer_certificates
        self.identity: object = None


class Request:
    """`path` and `query` as sent (percent-encoded, query without `?`); header names in lower case, repeated ones
    joined with ", " (fields.py reads them apart); `body` whole. `timeout_s` is what the client gives it, 0 for as long
    as anybody, as the application has read it; `is_late` is set by the transport, which then cancels what still works
    on it. `is_queued`: nothing has begun yet, so that a client that leaves takes the request with it. `on_end` is
    called when an answer that is not sent in one piece has been sent, or cannot be. `base` is what has been taken off
    the path where one of several servers of a process is to answer."""

    __slots__ = (
        "base",
        "body",
        "connection",
        "headers",
        "is_late",
        "is_queued",
        "method",
        "on_end",
        "path",
        "query",
        "timeout_s",
    )

    def __init__(
        self, method: str, path: str, query: str, headers: dict[str, str], body: bytes, connection: ConnectionInfo
    ) -> None:
        self.method = method
        self.path = path
        self.query = query
        self.headers = headers
        self.body = body
        self.connection = connection
        self.base = ""
        self.timeout_s = 0.0
        self.is_late = False
        self.is_queued = False
        self.on_end: Callable[[], None] | None = None


class LazyBody:
    """A large body that is put together while it is sent: `size` bytes in all; `make` gives its pieces, each time
    from the beginning. It must not fail: the head has been sent by then."""

    __slots__ = ("_make", "size")

    def __init__(self, size: int, make: Callable[[], Iterator[bytes]]) -> None:
        self.size = size
        self._make = make

    def __iter__(self) -> Iterator[bytes]:
        return self._make()


@mypyc_attr(allow_interpreted_subclasses=True)
class Response:
    """`body` is bytes, or pieces that are written one after another without being joined.

    The transport adds Content-Length, Date, and Connection where needed; and compresses when `compressible` is set,
    the client accepts gzip and the body is large (128 KiB, as upstream).
    """

    __slots__ = ("body", "compressible", "headers", "status")

    def __init__(self, status: int, headers: Headers, body: Body = b"", *, compressible: bool = False) -> None:
        self.status = status
        self.headers = headers
        self.body = body
        self.compressible = compressible


@mypyc_attr(allow_interpreted_subclasses=True)
class Parked:
    """An answer that somebody brings later by a call, so that no task has to wait for it. Who begins it is called once,
    in a later turn of the loop: `done` with the answer, or `failed` where there will be none. Either may still come
    after it was cancelled, and `done` then ends the request. Who cannot be called awaits it instead."""

    __slots__ = ()

    def begin(self, done: Callable[[Response], None], failed: Callable[[], None]) -> None:
        raise NotImplementedError

    def cancel(self) -> None:
        """Nobody waits any more, or it is late (`Request.is_late`): then what that is answered comes."""
        raise NotImplementedError

    def __await__(self) -> Generator[Any, Any, Response]:
        raise NotImplementedError


class StreamWriter(Protocol):
    """The way to one client of a Stream."""

    @property
    def is_paused(self) -> bool:
        """The client does not read fast enough: write nothing more until `Stream.resumed` is called."""

    def write(self, data: bytes) -> None:
        """Send data; the transport frames it."""

    def write_chunks(self, chunks: bytes) -> None:
        """Send whole or broken chunks of HTTP/1.1 that a direct send has not placed; never called where there is an
        outlet."""

    def direct(self) -> tuple[int, Sealer | None, Outlet | None]:
        """Ways past this writer. The socket for a direct send(2) of chunks, or -1 when there is none to be had right
        now (bytes still buffered, a connection without chunks); and what encrypts them before, under TLS. What a direct
        send could not place goes to write_chunks; so does b"" where all that is left is a rest that the sealer has
        kept. Or an outlet, for a stream among others of its connection: that takes data without chunks."""

    def end(self) -> None:
        """Finish the body; the connection lives on."""

    def abort(self) -> None:
        """Cut the connection."""


@mypyc_attr(allow_interpreted_subclasses=True)
class Stream(Response):
    """A response that is written while it lives (a watch). Subclassed by the handler.

    The transport sends the head, then calls `opened`; from then on the stream writes through its writer.
    `closed` is called exactly once, when the body has ended or the client is gone.
    """

    __slots__ = ()

    def opened(self, writer: StreamWriter) -> None:
        raise NotImplementedError

    def resumed(self) -> None:
        """The client reads again."""

    def closed(self) -> None:
        """No writer any more."""


Body = bytes | Sequence[bytes] | LazyBody
Application = Callable[[Request], Response | Awaitable[Response]]


def frame_chunk(data: bytes) -> bytes:
    """`data` as one HTTP/1.1 chunk (RFC 9112, 7.1)."""
    return b"%x\r\n%b\r\n" % (len(data), data)
