"""Whether a certificate and a private key, each PEM, belong together: crypto/tls.X509KeyPair with its texts.

Source: Go's crypto/tls/tls.go (X509KeyPair, parsePrivateKey), encoding/pem.
"""

from __future__ import annotations

from typing import Any, Final

from quarterdeck.apimachinery import gofmt, pem

_CERTIFICATE: Final = "CERTIFICATE"
_PRIVATE_KEY: Final = "PRIVATE KEY"


def check_key_pair(certificate: bytes, key: bytes) -> str:
    """What is wrong with the pair, "" for nothing."""
    skipped: list[str] = []
    found: bytes | None = None
    for kind, content, _ in pem.blocks(certificate):
        if kind == _CERTIFICATE:
            found = found if found is not None else content
        else:
            skipped.append(kind)
    if found is None:
        return _explain_certificate(skipped)
    skipped = []
    for kind, content, _ in pem.blocks(key):
        if kind == _PRIVATE_KEY or kind.endswith(" " + _PRIVATE_KEY):
            return _compare(found, content)
        skipped.append(kind)
    return _explain_key(skipped)


def _explain_certificate(skipped: list[str]) -> str:
    if not skipped:
        return "tls: failed to find any PEM data in certificate input"
    if len(skipped) == 1 and skipped[0].endswith(_PRIVATE_KEY):
        return (
            "tls: failed to find certificate PEM data in certificate input, but did find a private key; "
            "PEM inputs may have been switched"
        )
    shown = f"[{' '.join(skipped)}]"
    return (
        f"tls: failed to find {gofmt.quote(_CERTIFICATE)} PEM block in certificate input after skipping PEM blocks of "
        f"the following types: {shown}"
    )


def _explain_key(skipped: list[str]) -> str:
    if not skipped:
        return "tls: failed to find any PEM data in key input"
    if skipped == [_CERTIFICATE]:
        return "tls: found a certificate rather than a key in the PEM for the private key"
    shown = f"[{' '.join(skipped)}]"
    return (
        f"tls: failed to find PEM block with type ending in {gofmt.quote(_PRIVATE_KEY)} in key input after skipping "
        f"PEM blocks of the following types: {shown}"
    )


def _compare(certificate: bytes, key: bytes) -> str:
    # Takes long to import, and few secrets are pairs.
    from cryptography import x509
    from cryptography.exceptions import UnsupportedAlgorithm

    try:
        public: Any = x509.load_der_x509_certificate(certificate).public_key()
    except ValueError:
        return "x509: malformed certificate"  # Differs from upstream: Go's parser tells what is wrong.
    except UnsupportedAlgorithm:
        return "tls: unknown public key algorithm"
    private = _load_private_key(key)
    if private is None:
        return "tls: failed to parse private key"
    if type(public) is not type(private.public_key()):
        return "tls: private key type does not match public key type"
    return "" if public == private.public_key() else "tls: private key does not match public key"


def _load_private_key(key: bytes) -> Any:
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives.serialization import load_der_private_key

    try:
        return load_der_private_key(key, password=None)
    except (ValueError, TypeError, UnsupportedAlgorithm):
        return None
