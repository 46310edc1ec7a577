"""The server's side of TLS handshakes: Python's ssl over memory buffers (tls_protocol.py drives them).

Client certificates are asked for, never judged here: the authenticator does that, and a bad one is a 401. The decision
and what was measured: docs/adr/0011-tls.md. Upstream: apiserver/pkg/server/secure_serving.go.
"""

from __future__ import annotations

import contextlib
import logging
import ssl
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from quarterdeck._kernels import openssl, tls13, tlscipher, tlsrecords, tlssealer, tlssecrets
from quarterdeck.apimachinery import pem
from quarterdeck.transport import curves
from quarterdeck.transport.sni import NamedCertificates
from quarterdeck.transport.tls_by_python import PythonRecords
from quarterdeck.transport.tls_settings import DEFAULT_TLS, TLSSettings

_LOG: Final = logging.getLogger(__name__)
# As Go prefers them where the processor has AES. OpenSSL prefers AES-256, which takes 6 to 8 % more for a handshake
# (its SHA-384 is not done by the processor) and 2 % for a record.
_SUITES: Final = "TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256"
# Their names share 64 KiB.
_AUTHORITIES_MAX: Final = 100

# Of TLS 1.3 with AES-GCM; of other connections; where OpenSSL is hidden.
Records = tls13.Records | tlsrecords.Records | PythonRecords


class TLSContext:
    """The server's side of all handshakes.

    `client_ca_files` hold, in PEM, the authorities that clients are told of: they may choose a certificate by them.
    Where OpenSSL cannot be told to leave the judgement to us, certificates of others end in the handshake.
    """

    def __init__(
        self,
        certificate_file: Path,
        key_file: Path,
        client_ca_files: Sequence[Path] = (),
        settings: TLSSettings = DEFAULT_TLS,
    ) -> None:
        self._files = (certificate_file, key_file)
        self._client_ca_files = tuple(client_ca_files)
        self._settings = settings
        self.has_names = bool(settings.named)
        self.reload()

    def reload(self) -> None:
        """Read the files, for all handshakes from now on; open connections stay as they are. Raises OSError
        (ssl.SSLError), ValueError, and changes nothing then."""
        certificate_file, key_file = self._files
        context = self._build(certificate_file, key_file)
        if self._settings.named:
            NamedCertificates(self._settings.named, certificate_file, self._build).attach(context)
        self._context = context

    def files(self) -> list[Path]:
        """What `reload` reads."""
        named = [file for each in self._settings.named for file in (each.certificate, each.key)]
        return [*self._files, *named, *self._client_ca_files]

    def _build(self, certificate_file: Path, key_file: Path) -> ssl.SSLContext:
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
        _prepare_records(context)
        openssl.set_suites(context, curves.LIBRARY, context.options & curves.OPTIONS, _SUITES)
        if self.is_lenient:
            authorities = _read_authorities(self._client_ca_files)
            openssl.name_authorities(context, curves.LIBRARY, context.options & curves.OPTIONS, authorities)
            return context
        _LOG.warning("this Python hides its OpenSSL: client certificates of unknown authorities end the handshake")
        if not self._client_ca_files:
            context.verify_mode = ssl.CERT_NONE
        for file in self._client_ca_files:
            context.load_verify_locations(file)
        return context

    def wrap(self, incoming: ssl.MemoryBIO, outgoing: ssl.MemoryBIO) -> ssl.SSLObject:
        return self._context.wrap_bio(incoming, outgoing, server_side=True)

    def build_records(self, connection: ssl.SSLObject, incoming: ssl.MemoryBIO, outgoing: ssl.MemoryBIO) -> Records:
        """What reads and writes a connection whose handshake is done. The three are not to be used any more."""
        if self.is_lenient:
            inner, context = connection._sslobj, connection.context  # type: ignore[attr-defined]
            suite, _, _ = connection.cipher() or ("", "", 0)
            records = tls13.build_records(inner, context, suite)
            if records is not None:
                return records
            sealer = tlssealer.build_sealer(inner, context)
            other = None if sealer is None else tlsrecords.build_records(sealer)
            if other is not None:
                return other
        return PythonRecords(connection, incoming, outgoing)


def _read_authorities(files: Sequence[Path]) -> list[bytes]:
    """In DER, each once. None of more than fit into a handshake: clients then send what they have. A file that cannot
    be read is passed over: whoever judges certificates by it tells of it."""
    found: dict[bytes, None] = {}
    for file in files:
        with contextlib.suppress(OSError):
            found |= {block.content: None for block in pem.blocks(file.read_bytes()) if block.kind == "CERTIFICATE"}
    return list(found) if len(found) <= _AUTHORITIES_MAX else []


def _prepare_records(context: ssl.SSLContext) -> None:
    """What cannot be had is missed where it is asked for, by `build_records`."""
    library = curves.LIBRARY
    tlssealer.prepare(library)
    tlsrecords.prepare(library)
    if tlscipher.prepare(library) and tls13.prepare(library):
        tlssecrets.prepare(context, library, context.options & curves.OPTIONS)
