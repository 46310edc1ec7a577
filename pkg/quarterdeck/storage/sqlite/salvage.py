"""Reading what is left of a damaged store, record by record, and making a whole store of it.

The start refuses a store that lost something (witness.py, scan.py). Here a person has decided to look, or to go on with
what is left. Nothing is thrown away: the files as they were are kept beside the new ones.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, cast

import apsw

from quarterdeck.storage import interface
from quarterdeck.storage.sqlite import database, heads, scan, wal, witness
from quarterdeck.storage.sqlite import format as fmt
from quarterdeck.storage.sqlite.mark import Mark, path_of, sync_folder

_STEP_ROWS: Final = 500
_NEWEST: Final = "SELECT max(revision) FROM revisions"
_SOME: Final = f"SELECT {fmt.COLUMNS} FROM revisions WHERE revision BETWEEN ? AND ? ORDER BY revision LIMIT ?"
_INSERT: Final = f"INSERT INTO revisions ({fmt.COLUMNS}) VALUES (?,?,?,?,?,?,?)"
_FAILURES_MAX: Final = 100_000
_REVISION_MAX: Final = (1 << 63) - 1
_MENDABLE: Final = "can be mended: "


@dataclass(slots=True)
class Findings:
    """`refusal`: why the start refuses the store; empty if it does not. `acknowledged`: by the mark; 0 if that is gone.
    `damaged`: a line for each record that cannot be read; `mendable`: for each that the next start mends."""

    log: wal.LogReport
    revision: int = 0
    acknowledged: int = 0
    reserved: int = 0
    records: int = 0
    refusal: str = ""
    damaged: list[str] = field(default_factory=list)
    mendable: list[str] = field(default_factory=list)

    @property
    def lost_revisions(self) -> int:
        return max(0, self.acknowledged - self.revision)

    @property
    def is_whole(self) -> bool:
        return not (self.refusal or self.damaged or self.mendable or self.lost_revisions)


def check(path: Path) -> Findings:
    """Look at everything and change nothing. Raises InUse, Unavailable where the file cannot be opened at all."""
    findings = Findings(wal.examine(witness.log_of(path)))
    mark = Mark.read(path_of(path))
    if mark is not None:
        findings.acknowledged, findings.reserved = mark.acknowledged, mark.reserved
    try:
        witness.check_log(path)
        if witness.check_files(path):
            findings.refusal = f"there is no store at {path}"
    except interface.Lost as error:
        findings.refusal = str(error)
    if not path.exists() or not path.stat().st_size:
        return findings
    with _opened(path) as connection:
        try:
            database.check_structure(connection)
            meta = scan.read_meta(connection)
            findings.revision = max(meta.compacted, _newest(connection))
        except (interface.StorageError, *database.DAMAGED, apsw.SQLError) as error:
            findings.refusal = findings.refusal or str(error)
        unknown: set[int] = set()
        for row, problem in _rows(connection):
            findings.records += 1
            if problem is not None and not _has_head(row):
                unknown.add(row[0])
            if problem is None:
                findings.revision = max(findings.revision, row[0])
            elif problem.startswith(_MENDABLE):
                findings.mendable.append(problem)
            else:
                findings.damaged.append(problem)
        try:
            scan.judge(connection, frozenset(unknown))
        except (interface.StorageError, *database.DAMAGED, apsw.SQLError) as error:
            findings.refusal = findings.refusal or str(error)
    if findings.lost_revisions and not findings.refusal:
        findings.refusal = f"{findings.lost_revisions} acknowledged writes are missing at the end"
    return findings


def repair(path: Path) -> tuple[Findings, Path]:
    """Make a store of what can be read, and keep the files as they were in the folder that is returned.

    The new store's revision is higher than any that was given out; its history is forgotten. Raises StorageError.
    """
    findings = check(path)
    if not path.exists() or not path.stat().st_size:
        raise interface.Lost(findings.refusal)
    kept = _keep(path)
    revision = max(findings.revision, findings.acknowledged, findings.reserved) + 1
    fresh = path.with_name(path.name + "-repaired")
    _remove(fresh)
    with _opened(path) as connection:
        store_id = _read_id(connection)
        _write(fresh, connection, revision, store_id)
    # A start after any of these steps finds the whole new store, or one that it refuses: the mark goes ahead.
    Mark.create(path_of(path), store_id, revision).close()
    witness.log_of(path).unlink(missing_ok=True)
    fresh.replace(path)
    sync_folder(path.parent)
    return findings, kept


def _keep(path: Path) -> Path:
    """Copies of all files of the store."""
    folder = path.with_name(f"{path.name}-damaged-{time.strftime('%Y%m%d-%H%M%S')}")
    folder.mkdir(mode=0o700)
    for file in (path, witness.log_of(path), path_of(path)):
        if file.exists():
            shutil.copy2(file, folder / file.name)
    return folder


def _remove(path: Path) -> None:
    for file in (path, witness.log_of(path), path_of(path)):
        file.unlink(missing_ok=True)


def _write(fresh: Path, damaged: apsw.Connection, revision: int, store_id: bytes) -> None:
    """A new file with the newest record of each object, as if all history had been compacted."""
    newest: dict[str, int] = {}
    for row, _ in _rows(damaged):
        if isinstance(row[1], str):
            newest[row[1]] = row[0]
    with database.translated(fresh):
        connection = database.connect(fresh, None)
        try:
            database.initialize(connection, fresh, store_id)
            with connection:
                written = 0
                for row, problem in _rows(damaged):
                    is_readable = problem is None or problem.startswith(_MENDABLE)
                    if is_readable and row[6] is not None and newest.get(row[1]) == row[0]:
                        connection.execute(_INSERT, row)
                        written += 1
                meta = fmt.Meta(revision, revision, written, revision, 0)
                connection.execute("UPDATE meta SET record = ? WHERE id = 1", (meta.encode(),))
            connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
        finally:
            connection.close(True)
    witness.log_of(fresh).unlink(missing_ok=True)


@contextlib.contextmanager
def _opened(path: Path) -> Iterator[apsw.Connection]:
    with database.translated(path):
        connection = database.connect(path, None)
        try:
            connection.pragma("application_id")
            yield connection
        finally:
            connection.close(True)


def _newest(connection: apsw.Connection) -> int:
    found = connection.execute(_NEWEST).get
    return found if isinstance(found, int) else 0


def _read_id(connection: apsw.Connection) -> bytes:
    try:
        return database.store_id(connection)
    except (interface.Corrupt, *database.DAMAGED, apsw.SQLError):
        return os.urandom(database.ID_BYTES)


def _rows(connection: apsw.Connection) -> Iterator[tuple[tuple[Any, ...], str | None]]:
    """Each record that SQLite can still find, mended where that is certain, with what is wrong about it."""
    damaged: set[int] = set()
    for row in _read_between(connection, 0, _last(connection)):
        try:
            fmt.verify_row(cast(fmt.Row, row))
        except interface.Corrupt as error:
            damaged.add(row[0])
            mended = heads.restore(connection, row[0], frozenset(damaged))
            if mended is not None and _is_whole(mended):
                yield mended, f"{_MENDABLE}{mended[1]} at revision {row[0]}"
            else:
                yield row, str(error)
        else:
            yield row, None


def _last(connection: apsw.Connection) -> int:
    try:
        return _newest(connection)
    except database.DAMAGED:
        return _REVISION_MAX


def _has_head(row: tuple[Any, ...]) -> bool:
    try:
        fmt.verify_head((*row[:5], None if row[6] is None else len(row[6])))
    except (interface.Corrupt, TypeError):
        return False
    return True


def _is_whole(row: fmt.Row) -> bool:
    try:
        fmt.verify_row(row)
    except interface.Corrupt:
        return False
    return True


def _read_between(connection: apsw.Connection, first: int, last: int) -> Iterator[tuple[Any, ...]]:
    """What can be read of these revisions: a range that fails is halved, until single records fail. Raises Corrupt
    where more than that is lost."""
    ranges, failures = [(first, last)], 0
    while ranges:
        first, last = ranges.pop()
        try:
            found = connection.execute(_SOME, (first, last, _STEP_ROWS)).fetchall()
        except database.DAMAGED as error:
            failures += 1
            if failures > _FAILURES_MAX:
                raise interface.Corrupt("database", f"too little of it can be read: {error}") from error
            if first < last:
                middle = (first + last) // 2
                ranges += [(middle + 1, last), (first, middle)]
            continue
        rows = cast(list[tuple[Any, ...]], found)
        yield from rows
        if len(rows) == _STEP_ROWS:
            ranges.append((rows[-1][0] + 1, last))
