"""Large objects that the window of changes keeps are packed, once they are many.

What was superseded is read by watches that resume and by lists of the past alone. zlib makes a fifth of the JSON of a
definition, at 5 ns a byte, and brings it back at half of that.
"""

from __future__ import annotations

import zlib
from collections import deque
from collections.abc import Callable
from typing import Any, Final

from quarterdeck._kernels import watchobject

PACKED_FROM_BYTES: Final = 16 * 1024
UNPACKED_BYTES_MAX: int = 4 * 1024 * 1024
# What one change may have packed, some 1.3 ms: objects that are larger are waited for, and count as they are meanwhile.
STEP_BYTES: int = 256 * 1024
_LEVEL: Final = 1


class Packer:
    """The changes of a window whose superseded objects are large and not packed yet, oldest first. `size_of`: what the
    window keeps alive by a change."""

    __slots__ = ("_at", "_bytes", "_compressor", "_packed", "_size_of", "_waiting")

    def __init__(self, size_of: Callable[[watchobject.Change], int]) -> None:
        self._size_of = size_of
        self._waiting: deque[watchobject.Change] = deque()
        self._bytes = 0
        # Of the oldest: how far its data has come, and what has become of that.
        self._compressor: Any = None
        self._at = 0
        self._packed: list[bytes] = []

    def add(self, change: watchobject.Change) -> int:
        """The newest change of the window. Returns how many bytes the window holds less, where others were packed."""
        old = change.old
        assert old is not None
        self._waiting.append(change)
        self._bytes += old.held_bytes
        freed, left = 0, STEP_BYTES
        while left > 0 and self._bytes > UNPACKED_BYTES_MAX:
            left, freed_now = self._step(left)
            freed += freed_now
        return freed

    def drop(self, change: watchobject.Change) -> None:
        """The oldest change leaves the window."""
        if self._waiting and self._waiting[0] is change:
            self._leave()

    def _step(self, left: int) -> tuple[int, int]:
        """Pack at most so many bytes of the oldest; what is left of them, and what that freed."""
        change = self._waiting[0]
        assert change.old is not None
        data = change.old.data
        if self._compressor is None:
            self._compressor = zlib.compressobj(_LEVEL)
        piece = memoryview(data)[self._at : self._at + left]
        self._packed.append(self._compressor.compress(piece))
        self._at += len(piece)
        if self._at < len(data):
            return 0, 0
        packed = b"".join([*self._packed, self._compressor.flush()])
        self._leave()
        if len(packed) >= len(data):
            return left - len(piece), 0
        before = self._size_of(change)
        change.hold_packed(packed)
        return left - len(piece), before - self._size_of(change)

    def _leave(self) -> None:
        old = self._waiting.popleft().old
        assert old is not None
        self._bytes -= old.held_bytes
        self._compressor, self._at, self._packed = None, 0, []
