"""What Kubernetes' own signers take, and what stands in the certificates that they give."""

from __future__ import annotations

import datetime
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from quarterdeck.controllers.optional import issuing
from quarterdeck.controllers.optional.issuing import Authority

KEY = ec.generate_private_key(ec.SECP256R1())
NOW_S = 1_800_000_000.0
CLIENT_USAGES = ["digital signature", "key encipherment", "client auth"]
SERVER_USAGES = ["digital signature", "server auth"]
NODE = {"common_name": "system:node:n", "organization": "system:nodes"}


def ask(common_name: str = "ann", organization: str = "", *names: x509.GeneralName) -> bytes:
    parts = [x509.NameAttribute(NameOID.COMMON_NAME, common_name)]
    if organization:
        parts.append(x509.NameAttribute(NameOID.ORGANIZATION_NAME, organization))
    builder = x509.CertificateSigningRequestBuilder().subject_name(x509.Name(parts))
    if names:
        builder = builder.add_extension(x509.SubjectAlternativeName(names), critical=False)
    return builder.sign(KEY, hashes.SHA256()).public_bytes(serialization.Encoding.PEM)


def authority(days: int = 3650) -> Authority:
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "ca")])
    begin = datetime.datetime.fromtimestamp(NOW_S, datetime.UTC)
    builder = x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(KEY.public_key())
    builder = builder.serial_number(1).not_valid_before(begin)
    return Authority(builder.not_valid_after(begin + datetime.timedelta(days=days)).sign(KEY, hashes.SHA256()), KEY)


DNS, EMAIL = x509.DNSName("n.example.com"), x509.RFC822Name("a@example.com")


@pytest.mark.parametrize(
    ("signer", "request_", "usages", "text"),
    [
        (issuing.CLIENT, ask(), CLIENT_USAGES, ""),
        (issuing.CLIENT, ask(), ["digital signature"], "missing required usage for client certificate: client auth"),
        (issuing.CLIENT, ask(), ["server auth"], "invalid usage for client certificate: server auth"),
        (issuing.KUBELET_CLIENT, ask(*NODE.values()), CLIENT_USAGES, ""),
        (issuing.KUBELET_CLIENT, ask("system:node:n"), CLIENT_USAGES, "subject organization is not system:nodes"),
        (issuing.KUBELET_CLIENT, ask(*NODE.values(), DNS), CLIENT_USAGES, "DNS subjectAltNames are not allowed"),
        (
            issuing.KUBELET_CLIENT,
            ask("n", "system:nodes"),
            CLIENT_USAGES,
            "subject common name does not begin with system:node: ",
        ),
        (
            issuing.KUBELET_CLIENT,
            ask(*NODE.values()),
            ["client auth"],
            "usages did not match [client auth digital signature key encipherment]",
        ),
        (issuing.KUBELET_SERVING, ask(*NODE.values(), DNS), SERVER_USAGES, ""),
        (issuing.KUBELET_SERVING, ask(*NODE.values()), SERVER_USAGES, "DNS or IP subjectAltName is required"),
        (
            issuing.KUBELET_SERVING,
            ask(*NODE.values(), DNS, EMAIL),
            SERVER_USAGES,
            "Email subjectAltNames are not allowed",
        ),
        (issuing.LEGACY, ask(), ["any"], ""),
    ],
)
def test_each_signer_takes_its_own(signer: str, request_: bytes, usages: list[str], text: str) -> None:
    if not text:
        issuing.check(signer, request_, usages)
        return
    with pytest.raises(issuing.NotTaken) as raised:
        issuing.check(signer, request_, usages)
    assert str(raised.value) == text


def issue(usages: list[str], duration_s: int, days: int = 3650) -> Any:
    return x509.load_pem_x509_certificate(
        issuing.issue(ask("ann", "staff", DNS), usages, duration_s, NOW_S, authority(days))
    )


def test_a_certificate_says_what_was_asked_for() -> None:
    found = issue([*CLIENT_USAGES, "decipher only"], 3600)
    found.verify_directly_issued_by(authority().certificate)
    assert found.subject.rfc4514_string() == "O=staff,CN=ann"
    assert found.not_valid_after_utc.timestamp() == NOW_S + 3600
    assert found.not_valid_before_utc.timestamp() == NOW_S - issuing.BACKDATE_S
    extensions = found.extensions
    assert list(extensions.get_extension_for_class(x509.ExtendedKeyUsage).value) == [ExtendedKeyUsageOID.CLIENT_AUTH]
    usage = extensions.get_extension_for_class(x509.KeyUsage).value
    assert usage.digital_signature
    assert usage.key_encipherment
    assert not usage.key_cert_sign
    assert not extensions.get_extension_for_class(x509.BasicConstraints).value.ca
    names = extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    assert names.get_values_for_type(x509.DNSName) == ["n.example.com"]


@pytest.mark.parametrize(
    ("duration_s", "whole_s"), [(600, 900), (8 * 3600 - 1, 8 * 3600 + 299), (8 * 3600, 8 * 3600), (86400, 86400)]
)
def test_a_long_certificate_holds_as_long_as_was_asked_for_from_when_it_begins(duration_s: int, whole_s: int) -> None:
    found = issue(CLIENT_USAGES, duration_s)
    assert found.not_valid_before_utc.timestamp() == NOW_S - issuing.BACKDATE_S
    assert (found.not_valid_after_utc - found.not_valid_before_utc).total_seconds() == whole_s


def test_an_authority_that_has_expired_issues_nothing() -> None:
    assert issue(CLIENT_USAGES, 600, days=1)
    with pytest.raises(ValueError, match="expired in the past"):
        issue(CLIENT_USAGES, 600, days=0)


def test_a_certificate_does_not_outlive_its_authority() -> None:
    assert issue(CLIENT_USAGES, 10 * 86400, days=2).not_valid_after_utc.timestamp() == NOW_S + 2 * 86400
