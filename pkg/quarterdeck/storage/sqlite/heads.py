"""Mending a record whose head does not match its checksum.

What a head says follows from its key and the other records of that key: which one it superseded, and when the key was
made. So only the key has to be found: it is the one as read, or that of the record it names as superseded, or that of
the record which names it. A guess counts only if a checksum written at the time confirms it: the head's own, or the
value's, which continues from the head's (then it was the head's checksum that is damaged).

A head of which one bit flipped is found by trying each bit: a CRC-32 never confirms two of them.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from typing import Any, Final, NamedTuple, cast

import apsw

from quarterdeck.storage.sqlite import format as fmt

_NUMBERS: Final = struct.Struct("<qqqq")
_NUMBER_MAX: Final = (1 << 63) - 1
# No key is longer: /registry/ + group + resource + namespace + name.
_KEY_BYTES_MAX: Final = 2048

_BY_KEY: Final = """
SELECT revision, create_revision, value IS NULL FROM revisions WHERE key = ? AND revision < ? ORDER BY revision DESC
"""
_SUPERSEDED_BY: Final = "SELECT revision, key FROM revisions WHERE previous_revision = ?"
_KEY_OF: Final = "SELECT key FROM revisions WHERE revision = ?"
_ROW: Final = f"SELECT {fmt.COLUMNS} FROM revisions WHERE revision = ?"


class _Head(NamedTuple):
    """What the checksum covers, but for the revision and the length of the value."""

    key: str
    create_revision: int
    previous_revision: int


def restore(connection: apsw.Connection, revision: int, damaged: frozenset[int]) -> fmt.Row | None:
    """The record as it was written, or None if that is not certain. `damaged`: all records with a damaged head, which
    nothing may be concluded from."""
    row = cast(tuple[Any, ...] | None, connection.execute(_ROW, (revision,)).fetchone())
    if row is None or not (row[6] is None or isinstance(row[6], bytes)):
        return None
    value = row[6]
    length = -1 if value is None else len(value)
    for head in _guess(connection, row, damaged):
        found = fmt.head_sum(revision, head.key, head.create_revision, head.previous_revision, length)
        if found == row[4] or (value is not None and zlib.crc32(value, found) == row[5]):
            return (revision, *head, found, row[5], value)
    return None


def _guess(connection: apsw.Connection, row: tuple[Any, ...], damaged: frozenset[int]) -> Iterator[_Head]:
    revision, key, create_revision, previous = row[:4]
    numbers = [each if isinstance(each, int) else 0 for each in (create_revision, previous)]
    is_deletion = row[6] is None
    if isinstance(key, str):
        yield _Head(key, numbers[0], numbers[1])
    for known in _keys(connection, revision, key, previous, damaged):
        yield _derive(connection, known, revision, damaged, is_deletion=is_deletion)
        yield _Head(known, numbers[0], numbers[1])
    if isinstance(key, str):
        length = -1 if row[6] is None else len(row[6])
        yield from _flip(revision, key, numbers, length)


def _keys(
    connection: apsw.Connection, revision: int, key: object, previous: object, damaged: frozenset[int]
) -> Iterator[str]:
    if isinstance(key, str):
        yield key
    for other, name in cast(list[tuple[int, str]], connection.execute(_SUPERSEDED_BY, (revision,)).fetchall()):
        if other not in damaged:
            yield name
    if isinstance(previous, int) and previous not in damaged:
        found = connection.execute(_KEY_OF, (previous,)).fetchone()
        if found is not None and isinstance(found[0], str):
            yield found[0]


def _derive(
    connection: apsw.Connection, key: str, revision: int, damaged: frozenset[int], *, is_deletion: bool
) -> _Head:
    """The head that a write of `key` has at `revision`, by the key's earlier records."""
    earlier = cast(list[tuple[int, int, int]], connection.execute(_BY_KEY, (key, revision)).fetchall())
    for other, created, was_deletion in earlier:
        if other not in damaged:
            previous = 0 if was_deletion else other
            created = 0 if is_deletion else (revision if was_deletion else created)
            return _Head(key, created, previous)
    return _Head(key, 0 if is_deletion else revision, 0)


def _flip(revision: int, key: str, numbers: list[int], length: int) -> Iterator[_Head]:
    """All heads that differ in one bit from the one that was read."""
    text = key.encode("utf-8", "surrogateescape")
    if len(text) > _KEY_BYTES_MAX or not all(abs(number) <= _NUMBER_MAX for number in numbers):
        return
    head = bytearray(_NUMBERS.pack(revision, numbers[0], numbers[1], length) + text)
    for place in range(8, len(head)):
        if 24 <= place < 32:
            continue  # the length: that is what it is
        for bit in range(8):
            head[place] ^= 1 << bit
            _, created, previous, _ = _NUMBERS.unpack_from(head)
            try:
                yield _Head(head[_NUMBERS.size :].decode(), created, previous)
            except UnicodeDecodeError:
                pass
            head[place] ^= 1 << bit
