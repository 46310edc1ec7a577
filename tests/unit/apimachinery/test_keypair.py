"""Certificates and keys that belong together, and what is said of those that do not."""

from __future__ import annotations

import datetime

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.x509.oid import NameOID

from quarterdeck.apimachinery.keypair import check_key_pair

KEY, OTHER = ec.generate_private_key(ec.SECP256R1()), ec.generate_private_key(ec.SECP256R1())
RSA = rsa.generate_private_key(65537, 2048)


def pem_of(key: ec.EllipticCurvePrivateKey | rsa.RSAPrivateKey, form: str = "PKCS8") -> bytes:
    private = getattr(serialization.PrivateFormat, form)
    return key.private_bytes(serialization.Encoding.PEM, private, serialization.NoEncryption())


def certify(key: ec.EllipticCurvePrivateKey) -> bytes:
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "a.example")])
    start = datetime.datetime(2024, 1, 1, tzinfo=datetime.UTC)
    builder = x509.CertificateBuilder(name, name, key.public_key(), 1, start, start + datetime.timedelta(days=1))
    return builder.sign(key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM)


CERTIFICATE = certify(KEY)


@pytest.mark.parametrize(
    ("certificate", "key", "expected"),
    [
        (CERTIFICATE, pem_of(KEY), ""),
        (b"text before\n" + CERTIFICATE + CERTIFICATE, b"\n\n" + pem_of(KEY, "TraditionalOpenSSL"), ""),
        (CERTIFICATE, pem_of(OTHER), "tls: private key does not match public key"),
        (CERTIFICATE, pem_of(RSA), "tls: private key type does not match public key type"),
        (b"a", b"a", "tls: failed to find any PEM data in certificate input"),
        (b"", b"", "tls: failed to find any PEM data in certificate input"),
        (CERTIFICATE, b"", "tls: failed to find any PEM data in key input"),
        (CERTIFICATE, CERTIFICATE, "tls: found a certificate rather than a key in the PEM for the private key"),
        (
            pem_of(KEY),
            CERTIFICATE,
            "tls: failed to find certificate PEM data in certificate input, but did find a private key; "
            "PEM inputs may have been switched",
        ),
        (
            b"-----BEGIN A-----\nYQ==\n-----END A-----\n-----BEGIN B-----\nYQ==\n-----END B-----\n",
            b"",
            'tls: failed to find "CERTIFICATE" PEM block in certificate input after skipping PEM blocks of the '
            "following types: [A B]",
        ),
        (
            CERTIFICATE,
            b"-----BEGIN A-----\nYQ==\n-----END A-----\n",
            'tls: failed to find PEM block with type ending in "PRIVATE KEY" in key input after skipping PEM blocks of '
            "the following types: [A]",
        ),
        (
            CERTIFICATE,
            b"-----BEGIN PRIVATE KEY-----\nYQ==\n-----END PRIVATE KEY-----\n",
            "tls: failed to parse private key",
        ),
    ],
)
def test_what_is_said_of_a_pair(certificate: bytes, key: bytes, expected: str) -> None:
    assert check_key_pair(certificate, key) == expected
