"""Records of TLS 1.3 as RFC 8446 has them (5.2, 5.3, 7.1 to 7.3), by the cryptography package: for either direction of
a connection, given the secret that a client logs."""

from __future__ import annotations

from pathlib import Path

from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256, SHA384
from cryptography.hazmat.primitives.kdf.hkdf import HKDFExpand

ALERT, HANDSHAKE, DATA = 21, 22, 23
_KEY_BYTES = {32: 16, 48: 32}  # by the size of the secret


class Direction:
    """Seals, or opens."""

    def __init__(self, secret: bytes) -> None:
        self._use(secret)

    def _use(self, secret: bytes) -> None:
        self.secret = secret
        self.sequence = 0
        self._cipher = AESGCM(self._expand(b"key", _KEY_BYTES[len(secret)]))
        self._iv = self._expand(b"iv", 12)

    def _expand(self, label: bytes, size: int) -> bytes:
        full = b"tls13 " + label
        info = size.to_bytes(2, "big") + bytes([len(full)]) + full + b"\x00"
        digest = SHA256() if len(self.secret) == 32 else SHA384()
        return HKDFExpand(digest, size, info).derive(self.secret)

    def advance(self) -> None:
        """The next generation of keys."""
        self._use(self._expand(b"traffic upd", len(self.secret)))

    def _nonce(self) -> bytes:
        number = int.from_bytes(self._iv, "big") ^ self.sequence
        self.sequence += 1
        return number.to_bytes(12, "big")

    def seal(self, kind: int, data: bytes, padding: int = 0) -> bytes:
        """A record."""
        inner = data + bytes([kind]) + b"\x00" * padding
        return self.seal_inner(inner)

    def seal_inner(self, inner: bytes) -> bytes:
        header = b"\x17\x03\x03" + (len(inner) + 16).to_bytes(2, "big")
        return header + self._cipher.encrypt(self._nonce(), inner, header)

    def open(self, records: bytes) -> list[tuple[int, bytes]]:
        """The kinds and the data of whole records, up to the first change of keys, which is followed."""
        found = []
        while records:
            size = 5 + int.from_bytes(records[3:5], "big")
            inner = self._cipher.decrypt(self._nonce(), records[5:size], records[:5]).rstrip(b"\x00")
            found.append((inner[-1], inner[:-1]))
            if inner[-1] == HANDSHAKE:
                self.advance()
            records = records[size:]
        return found


def read_secrets(log: Path) -> dict[str, bytes]:
    """Of the last connection in a log of keys, by their names."""
    lines = [line.split() for line in log.read_text().splitlines() if line and not line.startswith("#")]
    return {name: bytes.fromhex(secret) for name, _, secret in lines}
