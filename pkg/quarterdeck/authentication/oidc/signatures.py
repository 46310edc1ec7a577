"""Signatures of tokens by the keys of a JWK set (RFC 7515, 7517, 7518): RSA, RSA-PSS and elliptic curves, 256 to 512.

An algorithm goes with one type of key, and elliptic ones with one curve: a token cannot choose to have a public key
taken for a secret (HS*), nor to have no signature (none): there is nothing here that would read them so. All that is
cryptography is done by the library of that name, which is imported with the first key.

Source: go-jose (asymmetric.go, jwk.go), go-oidc (jwks.go).
"""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from quarterdeck.apimachinery import gofmt
from quarterdeck.authentication.interface import BadToken

if TYPE_CHECKING:
    from cryptography.hazmat.primitives import hashes
    from cryptography.hazmat.primitives.asymmetric import ec, rsa

TOKEN_BYTES_MAX: Final = 64 * 1024
KEYS_MAX: Final = 100
_RSA_BITS_MIN: Final = 1024
_RSA_BITS_MAX: Final = 16384
_EXPONENT_MAX: Final = (1 << 31) - 1
# By algorithm: family, bits of the hash.
_ALGORITHMS: Final = {f"{family}{bits}": (family, bits) for family in ("ES", "PS", "RS") for bits in (256, 384, 512)}
ALGORITHMS: Final = tuple(sorted(_ALGORITHMS))
# By the bits of an algorithm's hash: the curve's name in a JWK, bytes of a coordinate.
_CURVES: Final = {256: ("P-256", 32), 384: ("P-384", 48), 512: ("P-521", 66)}


class Key(NamedTuple):
    """`curve` is empty for RSA."""

    key_id: str
    curve: str
    public: rsa.RSAPublicKey | ec.EllipticCurvePublicKey

    def verify(self, algorithm: str, signature: bytes, signed: bytes) -> bool:
        """Whether the signature is this key's. An algorithm that is not the key's is never right."""
        family, bits = _ALGORITHMS[algorithm]
        if (family == "ES") != bool(self.curve):
            return False
        return (
            self._verify_curve(bits, signature, signed)
            if self.curve
            else self._verify_rsa(family, bits, signature, signed)
        )

    def _verify_curve(self, bits: int, signature: bytes, signed: bytes) -> bool:
        from cryptography.exceptions import InvalidSignature
        from cryptography.hazmat.primitives.asymmetric import ec, utils

        curve, size = _CURVES[bits]
        if curve != self.curve or len(signature) != 2 * size:
            return False
        r, s = int.from_bytes(signature[:size], "big"), int.from_bytes(signature[size:], "big")
        try:
            self.public.verify(utils.encode_dss_signature(r, s), signed, ec.ECDSA(_hash(bits)))  # type: ignore[call-arg, arg-type]
        except InvalidSignature:
            return False
        return True

    def _verify_rsa(self, family: str, bits: int, signature: bytes, signed: bytes) -> bool:
        from cryptography.exceptions import InvalidSignature
        from cryptography.hazmat.primitives.asymmetric import padding

        digest = _hash(bits)
        how: padding.AsymmetricPadding = padding.PKCS1v15()
        if family == "PS":
            how = padding.PSS(padding.MGF1(digest), padding.PSS.AUTO)
        try:
            self.public.verify(signature, signed, how, digest)  # type: ignore[call-arg, arg-type]
        except InvalidSignature:
            return False
        return True


class SignedToken(NamedTuple):
    """A token that has not been verified yet; `payload` is JSON."""

    algorithm: str
    key_id: str
    payload: bytes
    signature: bytes
    signed: bytes

    def is_signed_by(self, keys: Iterable[Key]) -> bool:
        """By one that has the token's key ID, or any where the token names none."""
        return any(
            key.verify(self.algorithm, self.signature, self.signed)
            for key in keys
            if not self.key_id or key.key_id == self.key_id
        )


def parse_token(text: str) -> SignedToken:
    """A compact token; whether its algorithm is one to be believed is `check_algorithm`'s. Raises BadToken."""
    parts = text.split(".")
    if len(text) > TOKEN_BYTES_MAX or len(parts) != 3 or not text.isascii():
        raise BadToken("oidc: malformed jwt: go-jose/go-jose: compact JWS format must have three parts")
    try:
        header = load(decode_part(parts[0]))
        payload, signature = decode_part(parts[1]), decode_part(parts[2])
    except ValueError as error:
        raise BadToken(f"oidc: malformed jwt: {error}") from error
    if not isinstance(header, dict):
        raise BadToken("oidc: malformed jwt: the header is no object")
    if "crit" in header or "b64" in header:
        raise BadToken("oidc: malformed jwt: go-jose/go-jose: unsupported crit header")
    algorithm, key_id = header.get("alg"), header.get("kid")
    return SignedToken(
        algorithm if isinstance(algorithm, str) else "",
        key_id if isinstance(key_id, str) else "",
        payload,
        signature,
        f"{parts[0]}.{parts[1]}".encode(),
    )


def check_algorithm(token: SignedToken, algorithms: Sequence[str]) -> None:
    """Raises BadToken where the token is not signed by one of these algorithms."""
    if token.algorithm not in algorithms or token.algorithm not in _ALGORITHMS:
        known, shown = gofmt.quote_all(algorithms), gofmt.quote(token.algorithm)
        raise BadToken(f"oidc: id token signed with unsupported algorithm, expected {known} got {shown}")


def decode_part(text: str) -> bytes:
    """base64url without padding. Raises ValueError."""
    if "=" in text or "+" in text or "/" in text:
        raise ValueError("illegal base64 data")
    try:
        return base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
    except binascii.Error as error:
        raise ValueError(f"illegal base64 data: {error}") from error


def load(data: bytes, *, is_float: bool = False) -> Any:
    """JSON, as strict as Go's. `is_float`: all numbers are. Raises ValueError."""
    try:
        return json.loads(data.decode("utf-8"), parse_constant=_refuse, parse_int=float if is_float else None)
    except RecursionError as error:
        raise ValueError("exceeded max depth") from error


def _refuse(text: str) -> None:
    raise ValueError(f"invalid character {text[0]!r} looking for beginning of value")


def parse_keys(document: Any) -> tuple[Key, ...]:
    """The keys of a JWK set that can be used here; others are passed over, as RFC 7517 asks. Raises ValueError for what
    is no such set."""
    entries = document.get("keys") if isinstance(document, dict) else None
    if not isinstance(entries, list):
        raise ValueError("the document has no list of keys")
    found = [_parse_key(entry) for entry in entries[:KEYS_MAX] if isinstance(entry, dict)]
    return tuple(key for key in found if key is not None)


def _parse_key(entry: dict[str, Any]) -> Key | None:
    key_id = entry.get("kid", "")
    if not isinstance(key_id, str) or entry.get("use", "sig") != "sig":
        return None
    try:
        if entry.get("kty") == "RSA":
            return _parse_rsa(key_id, entry)
        if entry.get("kty") == "EC":
            return _parse_curve(key_id, entry)
    except (KeyError, ValueError, TypeError, AttributeError):
        return None
    return None


def _parse_rsa(key_id: str, entry: dict[str, Any]) -> Key | None:
    from cryptography.hazmat.primitives.asymmetric import rsa

    modulus, exponent = _number(entry["n"]), _number(entry["e"])
    if not _RSA_BITS_MIN <= modulus.bit_length() <= _RSA_BITS_MAX or not 3 <= exponent <= _EXPONENT_MAX:
        return None
    return Key(key_id, "", rsa.RSAPublicNumbers(exponent, modulus).public_key())


def _parse_curve(key_id: str, entry: dict[str, Any]) -> Key | None:
    from cryptography.hazmat.primitives.asymmetric import ec

    curves = {"P-256": ec.SECP256R1(), "P-384": ec.SECP384R1(), "P-521": ec.SECP521R1()}
    curve = entry["crv"]
    numbers = ec.EllipticCurvePublicNumbers(_number(entry["x"]), _number(entry["y"]), curves[curve])
    return Key(key_id, curve, numbers.public_key())


def _number(text: str) -> int:
    return int.from_bytes(decode_part(text), "big")


def _hash(bits: int) -> hashes.HashAlgorithm:
    from cryptography.hazmat.primitives import hashes

    if bits == 256:
        return hashes.SHA256()
    return hashes.SHA384() if bits == 384 else hashes.SHA512()
