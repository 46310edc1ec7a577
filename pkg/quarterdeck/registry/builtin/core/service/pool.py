"""Values of which each is held by one service at most, and how often they were given."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final

from quarterdeck.apimachinery import randomness
from quarterdeck.registry.strategy import Object

# How a value was come by: asked for, or chosen by the server.
STATIC: Final = "static"
DYNAMIC: Final = "dynamic"


class Pool:
    """Values that are held and reserved. `find_held` gives what a stored service holds."""

    def __init__(self, find_held: Callable[[Object], Iterable[str]]) -> None:
        self._find_held = find_held
        self._held: Counter[str] = Counter()
        self._reserved: Counter[str] = Counter()

    def __iter__(self) -> Iterator[str]:
        """What is held."""
        return iter(self._held)

    def __len__(self) -> int:
        return len(self._held)

    def is_free(self, value: str) -> bool:
        return value not in self._held and value not in self._reserved

    def find_free(self, values: Sequence[str], set_aside: int) -> str | None:
        """Some free value; None where there is none. The first ones are given while there are no others."""
        return self._search(values, set_aside, len(values)) or self._search(values, 0, set_aside)

    def reserve(self, value: str) -> None:
        self._reserved[value] += 1

    def release(self, value: str) -> None:
        _take_one(self._reserved, value)

    def note_stored(self, service: Object) -> None:
        self._held.update(self._find_held(service))

    def note_gone(self, service: Object) -> None:
        for value in self._find_held(service):
            _take_one(self._held, value)

    def note_taken(self, value: str) -> None:
        """By somebody who is no service."""
        self._held[value] += 1

    def note_left(self, value: str) -> None:
        _take_one(self._held, value)

    def _search(self, values: Sequence[str], begin: int, end: int) -> str | None:
        """From a place by chance on to the end, then from the beginning."""
        if begin >= end:
            return None
        start = begin + randomness.below(end - begin)
        places = itertools.chain(range(start, end), range(begin, start))
        return next((value for place in places if self.is_free(value := values[place])), None)


class Counts:
    """How often values were given and refused: by their range ("" of ports) and by STATIC or DYNAMIC."""

    def __init__(self) -> None:
        self.given: Counter[tuple[str, str]] = Counter()
        self.refused: Counter[tuple[str, str]] = Counter()


def _take_one(counter: Counter[str], value: str) -> None:
    """Leaves no zeros behind."""
    if counter[value] > 1:
        counter[value] -= 1
    else:
        counter.pop(value, None)
