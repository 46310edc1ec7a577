"""Opening the database file: who may, what it must hold, and that everything in it is durable and whole.

Refuses a file that another process has open, that is not ours, or whose format is newer; it never writes to those.
Rebuilds the keys' revisions from the table and proves the invariants of format.py on the way.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import apsw

from quarterdeck.storage import interface
from quarterdeck.storage.sqlite import format as fmt

# Set on every connection, before anything is read.
#
# locking_mode: no other process gets in, and the WAL's index lives in memory, without a -shm file.
# synchronous=FULL: a commit returns when the write-ahead log is on the disk (NORMAL loses commits on power loss).
# wal_autocheckpoint=0: the writer checkpoints between two commits, never inside one that a client waits for.
# cell_size_check: damage inside a page is noticed when the page is read.
_PRAGMAS = """
PRAGMA locking_mode=EXCLUSIVE;
PRAGMA synchronous=FULL;
PRAGMA fullfsync=ON;
PRAGMA checkpoint_fullfsync=ON;
PRAGMA wal_autocheckpoint=0;
PRAGMA cell_size_check=ON;
PRAGMA trusted_schema=OFF;
PRAGMA temp_store=MEMORY;
PRAGMA cache_size=-4096;
PRAGMA journal_size_limit=16777216;
"""

# SQLite's own VFS writes no more than 128 KiB at once.
_COPY_BYTES = 1 << 16

# What reading a damaged file may raise; the last one for a key that is no UTF-8 any more.
DAMAGED = (apsw.CorruptError, apsw.NotADBError, UnicodeDecodeError)

PAGE_BYTES = 4096

_SAVE_META = "UPDATE meta SET record = ? WHERE id = 1"


@dataclass(slots=True)
class State:
    """What the store knows in memory; touched on the store's thread only.

    `current`: key → (revision of its last write, revision of its creation). Values are not kept.
    `logged_bytes`: about what the write-ahead log holds. SQLite would tell exactly, through a callback in each commit,
    but each return to Python has to win the GIL back from the event loop (up to 5 ms when that is busy).
    """

    revision: int
    meta: fmt.Meta
    current: dict[str, tuple[int, int]] = field(default_factory=dict)
    logged_bytes: int = 0


def open_database(path: Path, vfs: str | None = None) -> tuple[apsw.Connection, State]:
    """The connection, with everything in the file durable, and the state read from it."""
    try:
        connection = apsw.Connection(str(path), vfs=vfs, statementcachesize=128)
        try:
            _prepare(connection, path, vfs)
            _check_structure(connection)
            return connection, _scan(connection)
        except BaseException:
            connection.close(True)
            raise
    except apsw.BusyError as error:
        raise interface.InUse(str(path)) from error
    except DAMAGED as error:
        raise interface.Corrupt(str(path), str(error)) from error
    except apsw.FullError as error:
        raise interface.SpaceExceeded(f"{path}: {error}") from error
    except apsw.Error as error:
        raise interface.Unavailable(f"{path}: {error}") from error


def _prepare(connection: apsw.Connection, path: Path, vfs: str | None) -> None:
    connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
    connection.execute(_PRAGMAS).fetchall()
    application_id, version = _identity(connection)
    if application_id == 0 and version == 0 and not _has_tables(connection):
        _initialize(connection, path)
    elif application_id != fmt.APPLICATION_ID:
        raise interface.UnknownFormat(f"{path} is a database of another program")
    elif version != fmt.FORMAT_VERSION:
        writer = ", written by a newer release" if version > fmt.FORMAT_VERSION else ""
        raise interface.UnknownFormat(f"{path} has format {version}{writer}; this one reads {fmt.FORMAT_VERSION}")
    # A commit that was cut off before its fsync returned may stand in the log and still get lost in a power failure.
    # It becomes visible now, so it has to become durable first.
    _rewrite_log(path.with_name(path.name + "-wal"), vfs)
    # Begin with an empty log. On a full disk the log stays: deletions have to be possible.
    with contextlib.suppress(apsw.FullError):
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()


def _rewrite_log(path: Path, vfs: str | None) -> None:
    """Write the log's own bytes over it, and sync them.

    After a failed fsync the kernel shows the written pages and takes them for clean: a sync in a later process
    succeeds without writing them. A checkpoint from such a log that is cut off by a power failure would leave the
    database torn, and nothing on the disk to mend it from.
    """
    if not path.exists() or not path.stat().st_size:
        return
    log = apsw.VFSFile(vfs or "", str(path), [apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_WAL, 0])
    try:
        size = log.xFileSize()
        for offset in range(0, size, _COPY_BYTES):
            log.xWrite(log.xRead(min(_COPY_BYTES, size - offset), offset), offset)
        log.xSync(apsw.SQLITE_SYNC_NORMAL)
    finally:
        log.xClose()


def _identity(connection: apsw.Connection) -> tuple[int, int]:
    return connection.pragma("application_id"), connection.pragma("user_version")


def _has_tables(connection: apsw.Connection) -> bool:
    return bool(connection.execute("SELECT count(*) FROM sqlite_schema").get)


def _initialize(connection: apsw.Connection, path: Path) -> None:
    """All in one transaction: a crash leaves either no tables or a whole store."""
    connection.execute(
        f"PRAGMA page_size={PAGE_BYTES}; PRAGMA auto_vacuum=INCREMENTAL; PRAGMA journal_mode=WAL"
    ).fetchall()
    with connection:
        connection.execute(fmt.SCHEMA)
        connection.execute("INSERT INTO meta VALUES (1, ?)", (fmt.FRESH_META.encode(),))
        connection.execute(f"PRAGMA application_id={fmt.APPLICATION_ID}; PRAGMA user_version={fmt.FORMAT_VERSION}")
    # SQLite syncs the file but not the name of a new database.
    directory = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(directory)
    finally:
        os.close(directory)


def _check_structure(connection: apsw.Connection) -> None:
    """The b-trees and the list of free pages: a damaged list would let new rows overwrite old ones.

    Costs 80 ms for 100,000 objects of 1.5 KB.
    """
    finding = connection.execute("PRAGMA quick_check(1)").get
    if finding != "ok":
        raise interface.Corrupt("database", str(finding))


def _scan(connection: apsw.Connection) -> State:
    """Read the head of every row, oldest first: the last row of a key tells its state."""
    record = connection.execute("SELECT record FROM meta WHERE id = 1").get
    if not isinstance(record, bytes):
        raise interface.Corrupt("meta", "the meta record is missing")
    meta = fmt.Meta.decode(record)
    current: dict[str, tuple[int, int]] = {}
    newest, old_rows, new_rows = meta.compacted, 0, 0
    heads: Iterator[fmt.Head] = connection.execute(f"SELECT {fmt.HEAD_COLUMNS} FROM revisions ORDER BY revision")
    for head in heads:
        fmt.verify_head(head)
        revision, key, create_revision, _, _, length = head
        if length is None:
            current.pop(key, None)
        else:
            current[key] = (revision, create_revision)
        if revision <= meta.pruned:
            old_rows += 1
        else:
            new_rows += 1
            newest = max(newest, revision)
    if old_rows != meta.survivors or newest < meta.checkpointed or newest - meta.pruned != new_rows:
        raise interface.Corrupt(
            "revisions",
            f"{old_rows} rows up to revision {meta.pruned} (expected {meta.survivors}), {new_rows} after it "
            f"(expected {max(newest, meta.checkpointed) - meta.pruned})",
        )
    return State(newest, meta, current)


@contextlib.contextmanager
def transaction(connection: apsw.Connection, state: State, meta: fmt.Meta) -> Iterator[None]:
    """All of it together with the new `meta`, or nothing."""
    connection.execute("BEGIN")
    try:
        yield
        connection.execute(_SAVE_META, (meta.encode(),))
        connection.execute("COMMIT")
    except BaseException:
        roll_back(connection)
        raise
    state.meta = meta


def roll_back(connection: apsw.Connection) -> None:
    """SQLite may have done so by itself when the disk is full."""
    if connection.in_transaction:
        connection.execute("ROLLBACK")


def checkpoint(connection: apsw.Connection, state: State, *, shrink: bool = False) -> None:
    """Copy the write-ahead log into the database, which is synced; the log then begins anew. `shrink` empties it."""
    meta = state.meta._replace(checkpointed=state.revision)
    connection.execute(_SAVE_META, (meta.encode(),))
    state.meta = meta
    connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE if shrink else apsw.SQLITE_CHECKPOINT_PASSIVE)
    state.logged_bytes = 0
