"""A small file beside the database that says how far the store had come, so that a lost or cut-off log is noticed.

SQLite drops whatever follows the first damaged frame of its write-ahead log, as it must after a power failure. Without
a witness outside the log nobody could tell a commit that was never acknowledged from one that was. This file is it:

    0       4         8          24         32      36        64             72      76     128            136     140
    +-------+---------+----------+----------+-------+---------+--------------+-------+------+--------------+-------+
    | magic | version | store id | reserved | CRC32 |  zeros  | acknowledged | CRC32 |      | acknowledged | CRC32 |
    | 4 B   |  u32    |  16 B    |  int64   |  u32  |         |    int64     |  u32  |      |    int64     |  u32  |
    +-------+---------+----------+----------+-------+---------+--------------+-------+------+--------------+-------+
    then at 192: the id of the boot of the machine (36 ASCII bytes) under which `acknowledged` was written

`store id` is the one in the database's table `store`. `acknowledged` is the newest revision whose commit returned; it
is written in turns into two places, through a memory map: no system call, and what a killed process wrote stays in the
kernel's cache. After a power failure it may be older than the truth, never newer, since it is written after the fsync.
`reserved` is synced before any revision above it is given out, once in RESERVE revisions: whatever is lost, no revision
above it was ever told to anybody.
"""

from __future__ import annotations

import mmap
import os
import struct
import zlib
from pathlib import Path
from typing import Final

RESERVE: Final = 10_000

_MAGIC: Final = b"QdMk"
_VERSION: Final = 1
_SIZE: Final = 4096
_HEAD: Final = struct.Struct("<4sI16sq")
_SLOT: Final = struct.Struct("<qI")
_SUM: Final = struct.Struct("<I")
_SLOTS: Final = (64, 128)
_BOOT_AT: Final = 192
_BOOT_BYTES: Final = 36
_NUMBER: Final = struct.Struct("<q")


def path_of(database: Path) -> Path:
    return database.with_name(database.name + "-mark")


class Mark:
    """Touched on the store's thread only, like the database."""

    def __init__(self, path: Path, content: mmap.mmap, store_id: bytes, reserved: int, acknowledged: int) -> None:
        self.path = path
        self.store_id = store_id
        self.reserved = reserved
        self.acknowledged = acknowledged
        self._content = content
        self._turn = 0

    @classmethod
    def create(cls, path: Path, store_id: bytes, revision: int) -> Mark:
        """A new file, durable when this returns. Raises OSError."""
        file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
        try:
            os.pwrite(file, bytes(_SIZE), 0)
            content = mmap.mmap(file, _SIZE)
        finally:
            os.close(file)
        mark = cls(path, content, store_id, 0, revision)
        mark.reserve(revision)
        mark.acknowledge(revision)
        mark.acknowledge(revision)
        mark.remember_boot()
        sync_folder(path.parent)
        return mark

    @classmethod
    def read(cls, path: Path) -> Mark | None:
        """The content of the file; None if there is no file, or if not even the store and the reserve can be read."""
        try:
            file = os.open(path, os.O_RDWR | os.O_CLOEXEC)
        except FileNotFoundError:
            return None
        try:
            if os.fstat(file).st_size != _SIZE:
                return None
            content = mmap.mmap(file, _SIZE)
        finally:
            os.close(file)
        magic, version, store_id, reserved = _HEAD.unpack_from(content)
        (found,) = _SUM.unpack_from(content, _HEAD.size)
        if magic != _MAGIC or version != _VERSION or found != zlib.crc32(content[: _HEAD.size]):
            content.close()
            return None
        known = [number for number in (_read_slot(content, at, store_id) for at in _SLOTS) if number is not None]
        return cls(path, content, store_id, reserved, max(known, default=0))

    def is_of_this_boot(self) -> bool:
        """Whether the machine has been up since `acknowledged` was written: then it is exact."""
        boot = _boot_id()
        return bool(boot) and self._content[_BOOT_AT : _BOOT_AT + _BOOT_BYTES] == boot

    def remember_boot(self) -> None:
        self._content[_BOOT_AT : _BOOT_AT + _BOOT_BYTES] = _boot_id().ljust(_BOOT_BYTES, b"\0")

    def acknowledge(self, revision: int) -> None:
        """The commit of this revision is durable."""
        at = _SLOTS[self._turn]
        self._turn ^= 1
        _SLOT.pack_into(self._content, at, revision, _sum_of(revision, self.store_id))
        self.acknowledged = revision

    def reserve(self, revision: int) -> None:
        """Make sure that `revision` may be given out; durable when this returns. Raises OSError."""
        if revision <= self.reserved:
            return
        reserved = revision + RESERVE
        head = _HEAD.pack(_MAGIC, _VERSION, self.store_id, reserved)
        self._content[: _HEAD.size + _SUM.size] = head + _SUM.pack(zlib.crc32(head))
        self._content.flush()
        self.reserved = reserved

    def close(self) -> None:
        """Durable when this returns."""
        self._content.flush()
        self._content.close()


def _read_slot(content: mmap.mmap, at: int, store_id: bytes) -> int | None:
    revision, found = _SLOT.unpack_from(content, at)
    return revision if found == _sum_of(revision, store_id) else None


def _sum_of(revision: int, store_id: bytes) -> int:
    return zlib.crc32(_NUMBER.pack(revision), zlib.crc32(store_id))


def _boot_id() -> bytes:
    """Of the running machine; empty where the system does not tell."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_bytes().strip()[:_BOOT_BYTES]
    except OSError:
        return b""


def sync_folder(path: Path) -> None:
    folder = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
