"""The certificates of a bundle that a client is to believe, and client-go's words for one without any.

Source: client-go/transport/transport.go (rootCertPool), crypto/x509/cert_pool.go (AppendCertsFromPEM).
"""

from __future__ import annotations

from collections.abc import Iterator

from quarterdeck.apimachinery import pem

_SEQUENCE = 0x30


def read_certificates(bundle: bytes) -> Iterator[bytes]:
    """DER of what the bundle calls certificates, each a single value that may still be none."""
    for block in pem.blocks(bundle):
        if _is_certificate(block) and _end_of_sequence(block.content) == len(block.content):
            yield block.content


def find_problem(bundle: bytes) -> str:
    """Why a client cannot be made with the bundle; "" where one of its certificates is good, or it is empty."""
    if not bundle or any(not _parse_problem(der) for der in read_certificates(bundle)):
        return ""
    return f"unable to load root certificates: {_describe(bundle)}"


def _describe(bundle: bytes) -> str:
    """The first thing wrong with a bundle that has no good certificate."""
    for block in pem.blocks_and_rest(bundle):
        if block is None:
            return "unable to parse bytes as PEM block"
        if _is_certificate(block):
            return f"failed to parse certificate: x509: {_parse_problem(block.content)}"
    return "no valid certificate authority data seen"


def _is_certificate(block: pem.Block) -> bool:
    return block.kind == "CERTIFICATE" and not block.has_headers


def _parse_problem(der: bytes) -> str:
    """Go's words for the most frequent faults; others are told as a malformed certificate."""
    from cryptography import x509  # imported late: most servers know no bundle

    end = _end_of_sequence(der)
    try:
        x509.load_der_x509_certificate(der[:end])
    except ValueError:
        return "malformed certificate"
    return "trailing data" if end < len(der) else ""


def _end_of_sequence(der: bytes) -> int:
    """Where DER's first value ends; 0 where it is no sequence."""
    if len(der) < 2 or der[0] != _SEQUENCE:
        return 0
    length = der[1]
    if length < 0x80:
        return 2 + length
    behind = 2 + (length & 0x7F)
    return behind + int.from_bytes(der[2:behind], "big")
