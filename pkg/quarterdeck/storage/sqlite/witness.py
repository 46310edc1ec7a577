"""Whether the files hold all that the store acknowledged: the database and its log, against the mark (mark.py, wal.py).

SQLite by itself starts with an empty database where the file is missing or empty, and with an older one where the log
is: what clients were told to be durable would be gone without a word, and revisions given out twice.
"""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Final

from quarterdeck.storage import interface
from quarterdeck.storage.sqlite import wal
from quarterdeck.storage.sqlite.mark import Mark, path_of

_LOG: Final = logging.getLogger(__name__)
_HINT: Final = "`quarterdeck storage check` tells more, `quarterdeck storage repair` goes on with what is left"


def log_of(path: Path) -> Path:
    return path.with_name(path.name + "-wal")


def check_log(path: Path) -> wal.LogReport:
    """What the log holds before SQLite reads it. Raises Lost where it is damaged in the middle."""
    log = wal.examine(log_of(path))
    if log.is_damaged:
        raise interface.Lost(
            f"{log_of(path)} is damaged after {log.commits} commits: at least {log.commits_behind - 1} acknowledged "
            f"commits behind the damage would be undone; {_HINT}"
        )
    return log


def check_files(path: Path) -> bool:
    """Before SQLite makes the file; whether the store is to be made. Raises Lost."""
    if path.exists() and path.stat().st_size:
        return False
    state = "empty" if path.exists() else "missing"
    if path_of(path).exists():
        mark = Mark.read(path_of(path))
        known = "" if mark is None else f" {mark.store_id.hex()}, at revision {mark.acknowledged},"
        raise interface.Lost(
            f"{path} is {state}, but this directory holds a store{known} by {path_of(path).name}: restore the file; to "
            f"begin with a new store, remove all files that begin with {path.name}"
        )
    if wal.examine(log_of(path)).commits:
        raise interface.Lost(f"{path} is {state}, but {log_of(path).name} holds commits of it: restore the file")
    return True


def check_revision(path: Path, store_id: bytes, revision: int, log: wal.LogReport) -> tuple[Mark, bool]:
    """The mark, and whether revisions after `revision` may have been given out all the same; `log` is as SQLite found
    it. Raises Lost, OSError."""
    place = path_of(path)
    mark = Mark.read(place)
    if mark is None:
        if place.exists():
            _LOG.warning("%s is damaged and is made anew: whether acknowledged writes are missing is not known", place)
        return Mark.create(place, store_id, revision), False
    if mark.store_id != store_id:
        raise interface.Lost(
            f"{path} is the store {store_id.hex()}, but {place.name} tells of {mark.store_id.hex()}: files of two "
            f"stores are mixed; {_HINT}"
        )
    if mark.acknowledged > revision:
        raise interface.Lost(
            f"{path} ends at revision {revision}, but {mark.acknowledged} was acknowledged: "
            f"{mark.acknowledged - revision} writes would be undone; {_HINT}"
        )
    is_doubtful = log.is_cut_off and not mark.is_of_this_boot()
    mark.remember_boot()
    mark.acknowledge(revision)
    return mark, is_doubtful
