"""Where things are kept when no flag says so: the XDG base directories.

    $XDG_DATA_HOME/quarterdeck    what has to last: data directories   (~/.local/share)
    $XDG_STATE_HOME/quarterdeck   logs, and which processes run        (~/.local/state)
    $XDG_CACHE_HOME/quarterdeck   what can be made again               (~/.cache)
    $XDG_RUNTIME_DIR              what is gone with the process        ($TMPDIR or /tmp)

A variable that is empty or holds a relative path counts as not set.
Source: XDG Base Directory Specification, version 0.8.
"""

from __future__ import annotations

import argparse
import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

_OWN: Final = "quarterdeck"
_EPHEMERAL: Final = "quarterdeck-ephemeral-"


def data_home() -> Path:
    return _find("XDG_DATA_HOME", ".local/share") / _OWN


def state_home() -> Path:
    return _find("XDG_STATE_HOME", ".local/state") / _OWN


def cache_home() -> Path:
    return _find("XDG_CACHE_HOME", ".cache") / _OWN


@contextmanager
def choose_data_dir(arguments: argparse.Namespace) -> Iterator[None]:
    """Fill in `data_dir` where no flag gave one; that of an ephemeral server is removed at the end."""
    if arguments.data_dir is not None:
        yield
    elif not arguments.ephemeral:
        arguments.data_dir = data_home() / "server"
        yield
    else:
        import tempfile

        parent = _runtime_dir()
        _remove_left(parent or Path(tempfile.gettempdir()))
        with tempfile.TemporaryDirectory(prefix=_EPHEMERAL, dir=parent, ignore_cleanup_errors=True) as path:
            arguments.data_dir = Path(path)
            yield


def resolve(arguments: argparse.Namespace) -> dict[str, Any]:
    """Members of Config."""
    return {
        "data_dir": arguments.data_dir.absolute(),
        "is_ephemeral": arguments.ephemeral,
        "parent_process": arguments.exit_with_process,
    }


def _find(variable: str, default: str) -> Path:
    named = Path(os.environ.get(variable, ""))
    return named if named.is_absolute() else Path.home() / default


def _runtime_dir() -> Path | None:
    """None: where temporary files go."""
    named = Path(os.environ.get("XDG_RUNTIME_DIR", ""))
    return named if named.is_absolute() and os.access(named, os.W_OK) else None


def _remove_left(folder: Path) -> None:
    """What ephemeral servers left that were killed: their certificates."""
    for path in folder.glob(f"{_EPHEMERAL}*"):
        try:
            is_own = path.lstat().st_uid == os.geteuid() and not path.is_symlink()
            if is_own and _is_left(path / "lock"):
                _remove(path)
        except OSError:
            continue  # somebody else removes it


def _remove(folder: Path) -> None:
    import shutil  # rarely, and it loads three compressions

    shutil.rmtree(folder, ignore_errors=True)


def _is_left(lock: Path) -> bool:
    """Whether a server held it and does not any more (server/datadir.py). One that is about to has not written yet."""
    with lock.open("rb") as file:
        if not file.read():
            return False
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True
