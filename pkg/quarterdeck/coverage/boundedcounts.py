"""Counts by what they are of, within bounds. Who counts holds on to a count: to forget it is to set it back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, Protocol, TypeVar

from quarterdeck.coverage.paths import CHARS_MAX


class Counting(Protocol):
    @property
    def is_used(self) -> bool: ...

    def clear(self) -> None: ...


K = TypeVar("K")
C = TypeVar("C", bound=Counting)


class BoundedCounts(Generic[K, C]):
    """At most `most` of them, whose names are not too long. `left_out` counts those that there was no room for."""

    def __init__(self, make: Callable[[], C], most: int) -> None:
        self.left_out = 0
        self._make = make
        self._most = most
        self._counts: dict[K, C] = {}

    def of(self, key: K, *names: str) -> C | None:
        """The same one whenever it is asked for; `names` are what could be long in the key. None: there is no room."""
        found = self._counts.get(key)
        if found is not None:
            return found
        if len(self._counts) >= self._most or sum(map(len, names)) > CHARS_MAX:
            self.left_out += 1
            return None
        made = self._counts[key] = self._make()
        return made

    def used(self) -> dict[K, C]:
        return {key: count for key, count in self._counts.items() if count.is_used}

    def clear(self) -> None:
        self.left_out = 0
        for count in self._counts.values():
            count.clear()
