"""Reading SQLite's write-ahead log as bytes: how far it is whole, and whether commits stand behind the damage.

SQLite takes the first frame whose checksum fails for the end of the log, silently. That is right for the one commit
that a power failure cut off: it was never acknowledged. Each commit is synced before the next one begins, so at most
one commit may be torn. Two or more commits behind the first bad frame therefore mean that bits were lost or changed.

Source of the format: https://www.sqlite.org/fileformat2.html#the_write_ahead_log
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, Final, NamedTuple

_HEADER: Final = struct.Struct(">IIIIIIII")
_FRAME: Final = struct.Struct(">IIIIII")
_MAGIC: Final = 0x377F0682
_PAGE_BYTES_MAX: Final = 65536


class LogReport(NamedTuple):
    """`commits`: whole ones that SQLite will read. `commits_behind`: those that begin or end behind the first bad
    frame, of the same generation of the log. `is_cut_off`: frames stand there, so something was written that is not
    readable. `is_header_damaged`: SQLite will read nothing at all of it."""

    frames: int
    commits: int
    commits_behind: int
    is_cut_off: bool
    is_header_damaged: bool

    @property
    def is_damaged(self) -> bool:
        """More is unreadable than the one commit that a power failure may cut off."""
        return self.commits_behind > 1


EMPTY: Final = LogReport(0, 0, 0, False, False)


def examine(path: Path) -> LogReport:
    """Read the whole log, a frame at a time. Raises OSError."""
    try:
        with path.open("rb") as file:
            return _examine(file)
    except FileNotFoundError:
        return EMPTY


def _examine(file: BinaryIO) -> LogReport:
    header = file.read(_HEADER.size)
    if not header:
        return EMPTY
    if len(header) < _HEADER.size:
        return LogReport(0, 0, 0, True, True)
    magic, _, page_bytes, _, salt_1, salt_2, sum_1, sum_2 = _HEADER.unpack(header)
    order = ">" if magic & 1 else "<"
    sums = _add(order, header[:24], (0, 0))
    is_known = magic & ~1 == _MAGIC and 512 <= page_bytes <= _PAGE_BYTES_MAX and page_bytes & (page_bytes - 1) == 0
    if not is_known or sums != (sum_1, sum_2):
        return LogReport(0, 0, 0, True, True)
    frames = commits = behind = 0
    is_whole, is_cut_off = True, False
    for head, page in _frames(file, page_bytes):
        _, committed_pages, *salts_and_sums = _FRAME.unpack(head)
        is_ours = salts_and_sums[:2] == [salt_1, salt_2]
        if is_whole:
            reached = _add(order, page, _add(order, head[:8], sums))
            is_whole = is_ours and list(reached) == salts_and_sums[2:]
            if is_whole:
                sums = reached
                frames += 1
                commits += committed_pages != 0
                continue
        if is_ours:
            is_cut_off = True
            behind += committed_pages != 0
    return LogReport(frames, commits, behind, is_cut_off, False)


def _frames(file: BinaryIO, page_bytes: int) -> Iterator[tuple[bytes, bytes]]:
    """Header and page of each frame that is there as a whole."""
    while len(content := file.read(_FRAME.size + page_bytes)) == _FRAME.size + page_bytes:
        yield content[: _FRAME.size], content[_FRAME.size :]


def _add(order: str, content: bytes, sums: tuple[int, int]) -> tuple[int, int]:
    """The log's running checksum over `content`, whose length is a multiple of 8."""
    first, second = sums
    words = struct.unpack(f"{order}{len(content) // 4}I", content)
    for number in range(0, len(words), 2):
        first = first + words[number] + second & 0xFFFFFFFF
        second = second + words[number + 1] + first & 0xFFFFFFFF
    return first, second
