"""Keys, names and signatures of certificate requests: what Go does not take, which OpenSSL mostly does."""

from __future__ import annotations

import base64
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, ed448, ed25519, padding, rsa
from cryptography.hazmat.primitives.serialization import Encoding

from quarterdeck.apimachinery import requestsignature

UNKNOWN = "x509: cannot verify signature: algorithm unimplemented"
RSA_SHA256 = bytes.fromhex("06092a864886f70d01010b")

# By `openssl req -new`: with a key of 512 bits, one whose point is compressed, and one that spells out its curve.
OF_512_BITS = (
    "MIHFMHECAQAwDDEKMAgGA1UEAwwBeDBcMA0GCSqGSIb3DQEBAQUAA0sAMEgCQQDUg/TQI/fo82jK5Q5CEqLf2WoArP62R63j/5KZJdc8jaxWMK"
    "WteWeQtqEbdAEzb7Tu4aNs5B04ijr7hA56K6sfAgMBAAGgADANBgkqhkiG9w0BAQsFAANBAFv5ah3yLqWVfUE1ULxMPRcPL+QZTja4b3IYIKFn"
    "rD1So/zqDkDJSSyJ4ns9QpYMuDyGdHYdoyqsVR3EcyFo26k="
)
COMPRESSED = (
    "MIGnME4CAQAwDDEKMAgGA1UEAwwBeDA5MBMGByqGSM49AgEGCCqGSM49AwEHAyIAA4IwfF7snoN7n0LdAoPj6KGt/JttkyE9XEL2I6OcazPdoA"
    "AwCgYIKoZIzj0EAwIDSQAwRgIhAJ2iEeNkaS+whBlGT1OEbHMnRqpD+evcAnqQf7Vi9WeSAiEAwrdP0dnrRtJPmoAYScOczuTpTpCyvvZHCYeN"
    "++UOEnc="
)
SPELLED_OUT = (
    "MIIBuzCCAWICAQAwDDEKMAgGA1UEAwwBeDCCAUswggEDBgcqhkjOPQIBMIH3AgEBMCwGByqGSM49AQECIQD/////AAAAAQAAAAAAAAAAAAAAAP"
    "///////////////zBbBCD/////AAAAAQAAAAAAAAAAAAAAAP///////////////AQgWsY12Ko6k+ez671VdpiGvGUdBrDMU7D2O848PifSYEsD"
    "FQDEnTYIhucEk2pmeOETnSa3gZ9+kARBBGsX0fLhLEJH+Lzm5WOkQPJ3A32BLeszoPShOUXYmMKWT+NC4v4af5uO5+tKfA+eFivOM1drMV7Oy7"
    "ZAaDe/UfUCIQD/////AAAAAP//////////vOb6racXnoTzucrC/GMlUQIBAQNCAARdbsQUZTu1nEY3/1u7yQNICO6gp8qjPz6tmiCnym+k2VO2"
    "UMq0QgcddhSwrvBfX4FakF/udmPDpKNXwjK7hDdOoAAwCgYIKoZIzj0EAwIDRwAwRAIgHIDEtqK0YxgalBX/B+N+4zzDjkWmQ/Q/Sc/rzN75Ln"
    "sCIHD8uWXrj8/kWT1GP4duXlUbvDt0zwCvPlm9jmmhnZJz"
)


def find(data: bytes) -> str:
    return requestsignature.find_fault(x509.load_der_x509_csr(data))


def sign(key: Any, digest: Any = None, names: list[x509.GeneralName] | None = None, **options: Any) -> bytes:
    builder = x509.CertificateSigningRequestBuilder().subject_name(x509.Name([]))
    if names is not None:
        builder = builder.add_extension(x509.SubjectAlternativeName(names), critical=False)
    return builder.sign(key, digest, **options).public_bytes(Encoding.DER)


@pytest.fixture(scope="module")
def rsa_key() -> rsa.RSAPrivateKey:
    return rsa.generate_private_key(65537, 2048)


@pytest.mark.parametrize("curve", [ec.SECP224R1(), ec.SECP256R1(), ec.SECP384R1(), ec.SECP521R1()])
def test_four_curves_are_taken(curve: ec.EllipticCurve) -> None:
    assert find(sign(ec.generate_private_key(curve), hashes.SHA384())) == ""


@pytest.mark.parametrize("curve", [ec.SECP256K1(), ec.BrainpoolP256R1()])
def test_others_are_not(curve: ec.EllipticCurve) -> None:
    assert find(sign(ec.generate_private_key(curve), hashes.SHA256())) == "x509: unsupported elliptic curve"


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (OF_512_BITS, "crypto/rsa: 512-bit keys are insecure (see https://go.dev/pkg/crypto/rsa#hdr-Minimum_key_size)"),
        (COMPRESSED, "ecdsa: invalid uncompressed public key"),
        (SPELLED_OUT, "x509: invalid ECDSA parameters"),
    ],
    ids=["512 bits", "compressed", "spelled out"],
)
def test_keys_that_go_does_not_take(content: str, told: str) -> None:
    assert find(base64.b64decode(content)) == told


def test_a_point_has_to_be_on_its_curve() -> None:
    data = bytearray(sign(ec.generate_private_key(ec.SECP256R1()), hashes.SHA256()))
    data[data.index(b"\x00\x04") + 9] ^= 1
    assert find(bytes(data)) == "P256 point not on curve"


def test_kinds_of_keys_that_go_does_not_know() -> None:
    assert find(sign(ed25519.Ed25519PrivateKey.generate())) == ""
    assert find(sign(ed448.Ed448PrivateKey.generate())) == UNKNOWN


@pytest.mark.parametrize("digest", [hashes.SHA224(), hashes.SHA3_256()])
def test_hashes_that_go_does_not_take(digest: hashes.HashAlgorithm, rsa_key: rsa.RSAPrivateKey) -> None:
    assert find(sign(rsa_key, digest)) == UNKNOWN
    assert find(sign(ec.generate_private_key(ec.SECP256R1()), digest)) == UNKNOWN


@pytest.mark.parametrize(
    ("last", "told"),
    [
        ("04", "x509: cannot verify signature: insecure algorithm MD5-RSA"),
        ("0c", "crypto/rsa: verification error"),
        ("0e", UNKNOWN),
    ],
)
def test_algorithms_are_told_apart(last: str, told: str, rsa_key: rsa.RSAPrivateKey) -> None:
    data = sign(rsa_key, hashes.SHA256())
    assert find(data.replace(RSA_SHA256, RSA_SHA256[:-1] + bytes.fromhex(last))) == told


def test_an_algorithm_of_another_kind_of_key(rsa_key: rsa.RSAPrivateKey) -> None:
    data = sign(ed25519.Ed25519PrivateKey.generate())
    assert data[:2] == b"\x30\x7f"  # the length of the rest, which grows by 5
    head, _, tail = data[2:].rpartition(bytes.fromhex("300506032b6570"))
    told = find(b"\x30\x81\x84" + head + bytes.fromhex("300a06082a8648ce3d040302") + tail)
    text = "x509: signature algorithm specifies an ECDSA public key, but have public key of type ed25519.PublicKey"
    assert told == text


@pytest.mark.parametrize(("salt", "told"), [(32, ""), (20, UNKNOWN), (222, UNKNOWN)])
def test_salts_are_as_long_as_their_hash(salt: int, told: str, rsa_key: rsa.RSAPrivateKey) -> None:
    pss = padding.PSS(padding.MGF1(hashes.SHA256()), salt)
    assert find(sign(rsa_key, hashes.SHA256(), rsa_padding=pss)) == told


def test_names_are_read() -> None:
    key = ec.generate_private_key(ec.SECP256R1())
    good = [x509.DNSName("a.dev"), x509.UniformResourceIdentifier("spiffe://a/b")]
    assert find(sign(key, hashes.SHA256(), good)) == ""
    told = 'x509: cannot parse URI "http://x/%zz": parse "http://x/%zz": invalid URL escape "%zz"'
    assert find(sign(key, hashes.SHA256(), [x509.UniformResourceIdentifier("http://x/%zz")])) == told
