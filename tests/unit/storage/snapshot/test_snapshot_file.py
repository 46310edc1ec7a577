"""Nothing but a whole snapshot is taken for one."""

from __future__ import annotations

import io

import pytest

from quarterdeck.storage import interface
from quarterdeck.storage.snapshot.file import Damaged, Encoder, Reader, verify

ITEMS = [
    interface.KeyValue("/registry/a/é", b'{"a":1}', 120, 110),
    interface.KeyValue("/registry/b", b"", 115, 115),
]


def build(items: list[interface.KeyValue] = ITEMS) -> bytes:
    encoder = Encoder()
    return encoder.head(130, 1_700_000_000) + encoder.encode(items) + encoder.end()


def test_what_is_written_is_read() -> None:
    content = build()
    reader = Reader(io.BytesIO(content))
    assert list(reader) == ITEMS
    summary = verify(io.BytesIO(content))
    assert summary == reader.summary
    assert (summary.revision, summary.taken_s, summary.count) == (130, 1_700_000_000, 2)
    assert summary.size == len(content)


def test_each_flipped_bit_is_noticed() -> None:
    content = bytearray(build())
    for place in range(len(content)):
        for bit in range(8):
            content[place] ^= 1 << bit
            with pytest.raises(Damaged):
                verify(io.BytesIO(content))
            content[place] ^= 1 << bit
    verify(io.BytesIO(content))


def test_each_cut_and_anything_behind_the_end_is_noticed() -> None:
    content = build()
    for length in range(len(content)):
        with pytest.raises(Damaged):
            verify(io.BytesIO(content[:length]))
    with pytest.raises(Damaged, match="follows"):
        verify(io.BytesIO(content + b"\0"))


@pytest.mark.parametrize("items", [ITEMS[::-1], [ITEMS[0]] * 2, [ITEMS[0]._replace(revision=131)]])
def test_records_that_no_store_can_have_are_refused(items: list[interface.KeyValue]) -> None:
    with pytest.raises(Damaged, match="cannot stand"):
        verify(io.BytesIO(build(items)))


def test_a_dropped_record_is_noticed() -> None:
    encoder, whole = Encoder(), build()
    first = len(encoder.head(130, 1_700_000_000)) + len(encoder.encode(ITEMS[:1]))
    second = len(encoder.encode(ITEMS[1:]))
    with pytest.raises(Damaged, match="does not fit"):
        verify(io.BytesIO(whole[:first] + whole[first + second :]))
