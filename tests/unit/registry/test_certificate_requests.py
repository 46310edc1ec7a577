"""Certificate requests: what is refused, and what each of their addresses changes."""

from __future__ import annotations

import base64
from functools import cache
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding
from cryptography.x509.oid import NameOID

from quarterdeck.apimachinery import certificaterequest
from quarterdeck.registry.builtin.certificates.strategy import ApprovalStrategy, RequestStatusStrategy, RequestStrategy
from quarterdeck.registry.builtin.certificates.validation import check_signer_name


@cache
def build_request(organization: str = "devs") -> bytes:
    name = x509.Name(
        [x509.NameAttribute(NameOID.COMMON_NAME, "c"), x509.NameAttribute(NameOID.ORGANIZATION_NAME, organization)]
    )
    key = ec.generate_private_key(ec.SECP256R1())
    return (
        x509.CertificateSigningRequestBuilder().subject_name(name).sign(key, hashes.SHA256()).public_bytes(Encoding.DER)
    )


def in_pem(content: bytes, kind: str = "CERTIFICATE REQUEST") -> str:
    body = base64.encodebytes(content).decode()
    return base64.b64encode(f"-----BEGIN {kind}-----\n{body}-----END {kind}-----\n".encode()).decode()


def build(status: dict[str, Any] | None = None, **spec: Any) -> dict[str, Any]:
    whole = {"request": in_pem(build_request()), "signerName": "a.dev/s", "usages": ["client auth"], **spec}
    return {"metadata": {"name": "Any name"}, "spec": whole, "status": status or {}}


def decided(*kinds: str) -> dict[str, Any]:
    return {"conditions": [{"type": kind, "status": "True"} for kind in kinds]}


def told(problems: list[Any]) -> list[str]:
    return [str(problem) for problem in problems]


def test_a_name_has_to_be_part_of_an_address_once_the_rest_is_right() -> None:
    named = {"metadata": {"name": "a/b"}}
    found = told(RequestStrategy().validate({**build(), **named}, []))
    assert found == ["metadata.name: Invalid value: \"a/b\": may not contain '/'"]
    assert told(RequestStrategy().validate({**build(usages=[]), **named}, [])) == ["spec.usages: Required value"]


def test_a_whole_request_is_taken() -> None:
    assert told(RequestStrategy().check(build())) == []


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (b"", "asn1: syntax error: sequence truncated"),
        (b"\x30\x03\x02", "asn1: syntax error: data truncated"),
        (b"\x30\x01\x02\x03", "asn1: syntax error: trailing data"),
        (b"abc", "asn1: structure error: tags don't match (16 vs {class:1 tag:1 length:98 isCompound:true})"),
    ],
)
def test_what_is_no_request(content: bytes, text: str) -> None:
    assert certificaterequest.find_fault(in_pem(content)).startswith(text)


def test_a_request_is_signed_by_its_own_key() -> None:
    forged = bytearray(build_request())
    forged[forged.index(b"devs")] ^= 1
    assert certificaterequest.find_fault(in_pem(bytes(forged))) == "x509: ECDSA verification failure"
    assert certificaterequest.find_fault(in_pem(build_request(), "X")) == "PEM block type must be CERTIFICATE REQUEST"
    assert certificaterequest.organizations(in_pem(build_request("system:masters"))) == ["system:masters"]


@pytest.mark.parametrize(
    ("spec", "text"),
    [
        ({"usages": []}, "spec.usages: Required value"),
        ({"usages": ["any", "any"]}, 'spec.usages[1]: Duplicate value: "any"'),
        ({"expirationSeconds": 599}, "spec.expirationSeconds: Invalid value: 599: may not specify a duration less"),
        ({"signerName": "kubernetes.io/legacy-unknown"}, "spec.signerName: Invalid value:"),
        ({"request": None}, "spec.request: Invalid value: null: PEM block type"),
    ],
)
def test_what_is_wrong_with_a_request_is_told(spec: dict[str, Any], text: str) -> None:
    (problem,) = told(RequestStrategy().check(build(**spec)))
    assert problem.startswith(text)


@pytest.mark.parametrize(
    ("name", "texts"),
    [
        ("a.dev/s", []),
        ("a.dev/s.t", []),
        ("", ["Required value"]),
        ("a", ["must be a fully qualified domain and path of the form 'example.com/signer-name'"]),
        ("a/s", ["should be a domain with at least two segments separated by dots"]),
        ("A.dev/s", ['validating label "A": a lowercase RFC 1123 label must consist']),
        ("a.dev/", ['validating label "": a lowercase RFC 1123 subdomain must consist']),
        (f"{'a.' * 130}dev/s", ["may not be more than 253 bytes"]),
    ],
)
def test_names_of_signers(name: str, texts: list[str]) -> None:
    problems = told(check_signer_name("p", name))
    assert len(problems) == len(texts)
    assert all(text in problem for text, problem in zip(texts, problems, strict=True))


def test_approval_sets_conditions_alone() -> None:
    new, old = build({**decided("Approved"), "certificate": "YQ=="}, usages=["any"]), build()
    strategy = ApprovalStrategy()
    strategy.prepare_for_update(new, old)
    assert new["spec"] == old["spec"]
    (condition,) = new["status"].pop("conditions")
    assert condition["lastUpdateTime"] == condition["lastTransitionTime"]
    assert new["status"] == {}
    assert told(strategy.check_update(build(decided("Approved")), old)) == []
    assert told(strategy.check_update(build(decided("Denied")), build(decided("Approved")))) == [
        'status.conditions: Forbidden: updates may not remove a condition of type "Approved"'
    ]
    assert told(strategy.check_update(build(decided("Approved", "Denied")), build(decided("Approved")))) == [
        'status.conditions: Invalid value: "Denied": Approved and Denied conditions are mutually exclusive'
    ]


def test_the_status_keeps_decisions() -> None:
    strategy = RequestStatusStrategy()
    (known,) = decided("Approved")["conditions"]
    old = build({"conditions": [{**known, "lastUpdateTime": "t", "lastTransitionTime": "t"}]})
    new = build(decided("Approved", "Failed"))
    strategy.prepare_for_update(new, old)
    assert new["status"]["conditions"][0] == old["status"]["conditions"][0]
    assert told(strategy.check_update(new, old)) == []
    assert told(strategy.check_update(build(decided("Approved")), build())) == [
        'status.conditions: Forbidden: updates may not add a condition of type "Approved"'
    ]


@pytest.mark.parametrize(
    ("certificate", "text"),
    [
        (base64.b64encode(b"x").decode(), "must contain at least one CERTIFICATE PEM block"),
        (in_pem(b"x", "KEY"), 'only CERTIFICATE PEM blocks are allowed, found "KEY"'),
        (in_pem(b"x", "CERTIFICATE"), "x509: malformed certificate"),
    ],
)
def test_certificates(certificate: str, text: str) -> None:
    new = build({"certificate": certificate})
    assert told(RequestStatusStrategy().check_update(new, build())) == [
        f'status.certificate: Invalid value: "<certificate data>": {text}'
    ]
    assert told(RequestStatusStrategy().check_update(new, new)) == []  # what is there already is left alone
    assert told(RequestStrategy().check_update(new, build()))[-1] == (
        "status.certificate: Forbidden: updates may not set certificate content"
    )


# Signed by SHA-1, by `openssl req -new -sha1`: libraries do not make them any more.
BY_SHA1_RSA = (
    "MIIBSzCBtQIBADAMMQowCAYDVQQDDAF4MIGfMA0GCSqGSIb3DQEBAQUAA4GNADCBiQKBgQC5rgbpJzM/qIS8dH12u75/asNHwIzFM8EvA0AjjM"
    "ygiC1wRzSQWXVcvYg0Yyoo42fiqUI3Hp041E4DKP2cq7K1kjPJ4zPUEQHX0RXCEqNCaTsAPmmmyzqOUtqe7pGiI4solAD9ptZMdP/qT4C9A7+Z"
    "BsbvRHc6oT9or02yGh15hwIDAQABoAAwDQYJKoZIhvcNAQEFBQADgYEApD9QRY0fNRQLvj/fMSbHLtpgb0Zqoq2RdJrh57KoPxp/aFcP/SJjoJ"
    "QcG8/qHt94wb7PnsLOR/CiJZHXgrav2r4l9Ma4QKgnQAHUxV8byCe4gqz1Dvfj+2+qFijINQQugsSUEBUHrovaM+vG6JuKONjSG7PIALPqb3YS"
    "5PYip8s="
)
BY_SHA1_ECDSA = (
    "MIHEMG4CAQAwDDEKMAgGA1UEAwwBeDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABBYOrPVr0atI3jj2fZ9MHcJO72xlOsd6MBvGdc3ue9OqU3"
    "Grb6Oju3HF/pywXLkurHTE0yKeV4O5G4GlhYcH+mOgADAJBgcqhkjOPQQBA0cAMEQCIDsLaU13WfSpEGWN/Shi/0d+y4bM0313y+z02XsPJxy5"
    "AiAwsBn6O2wqKUObWV1T6dqE4TJ3rsimNFtkPVjSRsLB9Q=="
)


@pytest.mark.parametrize(
    ("content", "told"),
    [(BY_SHA1_RSA, "crypto/rsa: verification error"), (BY_SHA1_ECDSA, "x509: ECDSA verification failure")],
    ids=["RSA", "ECDSA"],
)
def test_signatures_by_sha1_are_taken(content: str, told: str) -> None:
    data = base64.b64decode(content)
    assert certificaterequest.find_fault(in_pem(data)) == ""
    forged = data.replace(b"\x0c\x01x", b"\x0c\x01y")  # the name
    assert forged != data
    assert certificaterequest.find_fault(in_pem(forged)) == told
