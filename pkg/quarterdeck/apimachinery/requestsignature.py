"""Which keys and signatures of certificate requests Go's crypto/x509 takes, and its words for the others.

OpenSSL takes many more: curves, hashes, short keys, points in other spellings.
Source: go/src/crypto/x509/{parser,x509}.go (parsePublicKey, checkSignature, parseSANExtension).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from quarterdeck.apimachinery import gofmt, gourl

if TYPE_CHECKING:
    from cryptography.x509 import CertificateSigningRequest

_RSA_KEY: Final = bytes.fromhex("2a864886f70d010101")
_EC_KEY: Final = bytes.fromhex("2a8648ce3d0201")
_ED25519: Final = bytes.fromhex("2b6570")
# By the identifier of a kind of keys: as Go names it, and its type.
_KEYS: Final = {
    _RSA_KEY: ("RSA", "*rsa.PublicKey"),
    _EC_KEY: ("ECDSA", "*ecdsa.PublicKey"),
    _ED25519: ("Ed25519", "ed25519.PublicKey"),
}
# By their identifier: curves, and the bytes of a coordinate.
_CURVES: Final = {
    bytes.fromhex("2b81040021"): ("P224", 28),
    bytes.fromhex("2a8648ce3d030107"): ("P256", 32),
    bytes.fromhex("2b81040022"): ("P384", 48),
    bytes.fromhex("2b81040023"): ("P521", 66),
}
_MD5: Final = bytes.fromhex("2a864886f70d010104")
_PSS: Final = bytes.fromhex("2a864886f70d01010a")
# By the identifier of an algorithm: the kind of keys that it is for.
_ALGORITHMS: Final = {
    **{bytes.fromhex(f"2a864886f70d0101{each}"): "RSA" for each in ("05", "0b", "0c", "0d")},
    **{bytes.fromhex(f"2a8648ce3d04{each}"): "ECDSA" for each in ("01", "0302", "0303", "0304")},
    _PSS: "RSA",
    _ED25519: "Ed25519",
}
_RSA_BITS_MIN: Final = 1024
_NULL: Final = (0x05, b"")
_IDENTIFIER: Final = 0x06
_UNCOMPRESSED: Final = 4
_UNKNOWN: Final = "x509: cannot verify signature: algorithm unimplemented"
_FAILURES: Final = {
    "RSA": "crypto/rsa: verification error",
    "ECDSA": "x509: ECDSA verification failure",
    "Ed25519": "x509: Ed25519 verification failure",
}

_Value = tuple[int, bytes]  # in DER: its tag and content


def find_fault(request: CertificateSigningRequest) -> str:
    """Of the key, the names that it is asked for and the signature, "" for none."""
    from cryptography.hazmat.primitives.serialization import Encoding

    signed = _members(_members(request.tbs_certrequest_bytes)[0][1])
    algorithm = _members(_members(_members(request.public_bytes(Encoding.DER))[0][1])[1][1])
    key = _members(signed[2][1])
    return (
        _find_fault_of_key(request, key)
        or _find_fault_of_names(request)
        or _find_fault_of_signature(request, _members(key[0][1])[0][1], algorithm)
    )


def _members(content: bytes) -> list[_Value]:
    """The values in a content, which has been parsed before."""
    found, at = [], 0
    while at < len(content):
        tag, length, start = content[at], content[at + 1], at + 2
        if length & 0x80:
            start += length & 0x7F
            length = int.from_bytes(content[at + 2 : start], "big")
        at = start + length
        found.append((tag, content[start:at]))
    return found


def _find_fault_of_key(request: CertificateSigningRequest, key: list[_Value]) -> str:
    (_, kind), *parameters = _members(key[0][1])
    if kind == _RSA_KEY and parameters != [_NULL]:
        return "x509: RSA key missing NULL parameters"
    if kind != _EC_KEY:
        return ""
    if not parameters or parameters[0][0] != _IDENTIFIER:
        return "x509: invalid ECDSA parameters"
    curve, size = _CURVES.get(parameters[0][1], ("", 0))
    if not curve:
        return "x509: unsupported elliptic curve"
    if key[1][1][:2] != bytes((0, _UNCOMPRESSED)) or len(key[1][1]) != 2 + 2 * size:
        return "ecdsa: invalid uncompressed public key"
    try:
        request.public_key()
    except ValueError:
        return f"{curve} point not on curve"
    return ""


def _find_fault_of_names(request: CertificateSigningRequest) -> str:
    from cryptography.x509 import ExtensionNotFound, SubjectAlternativeName, UniformResourceIdentifier

    try:
        names = request.extensions.get_extension_for_class(SubjectAlternativeName).value
    except ExtensionNotFound:
        return ""
    except ValueError:
        return "x509: invalid subject alternative names"
    for address in names.get_values_for_type(UniformResourceIdentifier):
        try:
            gourl.parse(address)
        except gourl.URLError as error:
            return f"x509: cannot parse URI {gofmt.quote(address)}: {error}"
    return ""


def _find_fault_of_signature(request: CertificateSigningRequest, key: bytes, algorithm: list[_Value]) -> str:
    from cryptography.hazmat.primitives.asymmetric import rsa

    name = algorithm[0][1]
    if name == _MD5:
        return "x509: cannot verify signature: insecure algorithm MD5-RSA"
    wanted, (kind, go_type) = _ALGORITHMS.get(name, ""), _KEYS.get(key, ("", ""))
    if not wanted or not kind or (name == _PSS and not _is_usual_pss(algorithm[1:])):
        return _UNKNOWN
    if kind != wanted:
        return f"x509: signature algorithm specifies an {wanted} public key, but have public key of type {go_type}"
    public = request.public_key()
    if isinstance(public, rsa.RSAPublicKey) and public.key_size < _RSA_BITS_MIN:
        about = "https://go.dev/pkg/crypto/rsa#hdr-Minimum_key_size"
        return f"crypto/rsa: {public.key_size}-bit keys are insecure (see {about})"
    return "" if request.is_signature_valid or _fits_sha1(request) else _FAILURES[kind]


def _is_usual_pss(parameters: list[_Value]) -> bool:
    """Whether hash, mask and salt go together: SHA-256, SHA-384 or SHA-512 for all three."""
    return any(parameters == [(0x30, _write_pss(*each))] for each in ((1, 32), (2, 48), (3, 64)))


def _write_pss(number: int, size: int) -> bytes:
    digest = bytes.fromhex(f"300d06096086480165030402{number:02x}0500")
    mask = bytes.fromhex("301a06092a864886f70d010108") + digest
    return b"\xa0\x0f" + digest + b"\xa1\x1c" + mask + bytes((0xA2, 3, 2, 1, size))


def _fits_sha1(request: CertificateSigningRequest) -> bool:
    """Whether the signature is one by SHA-1, which OpenSSL does not take any more. Go does in requests, since who signs
    one has no reason to forge it (crypto/x509, CertificateRequest.CheckSignature)."""
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives import hashes
    from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa
    from cryptography.x509 import SignatureAlgorithmOID

    key, signature, signed = request.public_key(), request.signature, request.tbs_certrequest_bytes
    try:
        match key, request.signature_algorithm_oid:
            case rsa.RSAPublicKey(), SignatureAlgorithmOID.RSA_WITH_SHA1:
                key.verify(signature, signed, padding.PKCS1v15(), hashes.SHA1())
            case ec.EllipticCurvePublicKey(), SignatureAlgorithmOID.ECDSA_WITH_SHA1:
                key.verify(signature, signed, ec.ECDSA(hashes.SHA1()))
            case _:
                return False
    except InvalidSignature:
        return False
    return True
