"""Random bytes that are the same each time: of uids and names in runs that have to be equal (docs/virtual-clock.md)."""

from __future__ import annotations

import hashlib


class SeededSource:
    """The same bytes in the same order for the same seed and purpose, on every machine."""

    def __init__(self, seed: int, purpose: str) -> None:
        self._key = hashlib.sha256(f"{seed}/{purpose}".encode()).digest()
        self._blocks = 0
        self._left = b""

    def take(self, count: int) -> bytes:
        while len(self._left) < count:
            self._left += hashlib.blake2b(self._blocks.to_bytes(8, "big"), key=self._key).digest()
            self._blocks += 1
        taken, self._left = self._left[:count], self._left[count:]
        return taken
