"""Certificate signing requests and certificates in PEM, judged with the words of Go's crypto/x509.

Source: pkg/apis/certificates/helpers.go (ParseCSR), validation.go (validateCSR, validateCertificate).
"""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Final

from quarterdeck.apimachinery import gofmt, pem, requestsignature

if TYPE_CHECKING:
    from cryptography.x509 import CertificateSigningRequest

_REQUEST: Final = "CERTIFICATE REQUEST"
_CERTIFICATE: Final = "CERTIFICATE"
_MALFORMED_CERTIFICATE: Final = "x509: malformed certificate"  # Differs from upstream: Go's parser tells what is wrong.
# The outermost value of a request, as Go's encoding/asn1 names it.
_SEQUENCE: Final = 16
_TYPE: Final = "certificateRequest"
_OPTIONS: Final = (
    "{optional:false explicit:false application:false private:false defaultValue:<nil> tag:<nil> stringType:0"
    " timeType:0 set:false omitEmpty:false}"
)


class BadRequestText(ValueError):
    """What is no certificate request; the text says why."""


def find_fault(request: str) -> str:
    """Of a request in base64, "" for none: its form, its key and its signature."""
    from cryptography.exceptions import UnsupportedAlgorithm

    try:
        return requestsignature.find_fault(_parse(request))
    except BadRequestText as error:
        return str(error)
    except (UnsupportedAlgorithm, ValueError, TypeError):
        return "x509: cannot verify signature: algorithm unimplemented"


def organizations(request: str) -> list[str]:
    """Of the subject; none of what cannot be read, which validation refuses."""
    from cryptography.x509 import NameOID

    try:
        subject = _parse(request).subject
        return [str(each.value) for each in subject.get_attributes_for_oid(NameOID.ORGANIZATION_NAME)]
    except ValueError:
        return []


def common_name(request: str) -> str:
    """Of the subject, "" for none. Raises ValueError for what cannot be read."""
    from cryptography.x509 import NameOID

    found = _parse(request).subject.get_attributes_for_oid(NameOID.COMMON_NAME)
    return str(found[-1].value) if found else ""


def find_fault_of_certificates(encoded: str) -> str:
    """Of certificates in PEM in base64, "" for none."""
    from cryptography import x509

    count = 0
    for block in pem.blocks(base64.b64decode(encoded)):
        if block.kind != _CERTIFICATE:
            return f"only CERTIFICATE PEM blocks are allowed, found {gofmt.quote(block.kind)}"
        if block.has_headers:
            return "no PEM block headers are permitted"
        count += 1
        if not block.content:
            return "found CERTIFICATE PEM block containing 0 certificates"
        try:
            x509.load_der_x509_certificate(block.content)
        except ValueError:
            return _MALFORMED_CERTIFICATE
    return "" if count else "must contain at least one CERTIFICATE PEM block"


def _parse(request: str) -> CertificateSigningRequest:
    """Raises BadRequestText."""
    # Takes long to import, and few servers are asked for certificates.
    from cryptography import x509

    block = next(pem.blocks(base64.b64decode(request)), None)
    if block is None or block.kind != _REQUEST:
        raise BadRequestText(f"PEM block type must be {_REQUEST}")
    try:
        return x509.load_der_x509_csr(block.content)
    except ValueError as error:
        raise BadRequestText(_explain(block.content)) from error


def _explain(content: bytes) -> str:
    """What Go says of a request that cannot be read, as far as its outermost value tells."""
    if len(content) < 2:
        return f"asn1: syntax error: {'truncated tag or length' if content else 'sequence truncated'}"
    tag, length, offset = content[0], content[1], 2
    if length & 0x80:
        count = length & 0x7F
        if not count:
            return "asn1: syntax error: indefinite length found (not DER)"
        length, offset = int.from_bytes(content[2 : 2 + count], "big"), 2 + count
        if offset > len(content):
            return "asn1: syntax error: truncated tag or length"
    is_compound = bool(tag & 0x20)
    if (tag >> 6, tag & 0x1F, is_compound) != (0, _SEQUENCE, True):
        compound = "true" if is_compound else "false"
        found = f"{{class:{tag >> 6} tag:{tag & 0x1F} length:{length} isCompound:{compound}}}"
        text = f"tags don't match ({_SEQUENCE} vs {found}) {_OPTIONS} {_TYPE} @{offset}"
        return f"asn1: structure error: {text}"
    if offset + length < len(content):
        return "asn1: syntax error: trailing data"
    if not length:
        return "asn1: syntax error: sequence truncated"
    return "asn1: syntax error: data truncated"
