"""How long a key of a queue waits after its work has failed.

Source: client-go/util/workqueue (default_rate_limiters.go).
"""

from __future__ import annotations

from typing import Final

BACKOFF_FIRST_S: Final = 0.005
BACKOFF_MAX_S: Final = 1000.0
# All failures of a controller together come again at this rate once so many have come at once.
RETRIES_PER_S: Final = 10.0
RETRIES_AT_ONCE: Final = 100


class Delays:
    """How long after a failure a key comes again: `first_s`, doubled with each further failure, at most `max_s`."""

    def __init__(self, first_s: float, max_s: float) -> None:
        self._first_s = first_s
        self._max_s = max_s
        self._failures: dict[str, int] = {}

    def next_s(self, key: str) -> float:
        failures = self._failures.get(key, 0)
        self._failures[key] = failures + 1
        delay_s: float = min(self._first_s * 2 ** min(failures, 32), self._max_s)
        return delay_s

    def forget(self, key: str) -> None:
        self._failures.pop(key, None)

    def failures(self, key: str) -> int:
        return self._failures.get(key, 0)


class Backoff:
    """How long after a failure a key comes again: `first_s`, doubled with each further failure of the same key up to
    `max_s`, and not sooner than the rate of all keys together allows."""

    def __init__(self, first_s: float = BACKOFF_FIRST_S, max_s: float = BACKOFF_MAX_S) -> None:
        self._first_s = first_s
        self._max_s = max_s
        self.reset()

    def reset(self) -> None:
        """Forget all failures."""
        self._of_keys = Delays(self._first_s, self._max_s)
        self._tokens = float(RETRIES_AT_ONCE)
        self._at_s = 0.0

    def delay_s(self, key: str, now_s: float) -> float:
        return max(self._of_keys.next_s(key), self._take_token_s(now_s))

    def _take_token_s(self, now_s: float) -> float:
        self._tokens = min(self._tokens + (now_s - self._at_s) * RETRIES_PER_S, float(RETRIES_AT_ONCE)) - 1
        self._at_s = now_s
        return max(0.0, -self._tokens / RETRIES_PER_S)

    def forget(self, key: str) -> None:
        self._of_keys.forget(key)

    def failures(self, key: str) -> int:
        """How often in a row it has failed."""
        return self._of_keys.failures(key)
