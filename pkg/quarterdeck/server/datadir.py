"""The data directory: who may use it, and whether this version understands it.

    DIR/lock               held (flock) by the server that uses the directory, with its process id
    DIR/format             the version of this layout; the store's file has a version of its own
    DIR/pki/               certificates and keys (pki.py)
    DIR/admin.kubeconfig   for kubectl (kubeconfig.py)
    everything else        the store's

A directory of a newer format is refused and nothing in it is touched.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from quarterdeck.server.files import PRIVATE, write_atomically

STORE_FILE: Final = "store.db"
FORMAT: Final = 1
_FORMAT_PREFIX: Final = "quarterdeck data, format "


class DataDirectoryError(Exception):
    """The directory cannot be used. The text is for the person who started the server."""


@contextmanager
def as_directory_error(path: Path) -> Iterator[None]:
    """Raises an OSError of the block (a full disk, a missing permission) as a DataDirectoryError."""
    try:
        yield
    except OSError as error:
        place = f": {error.filename}" if error.filename else ""
        raise DataDirectoryError(f"cannot use the data directory {path}: {error.strerror or error}{place}") from error


class DataDirectory:
    """Held from `open` to `close`."""

    def __init__(self, path: Path, lock: int) -> None:
        self.path = path
        self._lock = lock

    @classmethod
    def open(cls, path: Path) -> DataDirectory:
        with as_directory_error(path):
            path.mkdir(parents=True, exist_ok=True, mode=0o700)
            lock = os.open(path / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, PRIVATE)
        try:
            with as_directory_error(path):
                _take_lock(path, lock)
                _check_format(path)
        except BaseException:
            os.close(lock)
            raise
        return cls(path, lock)

    def close(self) -> None:
        os.close(self._lock)


def _take_lock(path: Path, lock: int) -> None:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        owner = os.pread(lock, 32, 0).decode("ascii", "replace").strip()
        process = f" (process {owner})" if owner else ""
        raise DataDirectoryError(f"the data directory {path} is in use by another server{process}") from error
    os.ftruncate(lock, 0)
    os.pwrite(lock, f"{os.getpid()}\n".encode(), 0)


def _check_format(path: Path) -> None:
    file = path / "format"
    try:
        text = file.read_text(encoding="utf-8").strip()
    except FileNotFoundError:
        write_atomically(file, f"{_FORMAT_PREFIX}{FORMAT}\n".encode(), PRIVATE)
        return
    except (OSError, UnicodeDecodeError) as error:
        raise DataDirectoryError(f"cannot read {file}: {error}") from error
    number = text.removeprefix(_FORMAT_PREFIX)
    if not text.startswith(_FORMAT_PREFIX) or not number.isdecimal():
        raise DataDirectoryError(f"{file} is not one of quarterdeck's: {path} is refused as a data directory")
    if int(number) > FORMAT:
        raise DataDirectoryError(
            f"the data directory {path} has format {number}, this version of quarterdeck knows {FORMAT} at most: "
            "it was written by a newer version; nothing has been changed"
        )
