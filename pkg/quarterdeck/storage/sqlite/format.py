"""What is in the database file, byte by byte.

One append-only table holds every write since the last compaction, and the newest write of every key that lives:

    revisions
      revision           INTEGER PRIMARY KEY   the store's revision that this write made
      key                TEXT                  /registry/<group>/<resource>[/<namespace>]/<name>
      create_revision    INTEGER               of the write that made the key; 0 in a tombstone
      previous_revision  INTEGER               of the write that this one supersedes; 0: the key did not exist
      head_sum           INTEGER               CRC-32 of the head, as below
      value_sum          INTEGER               CRC-32 of the value, continued from head_sum; 0 in a tombstone
      value              BLOB                  as written; NULL: a tombstone (the key was deleted)

`head_sum` covers these bytes, little endian (a record whose head is damaged could be of any key):

    0          8                  16                   24              32
    +----------+------------------+--------------------+---------------+-----------------+
    | revision | create_revision  | previous_revision  | length of the | key in UTF-8 …  |
    |   int64  |      int64       |       int64        | value or -1   |                 |
    +----------+------------------+--------------------+---------------+-----------------+

One row in `meta` holds what cannot be told from the revisions:

    0            8              16            24               32           40      44
    +------------+--------------+-------------+----------------+------------+-------+
    | compacted  |    pruned    |  survivors  |  checkpointed  |  refusals  | CRC32 |
    |   int64    |    int64     |    int64    |     int64      |   int64    |  u32  |
    +------------+--------------+-------------+----------------+------------+-------+

One row in `store` holds 16 random bytes, the store's id: the mark beside the file (mark.py) says the same one.

`refusals` counts commits that the full disk refused: that there is one more is written after each (engine.py).

Invariants (checked at every start, so that a lost row is noticed and not taken for an older truth):

1. Revisions above `pruned` have no gap: compaction removes nothing there.
2. At or below `pruned` there are exactly `survivors` rows: the newest of each key as of `pruned`, no tombstones.
3. `pruned` <= `compacted` <= the store's revision; what lies between is still to be removed (compaction.py).
4. The newest row is not older than `checkpointed`, unless compaction removed it: the store's revision never falls.

`PRAGMA application_id` says that the file is ours, `PRAGMA user_version` which version of this format it has.
"""

from __future__ import annotations

import struct
import zlib
from typing import NamedTuple

from quarterdeck._kernels import storedrows
from quarterdeck.storage import interface

APPLICATION_ID = 0x51644B31  # "QdK1"
FORMAT_VERSION = 2
# The one before had no table `store`; it is added when such a file is opened.
FORMAT_WITHOUT_ID = 1

# Upstream's stores have compacted their early revisions long before a client comes; clients use resourceVersion 1 to
# provoke "too old". So a fresh store begins here, with everything before counted as compacted.
FIRST_REVISION = 100

ID_SCHEMA = "CREATE TABLE store (id BLOB NOT NULL)"

SCHEMA = """
CREATE TABLE revisions (
  revision INTEGER PRIMARY KEY,
  key TEXT NOT NULL,
  create_revision INTEGER NOT NULL,
  previous_revision INTEGER NOT NULL,
  head_sum INTEGER NOT NULL,
  value_sum INTEGER NOT NULL,
  value BLOB
);
CREATE TABLE meta (id INTEGER PRIMARY KEY CHECK (id = 1), record BLOB NOT NULL);
"""

COLUMNS = "revision, key, create_revision, previous_revision, head_sum, value_sum, value"

Row = tuple[int, str, int, int, int, int, bytes | None]

HEAD_COLUMNS = "revision, key, create_revision, previous_revision, head_sum, length(value)"

Head = tuple[int, str, int, int, int, int | None]
"""The last one is the length of the value, None for a tombstone. SQLite tells it without reading the value."""

_META = struct.Struct("<qqqqq")
_SUM = struct.Struct("<I")

head_sum = storedrows.head_sum
"""Of (revision, key, create_revision, previous_revision, length): the value's, or -1 for a tombstone."""
_crc32 = storedrows.crc32


def encode_row(revision: int, key: str, create_revision: int, previous_revision: int, value: bytes | None) -> Row:
    if value is None:
        head = head_sum(revision, key, create_revision, previous_revision, -1)
        return (revision, key, create_revision, previous_revision, head, 0, None)
    head = head_sum(revision, key, create_revision, previous_revision, len(value))
    return (revision, key, create_revision, previous_revision, head, _crc32(value, head), value)


def is_sound(head: Head) -> bool:
    """Whether the head is as it was written. A damaged record can hold any type in any column."""
    revision, key, create_revision, previous_revision, expected, length = head
    try:
        return expected == head_sum(revision, key, create_revision, previous_revision, -1 if length is None else length)
    except (TypeError, OverflowError):
        return False


def verify_head(head: Head) -> None:
    """Raises Corrupt unless it is sound."""
    if not is_sound(head):
        raise interface.Corrupt(str(head[1]), f"checksum of the head at revision {head[0]}")


def verify_row(row: Row) -> None:
    """Raises Corrupt unless head and value are as they were written."""
    revision, key, create_revision, previous_revision, head, value_sum, value = row
    if value is not None and not isinstance(value, bytes):
        raise interface.Corrupt(str(key), f"the value at revision {revision} is no blob")
    length = None if value is None else len(value)
    verify_head((revision, key, create_revision, previous_revision, head, length))
    if value is not None and _crc32(value, head) != value_sum:
        raise interface.Corrupt(key, f"checksum of the value at revision {revision}")


class Meta(NamedTuple):
    compacted: int
    pruned: int
    survivors: int
    checkpointed: int
    refusals: int

    def encode(self) -> bytes:
        packed = _META.pack(*self)
        return packed + _SUM.pack(zlib.crc32(packed))

    @classmethod
    def decode(cls, record: bytes) -> Meta:
        body = record[: _META.size]
        if len(record) != _META.size + _SUM.size or _SUM.unpack(record[_META.size :])[0] != zlib.crc32(body):
            raise interface.Corrupt("meta", "checksum of the meta record")
        return cls(*_META.unpack(body))


FRESH_META = Meta(compacted=FIRST_REVISION, pruned=FIRST_REVISION, survivors=0, checkpointed=FIRST_REVISION, refusals=0)
