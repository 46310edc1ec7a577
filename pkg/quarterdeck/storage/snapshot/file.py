"""The file of a snapshot, byte by byte (little endian), written and read in one pass.

    0        8          16      24      28
    +--------+----------+-------+-------+    then a record for each key, in key order:
    | magic  | revision | taken | CRC32 |
    |  8 B   |  int64   | int64 |  u32  |
    +--------+----------+-------+-------+

    +---------------+-----------------+-----------------+----------+-----+-------+-------+
    | length of key | length of value | create_revision | revision | key | value | CRC32 |
    |      u32      |       u32       |      int64      |  int64   |     |       |  u32  |
    +---------------+-----------------+-----------------+----------+-----+-------+-------+

    and, where all lengths are 0xFFFFFFFF, the end:

    +------------+------------+-------+-------------------+--------------------+
    | 0xFFFFFFFF | 0xFFFFFFFF | count |   digest (B)      |  SHA-256 of all    |
    |    u32     |    u32     | int64 |      32 B         |  that is before it |
    +------------+------------+-------+-------------------+--------------------+

`taken` is in seconds since 1970. The digest is that of Digest: it tells whether two stores hold the same. A file that
has no end, or one that does not fit what is before it, is no snapshot: a stream that broke off is never taken for one.
"""

from __future__ import annotations

import hashlib
import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO, Final

from quarterdeck.storage import interface

_MAGIC: Final = b"QdSnap01"
_HEAD: Final = struct.Struct("<8sqq")
_SUM: Final = struct.Struct("<I")
_LENGTHS: Final = struct.Struct("<II")
_REVISIONS: Final = struct.Struct("<qq")
_COUNT: Final = struct.Struct("<q")
_DIGEST_BYTES: Final = 32
_END: Final = 0xFFFFFFFF
# No key is longer: /registry/ + group + resource + namespace + name.
_KEY_BYTES_MAX: Final = 4096


class Damaged(Exception):
    """The file is no whole snapshot; the text says in what way."""


class Digest:
    """SHA-256 over keys and values in key order, each with its length. Revisions are not in it, since a copy in
    another store has others."""

    def __init__(self) -> None:
        self._sum = hashlib.sha256()

    def add(self, key: bytes, value: bytes) -> None:
        self._sum.update(_LENGTHS.pack(len(key), len(value)))
        self._sum.update(key)
        self._sum.update(value)

    def digest(self) -> bytes:
        return self._sum.digest()


@dataclass(frozen=True, slots=True)
class Summary:
    """`revision`: of the store when it was taken, at `taken_s`. `digest`: see Digest. `size`: bytes of the file."""

    revision: int
    taken_s: int
    count: int
    digest: bytes
    size: int


class Encoder:
    """`head`, then `encode` for each page of records in key order, then `end`: the bytes of the file."""

    def __init__(self) -> None:
        self._all = hashlib.sha256()
        self._digest = Digest()
        self._count = 0

    def head(self, revision: int, taken_s: int) -> bytes:
        head = _HEAD.pack(_MAGIC, revision, taken_s)
        return self._note(head + _SUM.pack(zlib.crc32(head)))

    def encode(self, items: list[interface.KeyValue]) -> bytes:
        pieces: list[bytes] = []
        for key, value, revision, create_revision in items:
            name = key.encode()
            head = _LENGTHS.pack(len(name), len(value)) + _REVISIONS.pack(create_revision, revision) + name
            pieces += (head, value, _SUM.pack(zlib.crc32(value, zlib.crc32(head))))
            self._digest.add(name, value)
        self._count += len(items)
        return self._note(b"".join(pieces))

    def end(self) -> bytes:
        piece = self._note(_LENGTHS.pack(_END, _END) + _COUNT.pack(self._count) + self._digest.digest())
        return piece + self._all.digest()

    def _note(self, piece: bytes) -> bytes:
        self._all.update(piece)
        return piece


class Reader:
    """Reads `file` from its beginning: iterate over all records, then there is a summary. Raises Damaged."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._all = hashlib.sha256()
        self._digest = Digest()
        self._size = 0
        head = self._take(_HEAD.size)
        magic, self.revision, self.taken_s = _HEAD.unpack(head)
        if magic[:6] != _MAGIC[:6]:
            raise Damaged("it is no snapshot")
        if self._take(_SUM.size) != _SUM.pack(zlib.crc32(head)):
            raise Damaged("its head does not match its checksum")
        if magic != _MAGIC:
            raise Damaged("it has a format that this version does not know")
        self.summary: Summary | None = None

    def __iter__(self) -> Iterator[interface.KeyValue]:
        count, before = 0, b""
        while True:
            lengths = self._take(_LENGTHS.size)
            key_bytes, value_bytes = _LENGTHS.unpack(lengths)
            if key_bytes == value_bytes == _END:
                self._finish(count)
                return
            if key_bytes > _KEY_BYTES_MAX or value_bytes > 2 * interface.VALUE_BYTES_MAX:
                raise Damaged(f"record {count} has impossible lengths")
            head = lengths + self._take(_REVISIONS.size + key_bytes)
            value = self._take(value_bytes)
            if self._take(_SUM.size) != _SUM.pack(zlib.crc32(value, zlib.crc32(head))):
                raise Damaged(f"record {count} does not match its checksum")
            create_revision, revision = _REVISIONS.unpack_from(head, _LENGTHS.size)
            name = head[_LENGTHS.size + _REVISIONS.size :]
            if (count and name <= before) or revision > self.revision:
                raise Damaged(f"record {count} cannot stand where it does")
            self._digest.add(name, value)
            before, count = name, count + 1
            yield interface.KeyValue(name.decode(), value, revision, create_revision)

    def _finish(self, count: int) -> None:
        (told,) = _COUNT.unpack(self._take(_COUNT.size))
        digest = self._take(_DIGEST_BYTES)
        seal = self._all.digest()
        if self._take(_DIGEST_BYTES) != seal or told != count or digest != self._digest.digest():
            raise Damaged("its end does not fit what is before it")
        if self._file.read(1):
            raise Damaged("something follows its end")
        self.summary = Summary(self.revision, self.taken_s, count, digest, self._size)

    def _take(self, size: int) -> bytes:
        data = self._file.read(size)
        if len(data) != size:
            raise Damaged("it is cut off")
        self._all.update(data)
        self._size += size
        return data


def verify(file: BinaryIO) -> Summary:
    """Read all of it. Raises Damaged."""
    reader = Reader(file)
    for _ in reader:
        pass
    assert reader.summary is not None
    return reader.summary
