"""The bounds of the embedded store: every queue, batch and file that grows has its bound here."""

from __future__ import annotations

from dataclasses import dataclass

from quarterdeck.storage.interface import VALUE_BYTES_MAX


@dataclass(frozen=True, slots=True)
class Limits:
    """`value_bytes_max`: larger values are TooLarge.

    `batch_*_max`: one commit takes no more rows and bytes than these. `pending_*_max`: writes beyond wait before
    they are queued. `checkpoint_bytes`: the write-ahead log is copied to the database when it holds about as much.
    `reserve_bytes`: disk space kept back so that deletions go on when the disk is full. It has to hold what the log
    holds (a checkpoint writes that once more before it frees the log) and some deletions.
    """

    value_bytes_max: int = VALUE_BYTES_MAX
    batch_rows_max: int = 256
    batch_bytes_max: int = 4 << 20
    pending_rows_max: int = 4096
    pending_bytes_max: int = 64 << 20
    checkpoint_bytes: int = 4 << 20
    reserve_bytes: int = 16 << 20
