"""Which objects have which value of one label or field, as sets of small numbers (pyroaring's bitmaps).

A set costs 200 bytes before it holds anything, and many labels differ in each object: a value that one object has is
kept as that object's number alone.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pyroaring import BitMap

# Measured with 100,000 objects: what a value of one object takes, what a set takes, and a member of it.
_SINGLE_BYTES: Final = 140
_SET_BYTES: Final = 360
_MEMBER_BYTES: Final = 2


def new_set() -> BitMap:
    # It takes 6 ms and 2 MB to load: with the first selector that needs it.
    from pyroaring import BitMap

    return BitMap()


class Postings:
    """`present`: the objects that have the label, whatever its value. `done`: the objects with lower numbers are in.

    A selectable field that is empty counts as absent, since selectors cannot tell the two apart.
    """

    __slots__ = ("_sets", "_values", "done", "present")

    def __init__(self) -> None:
        self._values: dict[str, int | BitMap] = {}
        self._sets = 0
        self.present = new_set()
        self.done = 0

    def add(self, number: int, value: str) -> None:
        self.present.add(number)
        known = self._values.get(value)
        if known is None:
            self._values[value] = number
        elif isinstance(known, int):
            self._values[value] = members = new_set()
            members.update((known, number))
            self._sets += 1
        else:
            known.add(number)

    def discard(self, number: int, value: str) -> None:
        self.present.discard(number)
        known = self._values.get(value)
        if known is None:
            return
        if isinstance(known, int):
            del self._values[value]
            return
        known.discard(number)
        if not known:
            del self._values[value]
            self._sets -= 1

    def of(self, values: Iterable[str]) -> BitMap:
        """The objects that have one of the values."""
        found = [known for known in (self._values.get(value) for value in values) if known is not None]
        sets = [known for known in found if not isinstance(known, int)]
        if len(sets) == len(found) == 1:
            return sets[0]
        union = new_set()
        union.update([known for known in found if isinstance(known, int)], *sets)
        return union

    @property
    def size_bytes(self) -> int:
        """About what it takes."""
        singles = len(self._values) - self._sets
        return singles * _SINGLE_BYTES + self._sets * _SET_BYTES + 2 * len(self.present) * _MEMBER_BYTES
