"""An issuer of tokens: its keys, its documents, and tokens that are good or bad in one way each."""

from __future__ import annotations

import base64
import json
import time
from collections.abc import Mapping
from typing import Any

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa, utils

_CURVES = {256: (ec.SECP256R1(), "P-256", 32), 384: (ec.SECP384R1(), "P-384", 48), 512: (ec.SECP521R1(), "P-521", 66)}
_HASHES = {256: hashes.SHA256(), 384: hashes.SHA384(), 512: hashes.SHA512()}


def encode(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def _encode_number(number: int, size: int) -> str:
    return encode(number.to_bytes(size, "big"))


class Key:
    """`algorithm`: RS256 … ES512."""

    def __init__(self, algorithm: str, key_id: str = "k1") -> None:
        self.algorithm, self.key_id = algorithm, key_id
        self.bits = int(algorithm[2:])
        self.rsa = rsa.generate_private_key(65537, 2048) if algorithm[:2] != "ES" else None
        self.curve = ec.generate_private_key(_CURVES[self.bits][0]) if self.rsa is None else None

    def to_jwk(self) -> dict[str, str]:
        common = {"kid": self.key_id, "use": "sig"}
        if self.rsa is not None:
            public = self.rsa.public_key().public_numbers()
            return {**common, "kty": "RSA", "n": _encode_number(public.n, 256), "e": _encode_number(public.e, 3)}
        assert self.curve is not None
        numbers = self.curve.public_key().public_numbers()
        _, name, size = _CURVES[self.bits]
        point = {"x": _encode_number(numbers.x, size), "y": _encode_number(numbers.y, size)}
        return {**common, "kty": "EC", "crv": name, **point}

    def sign(self, data: bytes) -> bytes:
        digest = _HASHES[self.bits]
        if self.curve is not None:
            r, s = utils.decode_dss_signature(self.curve.sign(data, ec.ECDSA(digest)))
            size = _CURVES[self.bits][2]
            return r.to_bytes(size, "big") + s.to_bytes(size, "big")
        assert self.rsa is not None
        if self.algorithm.startswith("PS"):
            salted = padding.PSS(padding.MGF1(digest), digest.digest_size)
            return self.rsa.sign(data, salted, digest)
        return self.rsa.sign(data, padding.PKCS1v15(), digest)

    def issue(self, claims: Mapping[str, Any], **header: Any) -> str:
        head = {"alg": self.algorithm, "kid": self.key_id, **header}
        parts = [encode(json.dumps(part).encode()) for part in (head, claims)]
        return ".".join([*parts, encode(self.sign(".".join(parts).encode()))])


class Issuer:
    """Documents by URL; what is asked for is counted."""

    def __init__(self, url: str, *keys: Key) -> None:
        self.url = url
        self.keys = list(keys)
        self.asked: list[str] = []
        self.is_down = False

    def claims(self, **more: Any) -> dict[str, Any]:
        now = int(time.time())
        return {"iss": self.url, "aud": "me", "sub": "jane", "exp": now + 600, "iat": now, **more}

    def issue(self, **more: Any) -> str:
        return self.keys[0].issue(self.claims(**more))

    def document(self, path: str) -> dict[str, Any] | None:
        if path.endswith("/.well-known/openid-configuration"):
            return {"issuer": self.url, "jwks_uri": f"{self.url}/keys"}
        return {"keys": [key.to_jwk() for key in self.keys]} if path.endswith("/keys") else None
