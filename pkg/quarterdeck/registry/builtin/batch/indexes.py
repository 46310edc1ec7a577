"""Indexes of an indexed job in their short form: `1,3-5,7`.

Source: pkg/apis/batch/validation/validation.go (validateIndexesFormat, parseIndexInterval).
"""

from __future__ import annotations

from collections.abc import Iterator

from quarterdeck.apimachinery import gofmt, strconv


class WrongIndexes(ValueError):
    """The text is upstream's."""


def count(text: str, completions: int) -> int:
    """How many indexes the text tells. Raises WrongIndexes."""
    total, last = 0, None
    for part in text.split(",") if text else ():
        first, end = _parse(part, completions)
        if last is not None and last >= first:
            raise WrongIndexes(f"non-increasing order, previous: {last}, current: {first}")
        total += end - first + 1
        last = end
    return total


def find_overlap(completed: str, failed: str, completions: int) -> int | None:
    """The first index that stands in both. Intervals that cannot be read are passed over."""
    of_completed, of_failed = _intervals(completed, completions), _intervals(failed, completions)
    left, right = next(of_completed, None), next(of_failed, None)
    while left is not None and right is not None:
        if left[0] <= right[1] and right[0] <= left[1]:
            return max(left[0], right[0])
        if left[0] <= right[0]:
            left = next(of_completed, None)
        else:
            right = next(of_failed, None)
    return None


def _intervals(text: str, completions: int) -> Iterator[tuple[int, int]]:
    for part in text.split(",") if text else ():
        try:
            interval = _parse(part, completions)
        except WrongIndexes:
            continue
        yield interval


def _parse(part: str, completions: int) -> tuple[int, int]:
    ends = part.split("-")
    if len(ends) > 2:
        text = "violates the requirement that an index interval can have at most two parts separated by '-'"
        raise WrongIndexes(f"the fragment {gofmt.quote(part)} {text}")
    first = _index(ends[0], completions)
    if len(ends) == 1:
        return first, first
    last = _index(ends[1], completions)
    if first >= last:
        raise WrongIndexes(f"non-increasing order, previous: {first}, current: {last}")
    return first, last


def _index(text: str, completions: int) -> int:
    try:
        number = strconv.parse_int(text)
    except strconv.NumError as error:
        raise WrongIndexes(f"cannot convert string to integer for index: {gofmt.quote(text)}") from error
    if number >= completions:
        raise WrongIndexes(f"too large index: {gofmt.quote(text)}")
    return number
