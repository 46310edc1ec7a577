"""TLS over memory: what a server says before it knows anything of its client."""

from __future__ import annotations

import contextlib
import ssl
from collections.abc import Callable


def first_flight(wrap: Callable[[ssl.MemoryBIO, ssl.MemoryBIO], ssl.SSLObject]) -> bytes:
    """Of TLS 1.2, where nothing of it is encrypted. `wrap` makes the server's side of two buffers."""
    client = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    client.maximum_version = ssl.TLSVersion.TLSv1_2
    client.check_hostname = False
    client.verify_mode = ssl.CERT_NONE
    hello, answer = ssl.MemoryBIO(), ssl.MemoryBIO()
    for side in (client.wrap_bio(ssl.MemoryBIO(), hello), wrap(hello, answer)):
        with contextlib.suppress(ssl.SSLWantReadError):
            side.do_handshake()
    return answer.read()
