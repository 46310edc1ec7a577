"""A file of lines that is put aside when it is full: `audit.log` becomes `audit-2026-01-31T08-00-00.000.log`.

Old files go by their number and by the time in their names, and are compressed where that is asked for, in a thread of
their own. No line is cut in two: what a full disk has taken of one is taken back.

Source: gopkg.in/natefinch/lumberjack.v2 (names, times, what is removed); apiserver/pkg/server/options/audit.go
(getWriter, ensureLogFile).
"""

from __future__ import annotations

import gzip
import logging
import os
import shutil
import stat
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, NamedTuple

_LOG: Final = logging.getLogger(__name__)
_DAY_S: Final = 24 * 60 * 60
_TIME: Final = "%Y-%m-%dT%H-%M-%S.%f"
_PACKED: Final = ".gz"
_FLAGS: Final = os.O_CREAT | os.O_APPEND | os.O_WRONLY | os.O_CLOEXEC


class RotationLimits(NamedTuple):
    """What is kept; 0: no bound."""

    size_max: int
    age_max_days: int = 0
    backups_max: int = 0
    is_compressed: bool = False


class Backup(NamedTuple):
    time_s: float
    path: Path


class RotatedFile:
    """For one thread. `clock` in seconds since 1970."""

    def __init__(self, path: Path, keeping: RotationLimits, clock: Callable[[], float] = time.time) -> None:
        """Raises OSError where the file cannot be written."""
        self._path = path
        self._keeping = keeping
        self._clock = clock
        self._tidying: threading.Thread | None = None
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._file = os.open(path, _FLAGS, 0o600)
        self._is_regular = stat.S_ISREG(os.fstat(self._file).st_mode)
        self._size = os.fstat(self._file).st_size
        if self._rotates:
            if keeping.size_max <= self._size:
                self._rotate()
            else:
                self._tidy()

    def write(self, lines: Sequence[bytes]) -> tuple[list[int], str]:
        """The positions of those that could not be written, and why the last one could not."""
        lost: list[int] = []
        reason = ""
        at = 0
        while at < len(lines):
            group, end = self._take_group(lines, at)
            try:
                self._append(group)
            except OSError as error:
                if end - at > 1:  # some of them may still fit
                    for position in range(at, end):
                        if found := self.write([lines[position]])[1]:
                            lost.append(position)
                            reason = found
                else:
                    lost.append(at)
                    reason = error.strerror or str(error)
            at = end
        return lost, reason

    def close(self) -> None:
        if self._tidying is not None:
            self._tidying.join()
        os.close(self._file)

    @property
    def _rotates(self) -> bool:
        return self._keeping.size_max > 0 and self._is_regular

    def _take_group(self, lines: Sequence[bytes], at: int) -> tuple[Sequence[bytes], int]:
        """As many lines as this file still takes, and where the next one begins. A line that no file takes stands
        alone, for `_append` to refuse."""
        size = 0
        end = at
        while end < len(lines):
            more = len(lines[end])
            if self._rotates and self._size + size + more > self._keeping.size_max:
                if end > at:
                    break
                if more <= self._keeping.size_max:
                    self._rotate()
            size += more
            end += 1
        return lines[at:end], end

    def _append(self, lines: Sequence[bytes]) -> None:
        data = b"".join(lines)
        if self._rotates and len(data) > self._keeping.size_max:
            raise OSError(f"write length {len(data)} exceeds maximum file size {self._keeping.size_max}")
        rest = memoryview(data)
        try:
            while rest:
                rest = rest[os.write(self._file, rest) :]
        except OSError:
            if self._is_regular and len(rest) < len(data):
                with suppress(OSError):
                    os.ftruncate(self._file, os.fstat(self._file).st_size - (len(data) - len(rest)))
            raise
        self._size += len(data)

    def _rotate(self) -> None:
        """What goes wrong here leaves the file in use as it is: its lines matter more than its size."""
        try:
            mode = os.fstat(self._file).st_mode
            self._path.rename(self._name_backup())
            fresh = os.open(self._path, _FLAGS, stat.S_IMODE(mode))
        except OSError as error:
            _LOG.error("the audit log %s could not be rotated: %s", self._path, error)
            self._size = 0  # it is tried again when as much more is written
            return
        os.close(self._file)
        self._file = fresh
        self._size = os.fstat(fresh).st_size
        self._tidy()

    def _name_backup(self) -> Path:
        time_ms = int(self._clock() * 1000)
        while (path := self._path.with_name(_backup_name(self._path, time_ms))).exists():
            time_ms += 1
        return path

    def _tidy(self) -> None:
        keeping = self._keeping
        if not (keeping.backups_max or keeping.age_max_days or keeping.is_compressed):
            return
        if self._tidying is not None and self._tidying.is_alive():
            return  # it looks again at the next rotation
        self._tidying = threading.Thread(target=self._tidy_now, name="audit-log-tidy", daemon=True)
        self._tidying.start()

    def _tidy_now(self) -> None:
        try:
            for backup in choose_removed(find_backups(self._path), self._keeping, self._clock()):
                backup.path.unlink(missing_ok=True)
            if self._keeping.is_compressed:
                for backup in find_backups(self._path):
                    if not backup.path.name.endswith(_PACKED):
                        _compress(backup.path)
        except OSError as error:
            _LOG.error("old audit logs beside %s could not be tidied: %s", self._path, error)


def find_backups(path: Path) -> list[Backup]:
    """Files put aside, the newest first."""
    found = []
    for each in path.parent.iterdir():
        time_s = _time_of(path, each.name)
        if time_s is not None and each.is_file():
            found.append(Backup(time_s, each))
    return sorted(found, reverse=True)


def choose_removed(backups: Sequence[Backup], keeping: RotationLimits, now_s: float) -> list[Backup]:
    """Of those that `find_backups` gives. A file and its compressed form count as one."""
    removed = []
    kept: set[str] = set()
    for backup in backups:
        name = backup.path.name.removesuffix(_PACKED)
        is_one_too_many = keeping.backups_max and name not in kept and len(kept) >= keeping.backups_max
        is_too_old = keeping.age_max_days and backup.time_s < now_s - keeping.age_max_days * _DAY_S
        if is_one_too_many or is_too_old:
            removed.append(backup)
        else:
            kept.add(name)
    return removed


def _backup_name(path: Path, time_ms: int) -> str:
    text = datetime.fromtimestamp(time_ms / 1000, UTC).strftime(_TIME)[:-3]
    return f"{path.stem}-{text}{path.suffix}"


def _time_of(path: Path, name: str) -> float | None:
    """None where it is no backup of this file."""
    name = name.removesuffix(_PACKED)
    if not (name.startswith(f"{path.stem}-") and name.endswith(path.suffix)):
        return None
    text = name[len(path.stem) + 1 : len(name) - len(path.suffix)]
    try:
        return datetime.strptime(text, _TIME).replace(tzinfo=UTC).timestamp()
    except ValueError:
        return None


def _compress(path: Path) -> None:
    packed = path.with_name(path.name + _PACKED)
    mode = stat.S_IMODE(path.stat().st_mode)
    try:
        target = os.open(packed, os.O_CREAT | os.O_TRUNC | os.O_WRONLY | os.O_CLOEXEC, mode)
        with path.open("rb") as source, os.fdopen(target, "wb") as out, gzip.GzipFile("", "wb", fileobj=out) as zipped:
            shutil.copyfileobj(source, zipped)
    except OSError:
        packed.unlink(missing_ok=True)
        raise
    path.unlink()
