"""List functions: Kubernetes' own (sum, min, isSorted …), the lists extension (version 3), sets.

Source: apiserver's pkg/cel/library/lists.go, cel-go's ext/lists.go and ext/sets.go.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cmp_to_key
from typing import Any, Final

from quarterdeck._kernels import celcompare, cellists, celops, celorder, celvalue
from quarterdeck.cel.values import CelErr, Duration, UInt

_INSERTION_MAX: Final = 12  # items, up to which Go's sort.Slice inserts them one by one
_INT_MIN: Final = -(1 << 63)
_INT_MAX: Final = (1 << 63) - 1


def is_sorted(values: object) -> object:
    """What cannot be compared with the one before it is in order, as upstream has it."""
    before: object = celvalue.missing
    for item in celvalue.items_of(values):
        if not celops.is_ordered(item):
            return _misfit(item)
        if before is not celvalue.missing and _compare(before, item) > 0:
            return False
        before = item
    return True


def _misfit(item: object) -> CelErr:
    return item if isinstance(item, CelErr) else celvalue.no_such_overload


def _compare(a: object, b: object) -> int:
    """0 where there is no order between two values."""
    order = celorder.cel_compare(a, b)
    return 0 if isinstance(order, CelErr) else order


def sum_of(zero: object) -> Callable[[object], object]:
    """The sum of a list whose elements are of the type of `zero`."""

    def total(values: object) -> object:
        out: Any = zero.ns if isinstance(zero, Duration) else zero
        for item in celvalue.items_of(values):
            if type(item) is CelErr:
                return item
            if type(item) is not type(zero):
                return celvalue.no_such_overload
            out = out + (item.ns if isinstance(item, Duration) else item)
            if type(item) is int and not _INT_MIN <= out <= _INT_MAX:
                return CelErr("integer overflow")
            if type(item) is UInt and out >= 1 << 64:
                return CelErr("unsigned integer overflow")
            if type(item) is Duration and not _INT_MIN <= out <= _INT_MAX:
                return CelErr("integer overflow")
        if isinstance(zero, Duration):
            return Duration(out)
        return UInt(out) if type(zero) is UInt else out

    return total


def sum_any(values: object) -> object:
    """The sum where the elements' type is only known now."""
    items = celvalue.items_of(values)
    if not items:
        return 0
    zeros: dict[type, object] = {int: 0, UInt: UInt(0), float: 0.0, Duration: Duration(0)}
    zero = zeros.get(type(items[0]))
    return celvalue.no_such_overload if zero is None else sum_of(zero)(values)


def _extreme(name: str, preferred: int) -> Callable[[object], object]:
    def extreme(values: object) -> object:
        items = celvalue.items_of(values)
        if not items:
            return CelErr(f"{name} called on empty list")
        best = items[0]
        for item in items:
            if not celops.is_ordered(item):
                return _misfit(item)
            if _compare(best, item) == preferred:
                best = item
        return best

    return extreme


min_of = _extreme("min", 1)
max_of = _extreme("max", -1)


def index_of(values: object, item: object) -> object:
    equals = celcompare.cel_equals
    for i, other in enumerate(celvalue.items_of(values)):
        if equals(other, item):
            return i
    return -1


def last_index_of(values: object, item: object) -> object:
    items = celvalue.items_of(values)
    for i in range(len(items) - 1, -1, -1):
        if celcompare.cel_equals(items[i], item):
            return i
    return -1


def slice_of(values: object, start: int, end: int) -> object:
    items = celvalue.items_of(values)
    if start < 0 or end < 0:
        return CelErr(f"cannot slice({start}, {end}), negative indexes not supported")
    if start > end:
        return CelErr(f"cannot slice({start}, {end}), start index must be less than or equal to end index")
    if len(items) < end:
        return CelErr(f"cannot slice({start}, {end}), list is length {len(items)}")
    return items[start:end]


def flatten(values: object, depth: int = 1) -> object:
    if depth < 0:
        return CelErr("level must be non-negative")
    items = list(celvalue.items_of(values))
    for _ in range(depth):
        flat: list[object] = []
        changed = False
        for item in items:
            inner = celvalue.items_of(item)
            if inner is None:
                flat.append(item)
            else:
                flat += inner
                changed = True
        items = flat
        if not changed:
            break
    return items


def range_of(count: int) -> object:
    """What is too long costs too much, and is not made."""
    return list(range(count))


def reverse(values: object) -> object:
    return celvalue.items_of(values)[::-1]


def distinct(values: object) -> object:
    items = celvalue.items_of(values)
    if all(type(item) is str for item in items) or all(type(item) is int for item in items):
        return list(dict.fromkeys(items))
    out: list[object] = []
    equals = celcompare.cel_equals
    for item in items:
        if not any(equals(item, other) for other in out):
            out.append(item)
    return out


def sort(values: object) -> object:
    return sort_by_keys(values, values)


def sort_by_keys(values: object, keys: object) -> object:
    items = celvalue.items_of(values)
    key_items = celvalue.items_of(keys)
    if len(items) != len(key_items):
        return CelErr(
            "@sortByAssociatedKeys() expected a list of the same size as the associated keys list, but got "
            f"{len(items)} and {len(key_items)} elements respectively"
        )
    if not items:
        return values
    first = key_items[0]
    if not celops.is_ordered(first):
        return CelErr("list elements must be comparable")
    if any(type(key) is not type(first) for key in key_items):
        return CelErr("list elements must have the same type")
    return [items[i] for i in _in_order(key_items)]


def _in_order(keys: list[Any]) -> list[int]:
    """The places of the keys. NaN has no order: where Go moves it in a short list is what insertion makes of it."""
    if len(keys) > _INSERTION_MAX or not any(key != key for key in keys):
        order = cmp_to_key(_compare)
        return sorted(range(len(keys)), key=lambda place: order(keys[place]))
    places: list[int] = []
    for place, key in enumerate(keys):
        at = place
        while at and _compare(key, keys[places[at - 1]]) < 0:
            at -= 1
        places.insert(at, place)
    return places


def sets_contains(values: object, part: object) -> object:
    for wanted in celvalue.items_of(part):
        held = cellists.list_contains(values, wanted)
        if held is not True:
            return held
    return True


def sets_intersects(a: object, b: object) -> object:
    return any(cellists.list_contains(b, item) is True for item in celvalue.items_of(a))


def sets_equivalent(a: object, b: object) -> object:
    held = sets_contains(a, b)
    return sets_contains(b, a) if held is True else held
