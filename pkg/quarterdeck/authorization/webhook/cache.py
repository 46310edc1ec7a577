"""What a webhook decided a while ago, by what it was asked. The least recently used entries go first.

Source: apimachinery/pkg/util/cache/lruexpirecache.go.
"""

from __future__ import annotations

import time
from typing import Final

from quarterdeck.authorization.authorizer import Decision

ENTRIES_MAX: Final = 8192
BYTES_MAX: Final = 16 * 1024 * 1024


class DecisionCache:
    """Bounded in entries, and in the bytes of their keys and reasons."""

    def __init__(self, entries_max: int = ENTRIES_MAX, bytes_max: int = BYTES_MAX) -> None:
        self._entries_max = entries_max
        self._bytes_max = bytes_max
        self._bytes = 0
        self._entries: dict[bytes, tuple[float, Decision]] = {}  # in the order of their last use

    def find(self, key: bytes) -> Decision | None:
        found = self._entries.pop(key, None)
        if found is None:
            return None
        if found[0] <= time.monotonic():
            self._bytes -= _size(key, found[1])
            return None
        self._entries[key] = found
        return found[1]

    def put(self, key: bytes, decision: Decision, ttl_s: float) -> None:
        """Nothing that lives no time, or is larger than all together may be."""
        size = _size(key, decision)
        if ttl_s <= 0 or size > self._bytes_max:
            return
        self._drop(key)
        while len(self._entries) >= self._entries_max or self._bytes + size > self._bytes_max:
            self._drop(next(iter(self._entries)))
        self._entries[key] = (time.monotonic() + ttl_s, decision)
        self._bytes += size

    def _drop(self, key: bytes) -> None:
        found = self._entries.pop(key, None)
        if found is not None:
            self._bytes -= _size(key, found[1])


def _size(key: bytes, decision: Decision) -> int:
    return len(key) + len(decision.reason)
