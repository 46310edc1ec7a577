"""Signed compact JWTs (RFC 7515, 7518) by RSA and elliptic-curve keys: what tokens of service accounts are made of.

A key has one algorithm, and a token is judged by its key's: what its header says must agree and is never obeyed, so
that neither `none` nor a MAC under a public key is ever in question. A JWT library would cost 0.3 s of imports at the
first token for two calls into `cryptography`, which does all that is cryptography and is imported late itself (50 ms).

Source: pkg/serviceaccount/jwt.go (signerFromPrivateKey, keyIDFromPublicKey), openidmetadata.go; go-jose/jws.go.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from cryptography.hazmat.primitives import hashes
    from cryptography.hazmat.primitives.asymmetric import ec, rsa

    PublicKey = rsa.RSAPublicKey | ec.EllipticCurvePublicKey
    PrivateKey = rsa.RSAPrivateKey | ec.EllipticCurvePrivateKey

_TOKEN_BYTES_MAX: Final = 64 * 1024
_HEADER_TEXTS: Final = ("alg", "kid", "nonce")
_RSA_BITS: Final = 2048
# By the curve's name: algorithm, bytes of a coordinate, name in a JWK.
_CURVES: Final = {
    "secp256r1": ("ES256", 32, "P-256"),
    "secp384r1": ("ES384", 48, "P-384"),
    "secp521r1": ("ES512", 66, "P-521"),
}


class UnusableKey(ValueError):
    """A file without a key that can be used."""


class VerificationKey:
    """Raises UnusableKey for a kind of key that tokens are not signed with."""

    def __init__(self, key: PublicKey) -> None:
        from cryptography.hazmat.primitives import serialization
        from cryptography.hazmat.primitives.asymmetric import ec, rsa

        self._key = key
        if isinstance(key, rsa.RSAPublicKey):
            self.algorithm = "RS256"
        elif isinstance(key, ec.EllipticCurvePublicKey) and key.curve.name in _CURVES:
            self.algorithm = _CURVES[key.curve.name][0]
        else:
            raise UnusableKey("unknown private key type, must be *rsa.PrivateKey, *ecdsa.PrivateKey")
        der = key.public_bytes(serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo)
        self.key_id = encode_part(hashlib.sha256(der).digest())

    def verify(self, signature: bytes, data: bytes) -> bool:
        from cryptography.exceptions import InvalidSignature
        from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa, utils

        try:
            if isinstance(self._key, rsa.RSAPublicKey):
                self._key.verify(signature, data, padding.PKCS1v15(), _hash_of(self.algorithm))
                return True
            size = _CURVES[self._key.curve.name][1]
            if len(signature) != 2 * size:
                return False
            r, s = int.from_bytes(signature[:size], "big"), int.from_bytes(signature[size:], "big")
            self._key.verify(utils.encode_dss_signature(r, s), data, ec.ECDSA(_hash_of(self.algorithm)))
        except InvalidSignature:
            return False
        return True

    def to_jwk(self) -> dict[str, str]:
        from cryptography.hazmat.primitives.asymmetric import rsa

        common = {"use": "sig", "kid": self.key_id, "alg": self.algorithm}
        numbers = self._key.public_numbers()
        if isinstance(self._key, rsa.RSAPublicKey):
            return {**common, "kty": "RSA", "n": _encode_number(numbers.n), "e": _encode_number(numbers.e)}  # type: ignore[union-attr]
        _, size, curve = _CURVES[self._key.curve.name]
        x, y = (encode_part(part.to_bytes(size, "big")) for part in (numbers.x, numbers.y))  # type: ignore[union-attr]
        return {**common, "kty": "EC", "crv": curve, "x": x, "y": y}


class SigningKey:
    def __init__(self, key: PrivateKey) -> None:
        self._key = key
        self.public = VerificationKey(key.public_key())

    def sign(self, claims: dict[str, Any]) -> str:
        header = {"alg": self.public.algorithm, "kid": self.public.key_id}
        data = b".".join(_encode_json(part) for part in (header, claims))
        return f"{data.decode()}.{encode_part(self._sign(data))}"

    def _sign(self, data: bytes) -> bytes:
        from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa, utils

        if isinstance(self._key, rsa.RSAPrivateKey):
            return self._key.sign(data, padding.PKCS1v15(), _hash_of(self.public.algorithm))
        size = _CURVES[self._key.curve.name][1]
        r, s = utils.decode_dss_signature(self._key.sign(data, ec.ECDSA(_hash_of(self.public.algorithm))))
        return r.to_bytes(size, "big") + s.to_bytes(size, "big")


class Token:
    """A token that has not been verified yet."""

    def __init__(self, header: dict[str, Any], claims: dict[str, Any], signature: bytes, signed: bytes) -> None:
        self.header = header
        self.claims = claims
        self.signature = signature
        self.signed = signed

    @classmethod
    def parse(cls, text: str) -> Token | None:
        """None for what is no compact JWT."""
        if len(text) > _TOKEN_BYTES_MAX or text.count(".") != 2 or not text.isascii():
            return None
        head, payload, tail = text.split(".")
        # Upstream looks for the issuer before it strips the token of blanks, where base64 may have line breaks alone.
        head, payload, tail = "".join(head.split()), payload.replace("\r", "").replace("\n", ""), "".join(tail.split())
        try:
            header, claims = json.loads(_decode_part(head) or b"{}"), json.loads(_decode_part(payload))
            signature = _decode_part(tail)
        except (ValueError, binascii.Error, RecursionError):
            return None
        header = {} if header is None else header
        if not _is_header(header) or not isinstance(claims, dict):
            return None
        return cls(header, claims, signature, f"{head}.{payload}".encode())

    def is_signed_by(self, key: VerificationKey) -> bool:
        """Not one whose header has to be understood in another way."""
        if self.header.get("crit") or self.header.get("b64") is False:
            return False
        return self.header.get("alg") == key.algorithm and key.verify(self.signature, self.signed)


def _is_header(value: object) -> bool:
    return isinstance(value, dict) and all(isinstance(value.get(name, ""), str | None) for name in _HEADER_TEXTS)


def generate_key_pem() -> bytes:
    """A new RSA key, as kubeadm and envtest make them: every client of OpenID documents knows RS256."""
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric import rsa

    key = rsa.generate_private_key(65537, _RSA_BITS)
    return key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.TraditionalOpenSSL, serialization.NoEncryption()
    )


def load_signing_key(pem: bytes) -> SigningKey:
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives import serialization

    try:
        return SigningKey(serialization.load_pem_private_key(pem, password=None))  # type: ignore[arg-type]  # it checks
    except (ValueError, TypeError, UnsupportedAlgorithm) as error:
        raise UnusableKey(f"failed to parse key file: {error}") from error


def load_verification_keys(pem: bytes) -> list[VerificationKey]:
    """All public keys of a file, those of its private keys and certificates included."""
    keys = [_load_verification_key(block) for block in _split_pem(pem)]
    found = [key for key in keys if key is not None]
    if not found:
        raise UnusableKey("data does not contain any valid RSA or ECDSA public keys")
    return found


def _load_verification_key(pem: bytes) -> VerificationKey | None:
    from cryptography import x509
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives import serialization

    try:
        if b"PRIVATE KEY-----" in pem:
            return load_signing_key(pem).public
        if b"CERTIFICATE-----" in pem:
            return VerificationKey(x509.load_pem_x509_certificate(pem).public_key())  # type: ignore[arg-type]
        return VerificationKey(serialization.load_pem_public_key(pem))  # type: ignore[arg-type]
    except (ValueError, UnsupportedAlgorithm):
        return None


def _split_pem(pem: bytes) -> list[bytes]:
    blocks = []
    for part in pem.split(b"-----BEGIN ")[1:]:
        body, end, rest = part.partition(b"-----END ")
        blocks.append(b"-----BEGIN " + body + end + rest.split(b"\n", 1)[0] + b"\n")
    return blocks


def _hash_of(algorithm: str) -> hashes.HashAlgorithm:
    from cryptography.hazmat.primitives import hashes

    if algorithm.endswith("256"):
        return hashes.SHA256()
    return hashes.SHA384() if algorithm.endswith("384") else hashes.SHA512()


def encode_part(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def _encode_number(number: int) -> str:
    return encode_part(number.to_bytes((number.bit_length() + 7) // 8, "big"))


def _encode_json(value: object) -> bytes:
    return encode_part(json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode()).encode()


def _decode_part(text: str) -> bytes:
    if "=" in text or "+" in text or "/" in text:
        raise ValueError("no base64url")
    return base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
