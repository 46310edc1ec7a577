"""Bundles of certificates: one good certificate is enough, and what is told of bundles that have none."""

from __future__ import annotations

import base64

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding

from quarterdeck.transport.client import bundle as bundles
from quarterdeck.transport.client.trust import Trust, UntrustableBundle
from support.certificates import Certificate

GOOD = Certificate("authority", is_authority=True).pem
DER = x509.load_pem_x509_certificate(GOOD).public_bytes(Encoding.DER)
NO_PEM = "unable to parse bytes as PEM block"
NONE = "no valid certificate authority data seen"


def block(data: bytes, kind: str = "CERTIFICATE", headers: str = "") -> bytes:
    return f"-----BEGIN {kind}-----\n{headers}{base64.b64encode(data).decode()}\n-----END {kind}-----\n".encode()


BAD = block(b"hello")


@pytest.mark.parametrize(
    "bundle",
    [
        GOOD,
        GOOD + BAD,
        BAD + GOOD,
        block(DER, headers="A: b\n\n") + GOOD,
        b"-----BEGIN CERTIFICATE-----\n" + GOOD,
        b"text\n" + GOOD.replace(b"\n", b" \r\n") + b"text",
    ],
)
def test_one_good_certificate_is_enough(bundle: bytes) -> None:
    assert bundles.find_problem(bundle) == ""
    assert Trust(bundle).context.cert_store_stats()["x509"] == 1


@pytest.mark.parametrize(
    ("bundle", "text"),
    [
        (b"no", NO_PEM),
        (block(b"x", "PRIVATE KEY"), NONE),
        (block(DER, "X509 CERTIFICATE"), NONE),
        (block(DER, headers="A: b\n\n"), NONE),
        (block(b"x", "PRIVATE KEY") + b"text", NO_PEM),
        (GOOD.replace(b"\n", b""), NO_PEM),
        (GOOD.replace(b"-----END", b" -----END"), NO_PEM),
        (GOOD.replace(b"END CERTIFICATE", b"END CERT"), NO_PEM),
        (b"text " + GOOD, NO_PEM),
        (b"-----BEGIN CERTIFICATE-----\n!!!\n-----END CERTIFICATE-----\n", NO_PEM),
        (b"-----BEGIN CERTIFICATE-----\nA: b\n-----END CERTIFICATE-----\n", NO_PEM),
        (b"-----BEGIN CERTIFICATE-----", NO_PEM),
        (
            b"-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----",
            "failed to parse certificate: x509: malformed certificate",
        ),
        (BAD, "failed to parse certificate: x509: malformed certificate"),
        (block(DER[:-1]), "failed to parse certificate: x509: malformed certificate"),
        (block(DER + b"x"), "failed to parse certificate: x509: trailing data"),
    ],
)
def test_what_is_told_of_bundles_without_a_certificate(bundle: bytes, text: str) -> None:
    whole = f"unable to load root certificates: {text}"
    assert bundles.find_problem(bundle) == whole
    with pytest.raises(UntrustableBundle) as raised:
        Trust(bundle)
    assert str(raised.value) == whole
