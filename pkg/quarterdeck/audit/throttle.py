"""A token bucket: so many batches a second, and so many at once. Source: client-go/util/flowcontrol/throttle.go."""

from __future__ import annotations

from collections.abc import Callable


class Throttle:
    """`clock` in seconds."""

    def __init__(self, qps: float, burst: int, clock: Callable[[], float]) -> None:
        self._qps = qps
        self._burst = burst
        self._clock = clock
        self._tokens = float(burst)
        self._at = clock()

    def reserve_s(self) -> float:
        """Takes a token; how long to wait until it is there."""
        now = self._clock()
        self._tokens = min(self._tokens + (now - self._at) * self._qps, self._burst) - 1
        self._at = now
        return max(-self._tokens / self._qps, 0.0)
