"""Keys that are handed on after a fixed time, in the order in which they came, by one timer for all of them.

kube-apiserver's controllers hear of a write from a watch, over the network: a client that reads at once what its write
has left finds it so, with the finalizer that a controller will take off. Tests that are written against kube-apiserver
count on it. A controller that shares the server's process would be faster than the client, hence the pause.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Protocol


class Timer(Protocol):
    def cancel(self) -> None: ...


class Clock(Protocol):
    def now_s(self) -> float: ...

    def call_at(self, at_s: float, call: Callable[[str], None], key: str) -> Timer: ...


class Pause:
    """A key pauses for `length_s` seconds, which are not put off. Then `hand_on(key)` is called, if it was wanted by
    then."""

    def __init__(self, length_s: float, hand_on: Callable[[str], None], clock: Clock) -> None:
        self._length_s = length_s
        self._hand_on = hand_on
        self._clock = clock
        self._wanted: dict[str, bool] = {}
        self._due: deque[tuple[float, str]] = deque()
        self._timer: Timer | None = None

    def __contains__(self, key: str) -> bool:
        return key in self._wanted

    def __len__(self) -> int:
        return len(self._wanted)

    def add(self, key: str, *, is_wanted: bool) -> None:
        known = self._wanted.get(key)
        self._wanted[key] = bool(known) or is_wanted
        if known is None:
            self._due.append((self._clock.now_s() + self._length_s, key))
            self._wait_for_first()

    def clear(self) -> None:
        self._wanted.clear()
        self._due.clear()
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _wait_for_first(self) -> None:
        if self._timer is None and self._due:
            due_s, key = self._due[0]
            self._timer = self._clock.call_at(due_s, self._on_due, key)

    def _on_due(self, _first: str) -> None:
        """At the time of the first key, and maybe of further ones."""
        self._timer = None
        now_s = max(self._clock.now_s(), self._due[0][0])
        while self._due and self._due[0][0] <= now_s:
            _, key = self._due.popleft()
            if self._wanted.pop(key):
                self._hand_on(key)
        self._wait_for_first()
