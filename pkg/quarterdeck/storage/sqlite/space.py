"""Disk space kept back for bad times: a file beside the database that is given up when the disk is full.

Without it nothing could be deleted on a full disk, because a deletion is written too. While the reserve is gone only
deletions are taken; when there is room to lay it in again, everything is (etcd: the NOSPACE alarm).
"""

from __future__ import annotations

import errno
import os
from pathlib import Path


class Reserve:
    def __init__(self, path: Path, size: int) -> None:
        self._path = path
        self._size = size
        self.is_held = False

    def hold(self) -> bool:
        """Lay the reserve in; False when the disk has no room for it."""
        if self.is_held or self._size == 0:
            self.is_held = True
            return True
        file = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            os.posix_fallocate(file, 0, self._size)
        except OSError as error:
            if error.errno not in (errno.ENOSPC, errno.EDQUOT):
                raise
            os.ftruncate(file, 0)
            return False
        finally:
            os.close(file)
        self.is_held = True
        return True

    def release(self) -> None:
        if self.is_held and self._size:
            os.truncate(self._path, 0)
        self.is_held = False


def free_bytes(folder: Path) -> int:
    """What the file system has left for this user."""
    found = os.statvfs(folder)
    return found.f_bavail * found.f_frsize
