"""Which versions of TLS and which ciphers are offered: kube-apiserver's names for them, and OpenSSL's.

Ciphers of TLS 1.3 cannot be chosen, as in Go. What OpenSSL does not have any more (RC4, 3DES) is left out.

Source: component-base/cli/flag/ciphersuites_flag.go; Go's crypto/tls (CipherSuites,
InsecureCipherSuites).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from quarterdeck.transport.sni import NamedFiles

# Nothing older than 1.2 is ever offered, even where it is asked for.
_VERSIONS: Final = {
    "": "TLSv1_2",
    "VersionTLS10": "TLSv1_2",
    "VersionTLS11": "TLSv1_2",
    "VersionTLS12": "TLSv1_2",
    "VersionTLS13": "TLSv1_3",
}
_OF_1_3: Final = frozenset(("TLS_AES_128_GCM_SHA256", "TLS_AES_256_GCM_SHA384", "TLS_CHACHA20_POLY1305_SHA256"))
_CIPHERS: Final = {
    "TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA": "ECDHE-ECDSA-AES128-SHA",
    "TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA256": "ECDHE-ECDSA-AES128-SHA256",
    "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256": "ECDHE-ECDSA-AES128-GCM-SHA256",
    "TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA": "ECDHE-ECDSA-AES256-SHA",
    "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384": "ECDHE-ECDSA-AES256-GCM-SHA384",
    "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305": "ECDHE-ECDSA-CHACHA20-POLY1305",
    "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256": "ECDHE-ECDSA-CHACHA20-POLY1305",
    "TLS_ECDHE_ECDSA_WITH_RC4_128_SHA": "",
    "TLS_ECDHE_RSA_WITH_3DES_EDE_CBC_SHA": "",
    "TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA": "ECDHE-RSA-AES128-SHA",
    "TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA256": "ECDHE-RSA-AES128-SHA256",
    "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256": "ECDHE-RSA-AES128-GCM-SHA256",
    "TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA": "ECDHE-RSA-AES256-SHA",
    "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384": "ECDHE-RSA-AES256-GCM-SHA384",
    "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305": "ECDHE-RSA-CHACHA20-POLY1305",
    "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256": "ECDHE-RSA-CHACHA20-POLY1305",
    "TLS_ECDHE_RSA_WITH_RC4_128_SHA": "",
    "TLS_RSA_WITH_3DES_EDE_CBC_SHA": "",
    "TLS_RSA_WITH_AES_128_CBC_SHA": "AES128-SHA",
    "TLS_RSA_WITH_AES_128_CBC_SHA256": "AES128-SHA256",
    "TLS_RSA_WITH_AES_128_GCM_SHA256": "AES128-GCM-SHA256",
    "TLS_RSA_WITH_AES_256_CBC_SHA": "AES256-SHA",
    "TLS_RSA_WITH_AES_256_GCM_SHA384": "AES256-GCM-SHA384",
    "TLS_RSA_WITH_RC4_128_SHA": "",
}


class TLSSettings(NamedTuple):
    """`minimum`: a member of ssl.TLSVersion. `ciphers`: a list for OpenSSL, of those before TLS 1.3; "": its own.
    `curves`: those alone that are offered; none: OpenSSL's. `named`: certificates for names of their own.
    `has_http2`: whether it is offered."""

    minimum: str = "TLSv1_2"
    ciphers: str = ""
    curves: tuple[str, ...] = ()
    named: tuple[NamedFiles, ...] = ()
    has_http2: bool = True


DEFAULT_TLS: Final = TLSSettings()


def parse(version: str, ciphers: Sequence[str]) -> TLSSettings:
    """From the values of --tls-min-version and --tls-cipher-suites. Raises ValueError with upstream's texts."""
    if version not in _VERSIONS:
        raise ValueError(f'unknown tls version "{version}"')
    minimum = _VERSIONS[version]
    for name in ciphers:
        if name not in _CIPHERS and name not in _OF_1_3:
            raise ValueError(f"Cipher suite {name} not supported or doesn't exist")
    if not ciphers:
        return TLSSettings(minimum)
    offered = dict.fromkeys(_CIPHERS[suite] for suite in ciphers if _CIPHERS.get(suite))
    if not offered:
        if not _OF_1_3.intersection(ciphers):
            raise ValueError(f"none of the cipher suites {', '.join(ciphers)} can be offered")
        minimum = "TLSv1_3"
    return TLSSettings(minimum, ":".join(offered))
