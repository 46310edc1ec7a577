"""The record layout: what was written is verified, byte by byte."""

from __future__ import annotations

import pytest

from quarterdeck.storage import interface
from quarterdeck.storage.sqlite import format as fmt

ROW = fmt.encode_row(7, "/registry/pods/a", 5, 6, b'{"a":1}')


def test_row_is_verified() -> None:
    fmt.verify_row(ROW)
    fmt.verify_row(fmt.encode_row(8, "/registry/pods/a", 0, 7, None))
    fmt.verify_row(fmt.encode_row(9, "/registry/pods/ä", 9, 0, b""))


@pytest.mark.parametrize(
    ("column", "damaged"),
    [
        (0, 8),
        (1, "/registry/pods/b"),
        (1, None),
        (1, 17),
        (1, b"/registry/pods/a"),
        (2, 4),
        (2, "5"),
        (3, 0),
        (4, 0),
        (5, 0),
        (6, b'{"a":2}'),
        (6, b'{"a":1} '),
        (6, None),
        (6, '{"a":1}'),
        (6, 3.5),
    ],
)
def test_each_damaged_column_is_noticed(column: int, damaged: object) -> None:
    row = (*ROW[:column], damaged, *ROW[column + 1 :])
    with pytest.raises(interface.Corrupt):
        fmt.verify_row(row)  # type: ignore[arg-type]


def test_each_flipped_bit_of_a_value_is_noticed() -> None:
    value = ROW[6]
    assert value is not None
    for bit in range(len(value) * 8):
        flipped = bytearray(value)
        flipped[bit // 8] ^= 1 << bit % 8
        with pytest.raises(interface.Corrupt):
            fmt.verify_row((*ROW[:6], bytes(flipped)))


def test_a_value_of_another_row_is_noticed() -> None:
    """Even one of the same bytes' checksum: it continues the head's."""
    other = fmt.encode_row(8, "/registry/pods/a", 5, 7, b'{"a":1}')
    with pytest.raises(interface.Corrupt):
        fmt.verify_row((*ROW[:5], *other[5:]))


def test_meta_round_trip() -> None:
    meta = fmt.Meta(compacted=9, pruned=5, survivors=3, checkpointed=8, refusals=1)
    assert fmt.Meta.decode(meta.encode()) == meta


def test_each_flipped_bit_of_meta_is_noticed() -> None:
    record = fmt.FRESH_META.encode()
    for bit in range(len(record) * 8):
        flipped = bytearray(record)
        flipped[bit // 8] ^= 1 << bit % 8
        with pytest.raises(interface.Corrupt):
            fmt.Meta.decode(bytes(flipped))
    with pytest.raises(interface.Corrupt):
        fmt.Meta.decode(record[:-1])
