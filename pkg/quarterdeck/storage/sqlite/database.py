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

from quarterdeck._kernels.keytable import KeyTable
from quarterdeck.storage import interface
from quarterdeck.storage.sqlite import format as fmt
from quarterdeck.storage.sqlite import scan, witness
from quarterdeck.storage.sqlite.keys import KeyIndex
from quarterdeck.storage.sqlite.mark import Mark, sync_folder
from quarterdeck.storage.sqlite.wal import LogReport

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

ID_BYTES = 16
# Secrets are in it.
_MODE = 0o600

_SAVE_META = "UPDATE meta SET record = ? WHERE id = 1"


@dataclass(slots=True)
class State:
    """What the store knows in memory; touched on the store's thread only.

    `current`: the keys that live, with their revisions. Values are not kept. `keys`: their order.
    `logged_bytes`: about what the write-ahead log holds. SQLite would tell exactly, through a callback in each commit,
    but each return to Python has to win the GIL back from the event loop (up to 5 ms when that is busy).
    `damaged`: revision → key, of records whose key is not known for certain. `is_doubtful`: a commit may have been lost
    with the power, so its revisions must not be given out again.
    """

    revision: int
    meta: fmt.Meta
    mark: Mark
    current: KeyTable
    damaged: dict[int, str] = field(default_factory=dict)
    logged_bytes: int = 0
    is_doubtful: bool = False
    keys: KeyIndex = field(init=False)

    def __post_init__(self) -> None:
        self.keys = KeyIndex(self.current)


def open_database(path: Path, vfs: str | None = None) -> tuple[apsw.Connection, State]:
    """The connection, with everything in the file durable, and the state read from it.

    Raises InUse, UnknownFormat, Corrupt, Lost, SpaceExceeded, Unavailable; a refused file is not touched, but for
    records whose damage could be undone.
    """
    with translated(path):
        is_new = witness.check_files(path)
        connection = connect(path, vfs)
        try:
            log = _identify(connection, path, is_new=is_new)
            check_structure(connection)
            found = scan.read(connection)
            mark, is_doubtful = witness.check_revision(path, store_id(connection), found.revision, log)
            state = State(found.revision, found.meta, mark, found.current, found.damaged, is_doubtful=is_doubtful)
            _make_durable(connection, path, vfs)
        except BaseException:
            connection.close(True)
            raise
        return connection, state


@contextlib.contextmanager
def translated(path: Path) -> Iterator[None]:
    """SQLite's errors as a store's errors."""
    try:
        yield
    except apsw.BusyError as error:
        raise interface.InUse(str(path)) from error
    except DAMAGED as error:
        raise interface.Corrupt(str(path), str(error)) from error
    except apsw.FullError as error:
        raise interface.SpaceExceeded(f"{path}: {error}") from error
    except apsw.Error as error:
        raise interface.Unavailable(f"{path}: {error}") from error


def connect(path: Path, vfs: str | None) -> apsw.Connection:
    """The file, opened (made, if it is missing) for this process alone; SQLite gives the log the mode of the file."""
    with contextlib.suppress(OSError):  # what is wrong with the path SQLite tells
        if path.exists():
            # Not opened: to close it would drop the lock of a store that this process has open.
            path.chmod(_MODE)
        else:
            os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, _MODE))
    connection = apsw.Connection(str(path), vfs=vfs, statementcachesize=128)
    try:
        connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
        connection.execute(_PRAGMAS).fetchall()
    except BaseException:
        connection.close(True)
        raise
    return connection


def _identify(connection: apsw.Connection, path: Path, *, is_new: bool) -> LogReport:
    """Make sure that the file is a store that this program knows; a new one becomes one. What its log held."""
    application_id, version = connection.pragma("application_id"), connection.pragma("user_version")
    log = witness.check_log(path)  # now that no other process writes to it, and before this one does
    if is_new or (application_id == 0 and version == 0 and not _has_tables(connection)):
        initialize(connection, path, os.urandom(ID_BYTES))
    elif application_id != fmt.APPLICATION_ID:
        raise interface.UnknownFormat(f"{path} is a database of another program")
    elif version == fmt.FORMAT_WITHOUT_ID:
        _give_id(connection, os.urandom(ID_BYTES))
    elif version != fmt.FORMAT_VERSION:
        writer = ", written by a newer release" if version > fmt.FORMAT_VERSION else ""
        raise interface.UnknownFormat(f"{path} has format {version}{writer}; this one reads {fmt.FORMAT_VERSION}")
    return log


def _make_durable(connection: apsw.Connection, path: Path, vfs: str | None) -> None:
    """What is shown from now on stands in the database itself, and the log is empty.

    A commit that was cut off before its fsync returned may stand in the log and still get lost in a power failure.
    It becomes visible now, so it has to become durable first.
    """
    _rewrite_log(path.with_name(path.name + "-wal"), vfs)
    # On a full disk the log stays: deletions have to be possible.
    with contextlib.suppress(apsw.FullError):
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()


def store_id(connection: apsw.Connection) -> bytes:
    found = connection.execute("SELECT id FROM store").get
    if not isinstance(found, bytes) or len(found) != ID_BYTES:
        raise interface.Corrupt("store", "the id of the store is missing")
    return found


def _give_id(connection: apsw.Connection, store_id: bytes) -> None:
    with connection:
        connection.execute(fmt.ID_SCHEMA)
        connection.execute("INSERT INTO store VALUES (?)", (store_id,))
        connection.execute(f"PRAGMA user_version={fmt.FORMAT_VERSION}")


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


def _has_tables(connection: apsw.Connection) -> bool:
    return bool(connection.execute("SELECT count(*) FROM sqlite_schema").get)


def initialize(connection: apsw.Connection, path: Path, store_id: bytes) -> None:
    """All in one transaction: a crash leaves either no tables or a whole store."""
    connection.execute(
        f"PRAGMA page_size={PAGE_BYTES}; PRAGMA auto_vacuum=INCREMENTAL; PRAGMA journal_mode=WAL"
    ).fetchall()
    with connection:
        connection.execute(fmt.SCHEMA)
        connection.execute("INSERT INTO meta VALUES (1, ?)", (fmt.FRESH_META.encode(),))
        connection.execute(f"PRAGMA application_id={fmt.APPLICATION_ID}")
        _give_id(connection, store_id)
    sync_folder(path.parent)  # SQLite syncs the file but not the name of a new database


def check_structure(connection: apsw.Connection) -> None:
    """The b-trees and the list of free pages: a damaged list would let new rows overwrite old ones.

    Costs 80 ms for 100,000 objects of 1.5 KB.
    """
    finding = connection.execute("PRAGMA quick_check(1)").get
    if finding != "ok":
        raise interface.Corrupt("database", str(finding))


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


def skip(connection: apsw.Connection, state: State, revision: int) -> None:
    """Let the store's revision be `revision` from now on. Only where nothing is left to prune."""
    meta = state.meta._replace(compacted=revision, pruned=revision, checkpointed=revision)
    with transaction(connection, state, meta):
        pass
    state.revision = revision
    state.is_doubtful = False
    state.mark.reserve(revision)
    state.mark.acknowledge(revision)


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
