"""Values of which every service gets its own: cluster addresses and node ports.

What is taken is found in the services themselves when the first is asked for, and kept up to date as services come and
go. A value that a failed or dry write reserved is found free again when the range seems used up.
Source: pkg/registry/core/service/{ipallocator,portallocator} (their outcome, not their bitmaps).
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from functools import cached_property


class Allocator:
    """`list_values` gives the whole range; `find_taken` what the stored services hold."""

    def __init__(self, list_values: Callable[[], Iterable[str]], find_taken: Callable[[], Iterable[str]]) -> None:
        self._list_values = list_values
        self._find_taken = find_taken
        self._taken: set[str] | None = None

    def __contains__(self, value: str) -> bool:
        return value in self._values

    def is_free(self, value: str) -> bool:
        return value not in self._known()

    def allocate(self) -> str | None:
        """Any free value, from now on taken; None where there is none."""
        for _ in range(2):
            free = self._values - self._known()
            if free:
                chosen = random.choice(sorted(free))
                self.take(chosen)
                return chosen
            self._taken = None
        return None

    def take(self, value: str) -> None:
        self._known().add(value)

    def release(self, value: str) -> None:
        self._known().discard(value)

    @cached_property
    def _values(self) -> frozenset[str]:
        return frozenset(self._list_values())

    def _known(self) -> set[str]:
        if self._taken is None:
            self._taken = set(self._find_taken())
        return self._taken
