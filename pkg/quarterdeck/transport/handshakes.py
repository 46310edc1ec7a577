"""What a finished handshake tells of a client."""

from __future__ import annotations

import ssl
from collections.abc import Sequence
from typing import Any


def peer_chain(connection: ssl.SSLObject) -> Sequence[bytes]:
    """The certificates that the client sent, leaf first, in DER."""
    inner: Any = connection._sslobj  # type: ignore[attr-defined]  # public as get_unverified_chain from Python 3.13 on
    certificates = inner.get_unverified_chain()
    if not certificates:
        return ()
    der: int = ssl._ssl.ENCODING_DER  # type: ignore[attr-defined]
    # Without a certificate some versions of Python answer [None].
    return tuple(certificate.public_bytes(der) for certificate in certificates if certificate is not None)


def is_fit_for_http2(connection: ssl.SSLObject) -> bool:
    """With TLS 1.2 only ciphers that are not on the list of RFC 9113, appendix A."""
    name, version, _ = connection.cipher() or ("", "", 0)
    if version == "TLSv1.3":
        return True
    is_ephemeral = name.startswith(("ECDHE-", "DHE-"))
    return is_ephemeral and any(mode in name for mode in ("GCM", "CHACHA20", "CCM"))
