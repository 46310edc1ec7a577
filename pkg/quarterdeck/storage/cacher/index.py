"""The index of one resource's objects: which of them a selector can mean, without looking at all.

Each object has a number. For each label and selectable field that a selector has named there are Postings, the sets of
the numbers of the objects by value; namespaces and names are such fields too. A selector becomes an expression of sets.
What it gives holds all objects that the selector means, and some more where it compares numbers or names very many
labels: who asks still evaluates the selection for what was found.

It is made in steps by those who had to look at all objects for want of it (`build`), so that nobody waits for it, and
follows the writes from then on. A write costs a look at each known label, and no more where the labels stay the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from quarterdeck._kernels import watchobject
from quarterdeck.apimachinery.fields import METADATA_NAME, METADATA_NAMESPACE
from quarterdeck.storage.cacher.postings import Postings, new_set
from quarterdeck.storage.cacher.terms import Key, bound, keys_of

if TYPE_CHECKING:
    from pyroaring import BitMap

# Labels and fields that are kept; those that were not asked for longest go first.
KEYS_MAX: Final = 24
# What the index may take, by the number of objects: labels go that take more.
BYTES_AN_OBJECT_MAX: int = 512
BYTES_MIN: int = 1024 * 1024
# An object's number: in a dict by path, and its place in a list.
_NUMBER_BYTES: Final = 146
# So many writes an object without a question, and keeping up has cost more than a new index would.
_IDLE_WRITES: Final = 10
_WRITES_BETWEEN_SIZES: Final = 4096
_DECODED_COST: Final = 20

_ABSENT: Final[dict[str, str]] = {}
_NEVER_DONE: Final = 1 << 62

Entries = Iterator[watchobject.Entry]


class SelectorIndex:
    """Invariants, for an object whose number is less than `done` of a label's Postings: it is in them under its value,
    or it is in `_undecoded`, and then in none. Objects whose paths are from `_cursor` on may have no number yet."""

    def __init__(self, decode: Callable[[watchobject.Entry], None]) -> None:
        self._decode = decode
        self._numbers: dict[str, int] = {}
        self._entries: list[watchobject.Entry | None] = []
        self._free: list[int] = []
        self._all = new_set()
        self._undecoded: set[int] = set()  # whose labels and fields are not known
        self._cursor: str | None = ""  # None: all objects have numbers
        self._keys: dict[Key, Postings] = {}
        self._refused: set[Key] = set()  # which would take too much
        self._idle_writes = 0

    @property
    def size_bytes(self) -> int:
        """About what it takes."""
        return len(self._entries) * _NUMBER_BYTES + sum(each.size_bytes for each in self._keys.values())

    @property
    def is_idle(self) -> bool:
        """Nobody has asked for so long that it should go."""
        return self._idle_writes > _IDLE_WRITES * (len(self._entries) + 1000)

    # - following the writes

    def put(self, entry: watchobject.Entry) -> None:
        """An object was created or replaced."""
        self._idle_writes += 1
        if not self._idle_writes % _WRITES_BETWEEN_SIZES:
            self._make_room()
        number = self._numbers.get(entry.path)
        if number is not None:
            self._replace(number, entry)
        elif self._cursor is None or entry.path < self._cursor:
            self._learn(self._number(entry), entry)

    def remove(self, path: str) -> None:
        self._idle_writes += 1
        number = self._numbers.pop(path, None)
        if number is None:
            return
        entry = self._entries[number]
        assert entry is not None
        self._forget(number, entry)
        self._entries[number] = None
        self._all.discard(number)
        self._free.append(number)

    def _number(self, entry: watchobject.Entry) -> int:
        if self._free:
            number = self._free.pop()
            self._entries[number] = entry
        else:
            number = len(self._entries)
            self._entries.append(entry)
        self._numbers[entry.path] = number
        self._all.add(number)
        return number

    def _learn(self, number: int, entry: watchobject.Entry) -> None:
        """Take an object up that is nowhere yet."""
        if entry.labels is None:
            self._undecoded.add(number)
            return
        for key, postings in self._keys.items():
            if number < postings.done:
                _add(postings, number, _value_of(entry, key))

    def _forget(self, number: int, entry: watchobject.Entry) -> None:
        if number in self._undecoded:
            self._undecoded.discard(number)
            return
        for key, postings in self._keys.items():
            if number < postings.done:
                _discard(postings, number, _value_of(entry, key))

    def _replace(self, number: int, entry: watchobject.Entry) -> None:
        old = self._entries[number]
        assert old is not None
        self._entries[number] = entry
        if number in self._undecoded or entry.labels is None:
            self._forget(number, old)
            self._learn(number, entry)
        elif entry.labels is not old.labels or entry.fields is not old.fields:
            for key, postings in self._keys.items():
                before, now = _value_of(old, key), _value_of(entry, key)
                if before != now and number < postings.done:
                    _discard(postings, number, before)
                    _add(postings, number, now)

    # - making it

    def build(self, selection: watchobject.Selection, from_path: Callable[[str], Entries], cost_max: int) -> None:
        """Take a step toward an index that knows the selection's labels and fields. `from_path` gives the objects whose
        paths are not less; an object costs 1, one that has to be decoded 20."""
        cost = self._number_some(from_path, cost_max)
        for key in keys_of(selection):
            if key in self._refused:
                continue
            postings = self._keys.get(key)
            if postings is None:
                postings = self._keys[key] = Postings()
            while postings.done < len(self._entries) and cost < cost_max:
                number = postings.done
                postings.done += 1
                cost += 1
                entry = self._entries[number]
                if entry is None:
                    continue
                if number in self._undecoded:
                    if entry.labels is None:
                        cost += _DECODED_COST
                    self._know(number, entry)
                else:
                    _add(postings, number, _value_of(entry, key))
            if postings.done >= len(self._entries) and self._cursor is None:
                postings.done = _NEVER_DONE
        self._make_room()

    def _number_some(self, from_path: Callable[[str], Entries], cost_max: int) -> int:
        if self._cursor is None:
            return 0
        found = list(islice(from_path(self._cursor), cost_max))
        self._cursor = found[-1].path + "\0" if len(found) == cost_max else None
        for entry in found:
            if entry.path not in self._numbers:
                self._learn(self._number(entry), entry)
        return len(found)

    def _know(self, number: int, entry: watchobject.Entry) -> None:
        """Find the labels and fields of an object that has a number."""
        if entry.labels is None:
            self._decode(entry)
        self._undecoded.discard(number)
        self._learn(number, entry)

    def _make_room(self) -> None:
        bytes_max = max(BYTES_AN_OBJECT_MAX * len(self._entries), BYTES_MIN)
        while len(self._keys) > KEYS_MAX:
            del self._keys[next(iter(self._keys))]
        while self._keys and self.size_bytes > bytes_max:
            largest = max(self._keys, key=lambda key: self._keys[key].size_bytes)
            del self._keys[largest]
            if len(self._refused) < KEYS_MAX:
                self._refused.add(largest)

    # - asking

    def find(self, selection: watchobject.Selection, decoded_max: int) -> BitMap | None:
        """The numbers of the objects that the selection can mean, by those of its labels and fields that are known.
        None where none is, or more than `decoded_max` objects would have to be decoded. The set may be the
        index's own."""
        self._idle_writes = 0
        if self._cursor is not None or not self._know_all(decoded_max):
            return None
        postings: dict[Key, Postings] = {}
        for key in keys_of(selection):
            found = self._keys.get(key)
            if found is not None and found.done == _NEVER_DONE:
                del self._keys[key]
                self._keys[key] = postings[key] = found  # asked for last
        if not postings:
            return None
        within: list[BitMap] = []
        without: list[BitMap] = []
        bound(selection, postings, within, without)
        chosen = self._all.intersection(*within) if len(within) > 1 else within[0] if within else self._all
        return chosen.difference(*without) if without else chosen

    def entries(self, numbers: BitMap) -> list[watchobject.Entry]:
        known = self._entries
        return [entry for number in numbers if (entry := known[number]) is not None]

    def _know_all(self, decoded_max: int) -> bool:
        for number in list(islice(self._undecoded, decoded_max)):
            entry = self._entries[number]
            assert entry is not None
            self._know(number, entry)
        return not self._undecoded


def _value_of(entry: watchobject.Entry, key: Key) -> Any:
    is_field, name = key
    if not is_field:
        return (entry.labels or _ABSENT).get(name)
    if name == METADATA_NAME:
        return entry.name
    if name == METADATA_NAMESPACE:
        return entry.namespace or None
    return (entry.fields or _ABSENT).get(name) or None


def _add(postings: Postings, number: int, value: Any) -> None:
    """Another hand may have stored labels that are no text: no selector names their value."""
    if isinstance(value, str):
        postings.add(number, value)
    elif value is not None:
        postings.present.add(number)


def _discard(postings: Postings, number: int, value: Any) -> None:
    if isinstance(value, str):
        postings.discard(number, value)
    elif value is not None:
        postings.present.discard(number)
