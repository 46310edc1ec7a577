"""A SQLite VFS that fails on demand, and one disk's memory of what was written, synced and lost.

`FaultVFS` passes everything to the real file system (which plays the page cache: all writes are seen by all readers)
and keeps a trace of writes, truncations, syncs and deletions. A `Fault` fails one or all operations from the n-th on.

No sync reaches the real disk, which nothing here depends on and which would make the tests wait.

`before_sync` is called before each sync, to hold up a commit.

`Disk` replays the trace up to any point and builds what a power failure would leave there: each file as of its last
sync, with an arbitrary part of the later writes, the last one torn. After a failed sync the kernel takes the pages for
clean, so what was written before it and not synced never reaches the disk, however often a sync succeeds later.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import apsw

_SECTOR_BYTES = 512


@dataclass
class Operation:
    """`kind`: write, truncate, sync, sync-failed, delete. `offset` is the new size of a truncation."""

    kind: str
    path: str
    offset: int = 0
    data: bytes = b""


@dataclass
class Fault:
    """Fail operations of `kind` ("write" or "sync"), from the `first`th on (counted from 0), `count` of them.

    `error`: EIO, ENOSPC, or SHORT (half of the data is written, then the disk is full).
    """

    kind: str
    first: int
    error: str
    count: int = 1

    def hits(self, kind: str, number: int) -> bool:
        return kind == self.kind and self.first <= number < self.first + self.count


@dataclass
class Trace:
    operations: list[Operation] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=lambda: {"write": 0, "sync": 0})
    fault: Fault | None = None
    hits: int = 0
    is_recording: bool = True
    before_sync: Callable[[], object] | None = None

    def note(self, kind: str, path: str, offset: int = 0, data: bytes = b"") -> None:
        if self.is_recording:
            self.operations.append(Operation(kind, path, offset, data))

    def strike(self, kind: str) -> str | None:
        """The error that this operation has to fail with."""
        number = self.counts[kind]
        self.counts[kind] += 1
        if self.fault is not None and self.fault.hits(kind, number):
            self.hits += 1
            return self.fault.error
        return None

    def __len__(self) -> int:
        return len(self.operations)


class FaultVFS(apsw.VFS):
    """Register by making one; unregister() when done. The name is for SQLiteStorage.open(vfs=...)."""

    def __init__(self, name: str, trace: Trace) -> None:
        self.name = name
        self.trace = trace
        super().__init__(name, "")

    def xOpen(self, name: str | apsw.URIFilename | None, flags: list[int]) -> apsw.VFSFile:
        return _FaultFile(name, flags, self.trace)

    def xDelete(self, filename: str, syncdir: bool) -> None:
        super().xDelete(filename, syncdir)
        self.trace.note("delete", filename)


class _FaultFile(apsw.VFSFile):
    def __init__(self, name: str | apsw.URIFilename | None, flags: list[int], trace: Trace) -> None:
        self._path = name.filename() if isinstance(name, apsw.URIFilename) else str(name)
        self._trace = trace
        super().__init__("", name, flags)

    def xWrite(self, data: bytes, offset: int) -> None:
        error = self._trace.strike("write")
        if error == "SHORT":
            data = data[: len(data) // 2]
        if error in (None, "SHORT"):
            super().xWrite(data, offset)
            self._trace.note("write", self._path, offset, bytes(data))
        if error in ("ENOSPC", "SHORT"):
            raise apsw.FullError("injected: no space left on device")
        if error is not None:
            raise apsw.IOError("injected: input/output error")

    def xTruncate(self, size: int) -> None:
        super().xTruncate(size)
        self._trace.note("truncate", self._path, size)

    def xSync(self, flags: int) -> None:
        if self._trace.before_sync is not None:
            self._trace.before_sync()
        error = self._trace.strike("sync")
        if error is not None:
            self._trace.note("sync-failed", self._path)
            raise apsw.IOError("injected: fsync failed")
        self._trace.note("sync", self._path)


@dataclass
class _File:
    """`synced` is on the disk for certain; `pending` may be there, in part, in any order; `lost` never will."""

    synced: bytearray = field(default_factory=bytearray)
    pending: list[Operation] = field(default_factory=list)
    is_durable: bool = False


class Disk:
    """What lies on the disk after the first operations of a trace."""

    def __init__(self) -> None:
        self.files: dict[str, _File] = {}

    def replay(self, operation: Operation) -> None:
        file = self.files.setdefault(operation.path, _File())
        if operation.kind == "sync":
            for pending in file.pending:
                _apply(file.synced, pending)
            file.pending.clear()
            file.is_durable = True
        elif operation.kind == "sync-failed":
            file.pending.clear()
        elif operation.kind == "delete":
            del self.files[operation.path]
        else:
            file.pending.append(operation)

    def lose_power(self, folder: Path, choose: random.Random) -> None:
        """Write the files as the next start finds them into `folder`."""
        for path, file in self.files.items():
            kept = choose.choice([0.0, 0.0, 0.5, 0.9, 1.0])
            if not file.is_durable and (kept == 0.0 or choose.random() < 0.3):
                continue  # not even its name was synced
            content = bytearray(file.synced)
            survivors = [pending for pending in file.pending if choose.random() < kept]
            for index, pending in enumerate(survivors):
                is_torn = index == len(survivors) - 1 and choose.random() < 0.5
                _apply(content, _tear(pending, choose) if is_torn else pending)
            (folder / Path(path).name).write_bytes(content)


def _apply(content: bytearray, operation: Operation) -> None:
    if operation.kind == "truncate":
        del content[operation.offset :]
        content.extend(bytes(operation.offset - len(content)))
        return
    content.extend(bytes(max(0, operation.offset - len(content))))
    content[operation.offset : operation.offset + len(operation.data)] = operation.data


def _tear(operation: Operation, choose: random.Random) -> Operation:
    if operation.kind != "write":
        return operation
    sectors = len(operation.data) // _SECTOR_BYTES
    kept = choose.randint(0, sectors) * _SECTOR_BYTES
    return Operation("write", operation.path, operation.offset, operation.data[:kept])
