"""What a start reads of every record, and the proof of format.py's invariants on the way.

A damaged head could belong to any key. Most damages can be undone, because each record's head follows from the other
records of its key (heads.py); the rest is judged here: it is let be where it cannot make another object look older than
it is, and ends the start where it can.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Final

import apsw

from quarterdeck._kernels.keytable import KeyTable
from quarterdeck._kernels.storedrows import Heads
from quarterdeck.storage import interface
from quarterdeck.storage.sqlite import format as fmt
from quarterdeck.storage.sqlite import heads

_LOG: Final = logging.getLogger(__name__)
# More damaged heads than these are no accident of single bits: a person has to decide.
_DAMAGED_MAX: Final = 1000
_HEADS: Final = f"SELECT {fmt.HEAD_COLUMNS} FROM revisions ORDER BY revision"
_STEP_ROWS: Final = 1000


class _Unsound(Exception):
    """A head is damaged."""


@dataclass(slots=True)
class Scan:
    """`current`: the keys that live. `damaged`: revision → key as it reads, of records whose head is not as it was
    written and could not be mended."""

    revision: int
    meta: fmt.Meta
    current: KeyTable
    damaged: dict[int, str] = field(default_factory=dict)


def read(connection: apsw.Connection) -> Scan:
    """Raises Corrupt where a record is missing, or one is damaged so that an object's state is not known.

    Mends what can be mended, in the connection's database.
    """
    try:
        return _judge(connection, None)
    except _Unsound:
        pass  # one pass is enough where nothing is damaged
    _mend(connection, _find_damaged(connection))
    return judge(connection, frozenset(_find_damaged(connection)))


def read_meta(connection: apsw.Connection) -> fmt.Meta:
    record = connection.execute("SELECT record FROM meta WHERE id = 1").get
    if not isinstance(record, bytes):
        raise interface.Corrupt("meta", "the meta record is missing")
    return fmt.Meta.decode(record)


def _find_damaged(connection: apsw.Connection) -> list[int]:
    damaged: list[int] = []
    for head in connection.execute(_HEADS):
        if not isinstance(head[0], int):  # the table's own definition is damaged
            raise interface.Corrupt("revisions", "a record has no revision")
        if not fmt.is_sound(head):
            damaged.append(head[0])
            if len(damaged) > _DAMAGED_MAX:
                raise interface.Corrupt("revisions", f"more than {_DAMAGED_MAX} records have damaged heads")
    return damaged


def _mend(connection: apsw.Connection, damaged: list[int]) -> None:
    """Write the heads that are known for certain."""
    for revision in damaged:
        row = heads.restore(connection, revision, frozenset(damaged))
        if row is None:
            continue
        with connection:
            marks = ",".join("?" * len(row))
            connection.execute(f"REPLACE INTO revisions ({fmt.COLUMNS}) VALUES ({marks})", row)
        _LOG.error("a damaged record was mended: revision %d of %s", revision, row[1])


def judge(connection: apsw.Connection, damaged: frozenset[int]) -> Scan:
    """The state that the records tell, oldest first: the last one of a key counts. `damaged`: revisions of records
    whose head cannot be believed. Raises Corrupt as `read` does, and changes nothing."""
    return _judge(connection, damaged)


def _judge(connection: apsw.Connection, damaged: frozenset[int] | None) -> Scan:
    """`damaged` None: _Unsound is raised at the first head that is not as it was written."""
    meta = read_meta(connection)
    heads = Heads(meta.pruned, meta.compacted)
    unknown: list[tuple[int, object]] = []
    for rows in _read(connection):
        at = 0
        while (at := heads.take(rows, at)) < len(rows):
            _take_unsound(heads, rows[at], damaged, unknown)
            at += 1
    newest, old_rows, new_rows = heads.newest, heads.old_rows, heads.new_rows
    scan = Scan(newest, meta, heads.current)
    for revision, name in unknown:
        _accept(scan, revision, name)
    _check_resources(scan)
    if old_rows != meta.survivors or newest < meta.checkpointed or newest - meta.pruned != new_rows:
        raise interface.Corrupt(
            "revisions",
            f"{old_rows} rows up to revision {meta.pruned} (expected {meta.survivors}), {new_rows} after it "
            f"(expected {max(newest, meta.checkpointed) - meta.pruned})",
        )
    return scan


def _read(connection: apsw.Connection) -> Iterator[list[fmt.Head]]:
    """All heads, some at a time. The statement is ended when the caller is done, also by an error."""
    rows = connection.execute(_HEADS)
    try:
        while found := list(islice(rows, _STEP_ROWS)):
            yield found
    finally:
        rows.close()


def _take_unsound(
    heads: Heads, head: tuple[Any, ...], damaged: frozenset[int] | None, unknown: list[tuple[int, object]]
) -> None:
    """A head that is not as it was written. One that is not among the `damaged` is believed: it can be mended."""
    if damaged is None:
        raise _Unsound
    revision, key, create_revision, _, _, length = head
    heads.count(revision)
    if revision in damaged:
        unknown.append((revision, key))
    elif isinstance(key, str) and length is None:
        heads.current.discard(key)
    elif isinstance(key, str):
        heads.current.set(key, revision, create_revision if isinstance(create_revision, int) else revision)


def _accept(scan: Scan, revision: int, key: object) -> None:
    """A record whose head is lost. After `pruned` it may have superseded any object. Up to `pruned` it is the only one
    of its key, so no other object hangs on it: it is kept under the key as that reads now, and whatever is not found
    under the same resource may be what it was."""
    if revision > scan.meta.pruned:
        raise interface.Corrupt(str(key), f"the head at revision {revision} is damaged: what it replaced is not known")
    if not isinstance(key, str) or key in scan.current or not resource_of(key):
        raise interface.Corrupt(str(key), f"the head at revision {revision} is damaged: what it was is not known")
    scan.damaged[revision] = key
    scan.current.set(key, revision, revision)


def _check_resources(scan: Scan) -> None:
    """A resource that has no other object may be another one's name with wrong bits."""
    if not scan.damaged:
        return
    current = scan.current
    known = {resource_of(key) for key in current.keys() if current.revision_of(key) not in scan.damaged}  # noqa: SIM118
    for revision, key in scan.damaged.items():
        if resource_of(key) not in known:
            raise interface.Corrupt(key, f"the head at revision {revision} is damaged: what it was is not known")


def resource_of(key: str) -> str:
    """ "/registry/<group>/<resource>/" of a key; empty for what is no key of an object."""
    parts = key.split("/", 4)
    return f"/registry/{parts[2]}/{parts[3]}/" if len(parts) == 5 and parts[:2] == ["", "registry"] else ""
