"""Both ends of connections of TLS over memory, whose server's end kernels may reach into."""

from __future__ import annotations

import _ssl
import ssl
from pathlib import Path

import pytest

from quarterdeck._kernels import openssl, tlsrecords
from support.certificates import Certificate

LIBRARY = getattr(_ssl, "__file__", None)


def prepare_context(folder: Path) -> ssl.SSLContext:
    """A server's. Skips the test where Python's OpenSSL cannot be reached."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*Certificate("server").write(folder))
    context.num_tickets = 0
    context.verify_mode = ssl.CERT_OPTIONAL
    is_prepared = openssl.prepare_server(context, LIBRARY, context.options & 0xFFFFFFFFFFFFFFFF)
    if not (is_prepared and tlsrecords.prepare(LIBRARY)):
        pytest.skip("this Python hides its OpenSSL")
    return context


class Ends:
    """A connection whose handshake is done. `incoming` and `outgoing` are the server's buffers."""

    def __init__(self, context: ssl.SSLContext, version: ssl.TLSVersion) -> None:
        trusting = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        trusting.check_hostname, trusting.verify_mode = False, ssl.CERT_NONE
        trusting.minimum_version = trusting.maximum_version = version
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
        sealer = openssl.build_sealer(self.server._sslobj, context)  # type: ignore[attr-defined]
        assert sealer is not None
        self.sealer = sealer
