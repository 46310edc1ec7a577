"""Debian's builds of etcd, unpacked beside the system: an old one, and one that keeps what it acknowledged.

PyPI's newest etcd is 3.5.1, which can lose writes when a member is killed: it serves tests that kill none.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
from functools import cache
from pathlib import Path

import pytest

_PACKAGE = "etcd-server"
_SUITES = {"3.4": "bookworm", "3.5": "trixie"}
_KEYRING = Path("/usr/share/keyrings/debian-archive-keyring.gpg")
_CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "quarterdeck-tests"


@cache
def debian(version: str) -> Path:
    """The program of etcd 3.4 or 3.5 (3.5.16). Skips the test where it is not to be had."""
    folder = _CACHE / f"etcd-debian-{version}"
    program = folder / "usr" / "bin" / "etcd"
    if program.exists():
        return program
    try:
        _unpack(_SUITES[version], folder)
    except (OSError, subprocess.CalledProcessError, StopIteration):
        if not program.exists():  # which another run may have brought meanwhile
            pytest.skip(f"Debian's etcd-server {version} is not to be had")
    return program


def _unpack(suite: str, into: Path) -> None:
    """With lists of its own: the system's sources need not have the suite, and stay as they are."""
    into.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=into.parent) as name:
        folder = Path(name)
        folder.chmod(0o777)  # apt's own user writes there
        for each in ("lists/partial", "cache/archives/partial", "files"):
            (folder / each).mkdir(parents=True)
        sources = folder / "sources.list"
        sources.write_text(f"deb [signed-by={_KEYRING}] http://deb.debian.org/debian {suite} main\n")
        places = {
            "Dir::Etc::SourceList": sources,
            "Dir::State::Lists": folder / "lists",
            "Dir::Cache": folder / "cache",
        }
        apt = ["apt-get", "-q", "-o", "Dir::Etc::SourceParts=-"]
        apt += [f"-o{key}={value}" for key, value in places.items()]
        subprocess.run([*apt, "update"], cwd=folder, check=True, capture_output=True)
        subprocess.run([*apt, "download", _PACKAGE], cwd=folder, check=True, capture_output=True)
        packed = next(folder.glob(f"{_PACKAGE}_*.deb"))
        subprocess.run(["dpkg-deb", "-x", packed, folder / "files"], check=True, capture_output=True)
        (folder / "files").rename(into)
