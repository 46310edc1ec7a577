"""NaCl's secretbox (XSalsa20 and Poly1305) as kube-apiserver stores it: nonce (24) · tag (16) · ciphertext.

PyNaCl is imported when the first key is set up. The context is not authenticated: a value may be moved to another key.

Source: apiserver/pkg/storage/value/encrypt/secretbox/secretbox.go.
"""

from __future__ import annotations

import os
from typing import Final

from quarterdeck.storage.value.transformer import DecryptedValue, TransformError

KEY_BYTES: Final = (32,)
_NONCE_BYTES: Final = 24
_TAG_BYTES: Final = 16


class Secretbox:
    """Raises ImportError where PyNaCl is not installed."""

    def __init__(self, key: bytes) -> None:
        from nacl.bindings import crypto_secretbox, crypto_secretbox_open
        from nacl.exceptions import CryptoError

        self._key = key
        self._seal, self._open, self._error = crypto_secretbox, crypto_secretbox_open, CryptoError

    def seal(self, data: bytes, context: bytes) -> bytes:
        nonce = os.urandom(_NONCE_BYTES)
        sealed: bytes = self._seal(data, nonce, self._key)
        return nonce + sealed

    def open(self, data: bytes, context: bytes) -> DecryptedValue:
        if len(data) < _NONCE_BYTES + _TAG_BYTES:
            raise TransformError("the stored data was shorter than the required size")
        try:
            return DecryptedValue(self._open(data[_NONCE_BYTES:], data[:_NONCE_BYTES], self._key), False)
        except self._error as error:
            raise TransformError("output array was not large enough for encryption") from error  # upstream's text
