"""Rows of the database: what is not as it was written is told, whatever it holds."""

from __future__ import annotations

import struct
import zlib
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quarterdeck._kernels import storedrows
from quarterdeck._kernels.keytable import KeyTable

NUMBERS = st.integers(-(2**63), 2**63 - 1)
ANYTHING = st.none() | st.integers(0, 3) | st.text(max_size=3) | st.binary(max_size=3) | st.floats()


class Item(NamedTuple):
    key: str
    value: bytes
    revision: int
    create_revision: int


def row_of(revision: int, key: str, created: int, previous: int, value: bytes | None) -> tuple[Any, ...]:
    """By Python's own library."""
    length = -1 if value is None else len(value)
    head = zlib.crc32(struct.pack("<qqqq", revision, created, previous, length) + key.encode())
    return (revision, key, created, previous, head, 0 if value is None else zlib.crc32(value, head), value)


def head_of(row: tuple[Any, ...]) -> tuple[Any, ...]:
    return (*row[:5], None if row[6] is None else len(row[6]))


@given(st.binary(max_size=100), st.integers(0, 2**32 - 1))
def test_the_checksum_is_that_of_zlib(data: bytes, start: int) -> None:
    assert storedrows.crc32(data, start) == zlib.crc32(data, start)


def test_the_checksum_of_many_bytes_is_that_of_zlib() -> None:
    data = bytes(range(256)) * 1000
    assert storedrows.crc32(data, 5) == zlib.crc32(data, 5)


@given(NUMBERS, st.text(max_size=30), NUMBERS, NUMBERS, st.none() | st.binary(max_size=30))
def test_a_row_as_it_was_written(revision: int, key: str, created: int, previous: int, value: bytes | None) -> None:
    row = row_of(revision, key, created, previous, value)
    assert storedrows.head_sum(revision, key, created, previous, -1 if value is None else len(value)) == row[4]
    heads = storedrows.Heads(0, 0)
    assert heads.take([head_of(row)], 0) == 1
    assert heads.current.get(key) == (None if value is None else (revision, created))
    found, faulty = storedrows.living([row], KeyTable(), {key: revision}, Item)
    assert found == [Item(key, value or b"", revision, created)]
    assert type(found[0]) is Item
    assert faulty == []


@given(st.sampled_from([b"value", None]), st.integers(0, 6), ANYTHING)
def test_a_row_with_anything_in_a_column(value: bytes | None, column: int, anything: Any) -> None:
    row = row_of(7, "/registry/a/b/c", 5, 6, value)
    changed = (*row[:column], anything, *row[column + 1 :])
    is_same = changed == row and type(changed[column]) is type(row[column])
    current = KeyTable()
    current.set("/registry/a/b/c", 7, 5)
    found, faulty = storedrows.living([changed], current, {}, Item)
    if column in (0, 1) and not is_same:  # it is no row of what lives
        assert found == faulty == []
    elif column == 5 and value is None:  # which nobody looks at
        assert (len(found), faulty) == (1, [])
    else:
        assert (len(found), faulty) == ((1, []) if is_same else (0, [changed]))
    if column < 5:
        heads = storedrows.Heads(0, 0)
        head = head_of(row)
        assert heads.take([(*head[:column], anything, *head[column + 1 :])], 0) == is_same


def test_heads_up_to_the_first_that_is_not_as_it_was_written() -> None:
    rows = [row_of(revision, f"k{revision % 2}", revision, 0, b"x") for revision in range(1, 7)]
    heads = [head_of(row) for row in rows]
    heads[3] = (4, "k1", 4, 0, heads[3][4], 1)
    taken = storedrows.Heads(2, 2)
    assert taken.take(heads, 0) == 3
    assert (taken.old_rows, taken.new_rows, taken.newest) == (2, 1, 3)
    taken.count(4)
    assert taken.take(heads, 4) == 6
    assert (taken.old_rows, taken.new_rows, taken.newest) == (2, 4, 6)
    assert taken.current.get("k0") == (6, 6)
    assert taken.take([head_of(row_of(7, "k0", 0, 6, None))], 0) == 1
    assert taken.current.keys() == ["k1"]


def test_an_earlier_state_counts_more_than_the_newest() -> None:
    rows = [row_of(1, "a", 1, 0, b"old"), row_of(2, "a", 1, 1, b"new"), row_of(3, "b", 3, 0, b"b")]
    current = KeyTable()
    current.set("a", 2, 1)
    current.set("b", 3, 3)
    assert [item.revision for item in storedrows.living(rows, current, {}, Item)[0]] == [2, 3]
    assert [item.revision for item in storedrows.living(rows, current, {"a": 1, "b": 0}, Item)[0]] == [1]


def test_what_is_handed_in_wrongly() -> None:
    with pytest.raises(TypeError):
        storedrows.living([], KeyTable(), {}, dict)
    with pytest.raises(ValueError, match="no row"):
        storedrows.living([(1,)], KeyTable(), {}, Item)
    with pytest.raises(ValueError, match="no head"):
        storedrows.Heads(0, 0).take([(1,)], 0)
