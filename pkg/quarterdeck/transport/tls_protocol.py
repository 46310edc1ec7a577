"""TLS between a TCP connection and HTTP1Protocol or HTTP2Protocol: handshakes by Python's ssl, records by kernels.

Where Python hides its OpenSSL, records go through its ssl as well (docs/adr/0011-tls.md).
"""

from __future__ import annotations

import asyncio
import ssl
from typing import Any, Final, cast

from quarterdeck._kernels import tlsrecords
from quarterdeck._kernels.tlssealer import Sealer
from quarterdeck.transport.channel import remote_address
from quarterdeck.transport.connections import Connections
from quarterdeck.transport.handshakes import is_fit_for_http2, peer_chain
from quarterdeck.transport.http1 import HTTP1Protocol
from quarterdeck.transport.http2 import HTTP2Protocol
from quarterdeck.transport.messages import ConnectionInfo
from quarterdeck.transport.sni import note_address
from quarterdeck.transport.tls import Records, TLSContext
from quarterdeck.transport.tunnels import Tunnel

_PLAIN_HTTP_ANSWER: Final = b"HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n"
_OPEN: Final = tlsrecords.OPEN
_ENDED: Final = tlsrecords.ENDED
_BROKEN: Final = tlsrecords.BROKEN


class TLSProtocol(asyncio.Protocol):
    """To the loop a protocol, to HTTP1Protocol its channel."""

    __slots__ = (
        "_context",
        "_http",
        "_incoming",
        "_is_closing",
        "_outgoing",
        "_records",
        "_server",
        "_tls",
        "_transport",
        "deadline",
    )
    __deletable__ = ("_http", "_incoming", "_outgoing", "_tls")

    _transport: asyncio.Transport

    def __init__(self, server: Connections, tls: TLSContext) -> None:
        self._server = server
        self._http: HTTP1Protocol | HTTP2Protocol | Tunnel = HTTP1Protocol(server)
        self._incoming = ssl.MemoryBIO()
        self._outgoing = ssl.MemoryBIO()
        self._context = tls
        self._tls = tls.wrap(self._incoming, self._outgoing)
        self._records: Records | None = None  # once the handshake is done
        self._is_closing = False
        self.deadline = float("inf")

    # The loop's calls.

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)
        if not self._server.admit(self):
            self._transport.abort()
            return
        if self._context.has_names:
            note_address(self._tls, self._transport.get_extra_info("sockname"))
        self.deadline = self._server.now + self._server.limits.head_timeout_s

    def data_received(self, data: bytes) -> None:
        records = self._records
        if records is None:
            self._incoming.write(data)
            if self._shake_hands():
                self._begin()
            return
        plain = records.read(data)
        state = records.state
        if plain:
            self._http.data_received(plain)
        if state != _OPEN:
            self._note(records, state)

    def _note(self, records: Records, state: int) -> None:
        """Something else than data has come."""
        if state == _ENDED:
            self._end_input()
            return
        self._flush(records.take_output())  # an answer of the TLS layer itself
        if state == _BROKEN:
            self._transport.abort()

    def eof_received(self) -> bool:
        return self._records is not None and not self._is_closing and self._http.eof_received()

    def pause_writing(self) -> None:
        self._http.pause_writing()

    def resume_writing(self) -> None:
        self._http.resume_writing()

    def connection_lost(self, error: Exception | None) -> None:
        self._is_closing = True
        if self._records is not None:
            self._http.connection_lost(error)
        else:
            self._server.forget(self)
        del self._http  # which refers to this object: nothing is left for the cycle collector

    # The server's calls, during the handshake.

    def expire(self) -> None:
        self._transport.abort()

    def drain(self) -> None:
        self._transport.abort()

    # The channel.

    def set_protocol(self, protocol: asyncio.BaseProtocol) -> None:
        self._http = cast("Tunnel", protocol)

    def write(self, data: bytes) -> None:
        records = self._records
        if self._is_closing or records is None:
            return
        sealed = records.write(data)
        if sealed is None:  # the other side has broken the rules, and this one has noticed while it was reading
            self.abort()
            return
        self._transport.write(sealed)

    def write_sealed(self, records: bytes) -> None:
        if not self._is_closing:
            self._transport.write(records)

    def write_eof(self) -> None:
        """OpenSSL takes data that comes after its own goodbye for an attack: what the client still sends is dropped
        unread."""
        if self._is_closing or self._records is None:
            return
        self._is_closing = True
        self._flush(self._records.goodbye())
        self._transport.set_protocol(_Dropping(self))
        self._transport.write_eof()

    def close(self) -> None:
        if not self._is_closing:
            self._is_closing = True
            if self._records is not None:
                self._flush(self._records.goodbye())
        self._transport.close()

    def abort(self) -> None:
        self._is_closing = True
        self._transport.abort()

    def is_closing(self) -> bool:
        return self._is_closing or self._transport.is_closing()

    def pause_reading(self) -> None:
        self._transport.pause_reading()

    def resume_reading(self) -> None:
        if not self._transport.is_closing():
            self._transport.resume_reading()

    def get_write_buffer_size(self) -> int:
        return self._transport.get_write_buffer_size()

    def set_write_buffer_limits(self, high: int | None = None, low: int | None = None) -> None:
        self._transport.set_write_buffer_limits(high, low)

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        return self._transport.get_extra_info(name, default)

    # Inside.

    def _shake_hands(self) -> bool:
        """True: it is done."""
        try:
            self._tls.do_handshake()
        except ssl.SSLWantReadError:
            self._flush(self._outgoing.read())
            return False
        except ssl.SSLError as error:
            self._server.handshake_errors += 1
            if error.reason == "HTTP_REQUEST":
                self._outgoing.read()
                self._transport.write(_PLAIN_HTTP_ANSWER)
            else:
                self._flush(self._outgoing.read())
            self._transport.close()
            return False
        self._flush(self._outgoing.read())
        return True

    def _begin(self) -> None:
        """Hands are shaken: from now on there are records. The first may have come with the end of the handshake."""
        tls, incoming = self._tls, self._incoming
        connection = ConnectionInfo(remote_address(self), is_secure=True, peer_certificates=peer_chain(tls))
        has_http2 = tls.selected_alpn_protocol() == "h2"
        is_fit = not has_http2 or is_fit_for_http2(tls)
        self._records = self._context.build_records(tls, incoming, self._outgoing)
        del self._tls, self._incoming, self._outgoing
        socket = self._transport.get_extra_info("socket")
        descriptor = socket.fileno() if socket is not None else -1
        if has_http2:
            self._begin_http2(connection, descriptor, is_fit=is_fit)
        else:
            http = self._http
            assert isinstance(http, HTTP1Protocol)
            http.deadline = self.deadline
            self._server.replace(self, http)
            http.begin(self, connection, descriptor, self._build_sealer)
        self.data_received(incoming.read())

    def _begin_http2(self, connection: ConnectionInfo, descriptor: int, *, is_fit: bool) -> None:
        http = self._http = HTTP2Protocol(self._server)
        self._server.replace(self, http)
        if not is_fit:
            http.refuse_security()
        http.begin(self, connection, descriptor)

    def _build_sealer(self) -> Sealer | None:
        return None if self._records is None else self._records.sealer

    def _end_input(self) -> None:
        """The client has said goodbye."""
        if not self._is_closing and not self._http.eof_received():
            self.close()

    def _flush(self, data: bytes) -> None:
        if data and not self._transport.is_closing():
            self._transport.write(data)


class _Dropping(asyncio.Protocol):
    """Reads on to the client's end, so that the connection is not reset, which might take the last answer with it."""

    __deletable__ = ("_connection",)

    def __init__(self, connection: TLSProtocol) -> None:
        self._connection = connection

    def connection_lost(self, error: Exception | None) -> None:
        self._connection.connection_lost(error)
        del self._connection
