"""TLS between a TCP connection and HTTP1Protocol: Python's ssl over memory buffers.

Client certificates are asked for, never judged here: the authenticator does that, and a bad one is a 401. The decision
and what was measured: docs/adr/0011-tls.md. Upstream: apiserver/pkg/server/secure_serving.go.
"""

from __future__ import annotations

import asyncio
import logging
import ssl
from pathlib import Path
from typing import Any, Final, cast

from quarterdeck._kernels import openssl
from quarterdeck.transport import curves
from quarterdeck.transport.channel import remote_address
from quarterdeck.transport.connections import Connections
from quarterdeck.transport.handshakes import is_fit_for_http2, peer_chain
from quarterdeck.transport.http1 import HTTP1Protocol
from quarterdeck.transport.http2 import HTTP2Protocol
from quarterdeck.transport.messages import ConnectionInfo
from quarterdeck.transport.sni import NamedCertificates, note_address
from quarterdeck.transport.tls_settings import DEFAULT_TLS, TLSSettings
from quarterdeck.transport.tunnels import Tunnel

_LOG: Final = logging.getLogger(__name__)
_RECORD_BYTES: Final = 16384  # the most that one TLS record holds
_PLAIN_HTTP_ANSWER: Final = b"HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n"


class TLSContext:
    """The server's side of all handshakes.

    `client_ca_file` is used only where OpenSSL cannot be told to leave the judgement to us; certificates of other
    authorities then end in the handshake.
    """

    def __init__(
        self,
        certificate_file: Path,
        key_file: Path,
        client_ca_file: Path | None = None,
        settings: TLSSettings = DEFAULT_TLS,
    ) -> None:
        self._files = (certificate_file, key_file, client_ca_file)
        self._settings = settings
        self.has_names = bool(settings.named)
        self.reload()

    def reload(self) -> None:
        """Read the files, for all handshakes from now on; open connections stay as they are. Raises OSError
        (ssl.SSLError), ValueError, and changes nothing then."""
        certificate_file, key_file, _ = self._files
        context = self._build(certificate_file, key_file)
        if self._settings.named:
            NamedCertificates(self._settings.named, certificate_file, self._build).attach(context)
        self._context = context

    def files(self) -> list[Path]:
        """What `reload` reads."""
        named = [file for each in self._settings.named for file in (each.certificate, each.key)]
        return [*self._files[:2], *named]

    def _build(self, certificate_file: Path, key_file: Path) -> ssl.SSLContext:
        client_ca_file = self._files[2]
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.minimum_version = ssl.TLSVersion[self._settings.minimum]
        if self._settings.ciphers:
            context.set_ciphers(self._settings.ciphers)
        curves.choose(context, self._settings.curves)
        context.load_cert_chain(certificate_file, key_file)
        context.set_alpn_protocols(["h2", "http/1.1"] if self._settings.has_http2 else ["http/1.1"])
        # A resumed session carries no intermediate certificates, so the client's chain would be lost; clients of
        # Kubernetes do not resume, and making tickets costs each handshake.
        context.options |= ssl.OP_NO_TICKET | ssl.OP_NO_RENEGOTIATION
        context.num_tickets = 0
        context.verify_mode = ssl.CERT_OPTIONAL
        self.is_lenient = openssl.prepare_server(context, curves.LIBRARY, context.options & curves.OPTIONS)
        if not self.is_lenient:
            _LOG.warning("this Python hides its OpenSSL: client certificates of unknown authorities end the handshake")
            if client_ca_file is None:
                context.verify_mode = ssl.CERT_NONE
            else:
                context.load_verify_locations(client_ca_file)
        return context

    def wrap(self, incoming: ssl.MemoryBIO, outgoing: ssl.MemoryBIO) -> ssl.SSLObject:
        return self._context.wrap_bio(incoming, outgoing, server_side=True)

    def build_sealer(self, connection: ssl.SSLObject) -> openssl.Sealer | None:
        """For writing past the channel; None where that cannot be done."""
        if not self.is_lenient:
            return None
        return openssl.build_sealer(connection._sslobj, connection.context)  # type: ignore[attr-defined]


class TLSProtocol(asyncio.Protocol):
    """To the loop a protocol, to HTTP1Protocol its channel."""

    __slots__ = (
        "_context",
        "_http",
        "_incoming",
        "_is_closing",
        "_is_open",
        "_outgoing",
        "_server",
        "_tls",
        "_transport",
        "deadline",
    )

    _transport: asyncio.Transport

    def __init__(self, server: Connections, tls: TLSContext) -> None:
        self._server = server
        self._http: HTTP1Protocol | HTTP2Protocol | Tunnel = HTTP1Protocol(server)
        self._incoming = ssl.MemoryBIO()
        self._outgoing = ssl.MemoryBIO()
        self._context = tls
        self._tls = tls.wrap(self._incoming, self._outgoing)
        self._is_open = False  # the handshake is done
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
        incoming = self._incoming
        incoming.write(data)
        if not self._is_open and not self._shake_hands():
            return
        http, tls = self._http, self._tls
        try:
            while incoming.pending:
                plain = tls.read(_RECORD_BYTES)
                if not plain:
                    self._end_input()
                    return
                http.data_received(plain)
        except ssl.SSLWantReadError:
            pass
        except ssl.SSLError:
            self._flush()
            self._transport.abort()
            return
        if self._outgoing.pending:
            self._flush()  # an answer of the TLS layer itself (a key update)

    def eof_received(self) -> bool:
        return self._is_open and not self._is_closing and self._http.eof_received()

    def pause_writing(self) -> None:
        self._http.pause_writing()

    def resume_writing(self) -> None:
        self._http.resume_writing()

    def connection_lost(self, error: Exception | None) -> None:
        self._is_closing = True
        if self._is_open:
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
        if self._is_closing:
            return
        tls = self._tls
        try:
            sent = tls.write(data)
            if sent < len(data):
                rest = memoryview(data)
                while sent < len(data):
                    sent += tls.write(rest[sent:])
        except ssl.SSLError:  # the other side has broken the rules, and this one has noticed while it was reading
            self.abort()
            return
        self._transport.write(self._outgoing.read())

    def write_sealed(self, records: bytes) -> None:
        if not self._is_closing:
            self._transport.write(records)

    def write_eof(self) -> None:
        """OpenSSL takes data that comes after its own goodbye for an attack: nothing is said until the end."""

    def close(self) -> None:
        if not self._is_closing:
            self._is_closing = True
            self._say_goodbye()
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
        try:
            self._tls.do_handshake()
        except ssl.SSLWantReadError:
            self._flush()
            return False
        except ssl.SSLError as error:
            self._server.handshake_errors += 1
            if error.reason == "HTTP_REQUEST":
                self._outgoing.read()
                self._transport.write(_PLAIN_HTTP_ANSWER)
            else:
                self._flush()
            self._transport.close()
            return False
        self._flush()
        self._is_open = True
        connection = ConnectionInfo(remote_address(self), is_secure=True, peer_certificates=peer_chain(self._tls))
        socket = self._transport.get_extra_info("socket")
        descriptor = socket.fileno() if socket is not None else -1
        if self._tls.selected_alpn_protocol() == "h2":
            self._begin_http2(connection, descriptor)
            return True
        http = self._http
        assert isinstance(http, HTTP1Protocol)
        http.deadline = self.deadline
        self._server.replace(self, http)
        http.begin(self, connection, descriptor, self._build_sealer)
        return True

    def _begin_http2(self, connection: ConnectionInfo, descriptor: int) -> None:
        http = self._http = HTTP2Protocol(self._server)
        self._server.replace(self, http)
        if not is_fit_for_http2(self._tls):
            http.refuse_security()
        http.begin(self, connection, descriptor)

    def _build_sealer(self) -> openssl.Sealer | None:
        return self._context.build_sealer(self._tls)

    def _end_input(self) -> None:
        """The client has said goodbye."""
        if not self._is_closing and not self._http.eof_received():
            self.close()

    def _say_goodbye(self) -> None:
        try:
            self._tls.unwrap()
        except ssl.SSLError:
            pass  # the client's own goodbye is not there yet and is not waited for
        self._flush()

    def _flush(self) -> None:
        data = self._outgoing.read()
        if data and not self._transport.is_closing():
            self._transport.write(data)
