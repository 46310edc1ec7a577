"""Lines on standard output, for whoever collects what a container says."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Final

_STANDARD_OUT: Final = 1


class StandardOut:
    """Waits for a reader that is slow: it is for a thread of its own."""

    def write(self, lines: Sequence[bytes]) -> tuple[list[int], str]:
        lost: list[int] = []
        reason = ""
        for position, line in enumerate(lines):
            try:
                _write(line)
            except OSError as error:
                lost.append(position)
                reason = error.strerror or str(error)
        return lost, reason

    def close(self) -> None:
        """It is not this object's own."""


def _write(data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(_STANDARD_OUT, rest) :]
