"""Both ends of connections of TLS over memory, whose server's end kernels may reach into."""

from __future__ import annotations

import _ssl
import enum
import ssl
from pathlib import Path

import pytest

from quarterdeck._kernels import openssl, tls13, tlscipher, tlsrecords, tlssealer, tlssecrets
from support.certificates import Certificate

LIBRARY = getattr(_ssl, "__file__", None)
_OPTIONS = 0xFFFFFFFFFFFFFFFF


class Way(enum.Enum):
    """How the server's end reads and writes."""

    OPENSSL_12 = "1.2 by OpenSSL"
    OPENSSL_13 = "1.3 by OpenSSL"
    KEYS = "1.3 by keys"

    @property
    def version(self) -> ssl.TLSVersion:
        return ssl.TLSVersion.TLSv1_2 if self is Way.OPENSSL_12 else ssl.TLSVersion.TLSv1_3


def prepare_context(folder: Path, suites: str = "") -> ssl.SSLContext:
    """A server's. Skips the test where Python's OpenSSL cannot be reached. `suites`: the ciphers of TLS 1.3."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*Certificate("server").write(folder))
    context.num_tickets = 0
    context.verify_mode = ssl.CERT_OPTIONAL
    is_prepared = openssl.prepare_server(context, LIBRARY, context.options & _OPTIONS)
    if not is_prepared:
        pytest.skip("this Python hides its OpenSSL")
    for module in (tlscipher, tlssealer, tlsrecords, tls13):
        assert module.prepare(LIBRARY)
    assert tlssecrets.prepare(context, LIBRARY, context.options & _OPTIONS)
    if suites:
        assert openssl.set_suites(context, LIBRARY, context.options & _OPTIONS, suites)
    return context


class Ends:
    """A connection whose handshake is done. `incoming` and `outgoing` are the server's buffers."""

    def __init__(
        self,
        context: ssl.SSLContext,
        way: Way = Way.OPENSSL_13,
        records_max: int = tls13.RECORDS_MAX,
        key_log: Path | None = None,
    ) -> None:
        trusting = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        trusting.check_hostname, trusting.verify_mode = False, ssl.CERT_NONE
        trusting.minimum_version = trusting.maximum_version = way.version
        if key_log is not None:
            trusting.keylog_filename = str(key_log)
        self.incoming, self.outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        self.server = context.wrap_bio(self.incoming, self.outgoing, server_side=True)
        self.to_client, self.from_client = ssl.MemoryBIO(), ssl.MemoryBIO()
        self.client = trusting.wrap_bio(self.to_client, self.from_client)
        for side in (self.client, self.server, self.client, self.server):
            try:
                side.do_handshake()
            except ssl.SSLWantReadError:
                pass
            self.incoming.write(self.from_client.read())
            self.to_client.write(self.outgoing.read())
        self.records = self._build_records(context, way, records_max)
        self.sealer = self.records.sealer

    def _build_records(self, context: ssl.SSLContext, way: Way, records_max: int) -> tls13.Records | tlsrecords.Records:
        inner = self.server._sslobj  # type: ignore[attr-defined]
        records: tls13.Records | tlsrecords.Records | None
        if way is Way.KEYS:
            suite = self.server.cipher()
            assert suite is not None
            records = tls13.build_records(inner, context, suite[0], records_max)
        else:
            sealer = tlssealer.build_sealer(inner, context)
            assert sealer is not None
            records = tlsrecords.build_records(sealer)
        assert records is not None
        return records

    def sent_by_client(self, data: bytes) -> bytes:
        """Its records of the data."""
        rest = memoryview(data)
        while rest:
            rest = rest[self.client.write(rest) :]
        return self.from_client.read()

    def read_by_client(self, sealed: bytes | None) -> bytes:
        """What the records hold."""
        assert sealed is not None
        self.to_client.write(sealed)
        read = b""
        try:
            while piece := self.client.read(1 << 16):
                read += piece
        except ssl.SSLWantReadError:
            pass
        return read
