"""AES as kube-apiserver stores it: GCM, CBC, and GCM with a key of its own for each value.

    GCM        nonce (12) · ciphertext · tag (16); the context is authenticated
    CBC        initialization vector (16) · ciphertext, padded by PKCS #7; nothing is authenticated
    extended   info (32) · GCM with the key HKDF-Expand-SHA256(seed, info)

A key of GCM with random nonces is good for 2^32 values (NIST SP 800-38D): it has to be rotated before. The extended
form has no such bound.

Source: apiserver/pkg/storage/value/encrypt/aes/aes.go, aes_extended_nonce.go.
"""

from __future__ import annotations

import os
from typing import Final

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from quarterdeck.storage.value.transformer import DecryptedValue, TransformError

KEY_BYTES: Final = (16, 24, 32)
SEED_BYTES: Final = 32
_INFO_BYTES: Final = 32
_NONCE_BYTES: Final = 12
_BLOCK_BYTES: Final = 16
_TOO_SHORT: Final = "the stored data was shorter than the required size"


class GCM:
    def __init__(self, key: bytes) -> None:
        self._cipher = AESGCM(key)

    def seal(self, data: bytes, context: bytes) -> bytes:
        nonce = os.urandom(_NONCE_BYTES)
        return nonce + self._cipher.encrypt(nonce, data, context)

    def open(self, data: bytes, context: bytes) -> DecryptedValue:
        if len(data) < _NONCE_BYTES:
            raise TransformError(_TOO_SHORT)
        try:
            return DecryptedValue(self._cipher.decrypt(data[:_NONCE_BYTES], data[_NONCE_BYTES:], context), False)
        except InvalidTag as error:
            raise TransformError("cipher: message authentication failed") from error


class CBC:
    def __init__(self, key: bytes) -> None:
        self._algorithm = algorithms.AES(key)

    def seal(self, data: bytes, context: bytes) -> bytes:
        vector = os.urandom(_BLOCK_BYTES)
        padding = _BLOCK_BYTES - len(data) % _BLOCK_BYTES
        encryptor = Cipher(self._algorithm, modes.CBC(vector)).encryptor()
        return vector + encryptor.update(data + bytes((padding,)) * padding) + encryptor.finalize()

    def open(self, data: bytes, context: bytes) -> DecryptedValue:
        if len(data) < _BLOCK_BYTES:
            raise TransformError(_TOO_SHORT)
        if len(data) % _BLOCK_BYTES:
            raise TransformError("the stored data is not a multiple of the block size")
        decryptor = Cipher(self._algorithm, modes.CBC(data[:_BLOCK_BYTES])).decryptor()
        plain = decryptor.update(data[_BLOCK_BYTES:]) + decryptor.finalize()
        padding = plain[-1] if plain else 0
        if not 0 < padding <= len(plain):
            raise TransformError("invalid PKCS7 data (empty or not padded)")
        if plain[-padding:] != bytes((padding,)) * padding:
            raise TransformError("invalid padding on input")
        return DecryptedValue(plain[:-padding], False)


class ExtendedGCM:
    """`seed` has 32 bytes or more, as random as a key."""

    def __init__(self, seed: bytes) -> None:
        from cryptography.hazmat.primitives.hashes import SHA256
        from cryptography.hazmat.primitives.kdf.hkdf import HKDFExpand

        if len(seed) < SEED_BYTES:
            raise TransformError(f"invalid seed length {len(seed)} used for key generation")
        self._seed = seed
        self._expand = HKDFExpand
        self._hash = SHA256()

    def seal(self, data: bytes, context: bytes) -> bytes:
        info = os.urandom(_INFO_BYTES)
        return info + self._derive(info).seal(data, context)

    def open(self, data: bytes, context: bytes) -> DecryptedValue:
        if len(data) < _INFO_BYTES:
            raise TransformError(_TOO_SHORT)
        return self._derive(data[:_INFO_BYTES]).open(data[_INFO_BYTES:], context)

    def _derive(self, info: bytes) -> GCM:
        return GCM(self._expand(self._hash, SEED_BYTES, info).derive(self._seed))
