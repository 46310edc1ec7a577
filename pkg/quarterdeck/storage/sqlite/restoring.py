"""Making a new store of records that were read elsewhere, at a revision that no client has seen.

A store that is restored has lost the writes since the snapshot, but not the clients that saw them. If it went on at the
snapshot's revision, it would give revisions out twice: a client that resumes a watch or compares a resourceVersion
would take other objects for those that it knows. So it goes on far beyond, with everything before counted as compacted:
whoever asks for an older revision is told that it is gone, and lists again. Objects keep the revisions of their last
writes, which stand for the same content as before.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Final

import apsw

from quarterdeck.storage import interface
from quarterdeck.storage.sqlite import database, witness
from quarterdeck.storage.sqlite import format as fmt
from quarterdeck.storage.sqlite.mark import Mark, path_of, sync_folder

BUMP: Final = 1_000_000_000
"""So far beyond the snapshot: a week of 1,500 writes a second, as etcdutl's documentation counts."""

_INSERT: Final = f"INSERT INTO revisions ({fmt.COLUMNS}) VALUES (?,?,?,?,?,?,?)"
_SAVE_META: Final = "UPDATE meta SET record = ? WHERE id = 1"


def build(path: Path, revision: int, records: Iterable[interface.KeyValue]) -> int:
    """Write the store `path`, which must not exist, and tell how many records it has; durable when this returns.

    A start finds the whole store or, after a crash before the end, refuses the directory: the mark goes ahead. Raises
    StorageError, OSError, and what `records` raises.
    """
    store_id = os.urandom(database.ID_BYTES)
    Mark.create(path_of(path), store_id, revision).close()
    fresh = path.with_name(path.name + "-restoring")
    with database.translated(fresh):
        connection = database.connect(fresh, None)
        try:
            database.initialize(connection, fresh, store_id)
            count = 0
            with connection:
                for key, value, written, created in records:
                    connection.execute(_INSERT, fmt.encode_row(written, key, created, 0, value))
                    count += 1
                meta = fmt.Meta(revision, revision, count, revision, 0)
                connection.execute(_SAVE_META, (meta.encode(),))
            connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
        finally:
            connection.close(True)
    witness.log_of(fresh).unlink(missing_ok=True)
    fresh.replace(path)
    sync_folder(path.parent)
    return count


def begin_aside(path: Path, revision: int) -> Path:
    """An empty store beside `path`, to be filled and then put in its place by `finish_aside`. Until then a start on
    `path` is refused."""
    aside = path.with_name(path.name + "-copying")
    Mark.create(path_of(path), bytes(database.ID_BYTES), revision).close()
    build(aside, revision, ())
    return aside


def finish_aside(path: Path) -> None:
    """The store beside `path` has been closed and is whole."""
    aside = path.with_name(path.name + "-copying")
    aside.with_name(aside.name + "-reserve").unlink(missing_ok=True)
    witness.log_of(aside).unlink(missing_ok=True)
    path_of(aside).replace(path_of(path))
    sync_folder(path.parent)
    aside.replace(path)
    sync_folder(path.parent)
