"""How long those who are refused are asked to wait: longer while many are.

Source: apiserver/pkg/util/flowcontrol/dropped_requests_tracker.go.
"""

from __future__ import annotations

from collections import deque
from typing import Final

_SECONDS_MAX: Final = 32


class RetryAfter:
    """Of one level. What was refused in the last `seconds` decides: three a second double it, less than one lowers it.
    Doubled at most once in so many seconds, so that one wave counts once."""

    __slots__ = ("_count", "_history", "_raised_at", "_second", "seconds")

    def __init__(self) -> None:
        self.seconds = 1
        self._second = 0
        self._count = 0
        self._raised_at = 0
        self._history: deque[tuple[int, int]] = deque()  # of past seconds: which, and how many were refused

    def note(self, second: int) -> int:
        """One is refused in this second of the clock; how long it is to wait."""
        if second == self._second:
            self._count += 1
            return self.seconds
        self._history.append((self._second, self._count))
        while self._history[0][0] < self._second - min(2 * self.seconds, _SECONDS_MAX):
            self._history.popleft()
        self._second, self._count = second, 1
        self._update(second)
        return self.seconds

    def _update(self, second: int) -> None:
        seconds = self.seconds
        refused = sum(count for at, count in self._history if second - seconds <= at < second)
        if second - self._raised_at >= seconds and refused >= 3 * seconds:
            self.seconds = min(2 * seconds, _SECONDS_MAX)
            self._raised_at = second
        elif refused < seconds and seconds > 1:
            self.seconds = seconds - 1
