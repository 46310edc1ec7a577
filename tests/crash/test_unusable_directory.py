"""A data directory that cannot be used: one line that says so, exit code 4, no traceback, and nothing is changed.

Read-only and full file systems need the right to mount a tmpfs; skipped where that is missing.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.server import Server

pytestmark = pytest.mark.crash

EXIT_DATA = 4
DISK_BYTES = 24 << 20
COMMANDS = [("serve", "--secure-port", "0"), ("storage", "check"), ("storage", "repair")]


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "disk"
    folder.mkdir()
    options = ["-t", "tmpfs", "-o", f"size={DISK_BYTES}", "tmpfs", str(folder)]
    if subprocess.run(["mount", *options], capture_output=True, check=False).returncode:
        pytest.skip("may not mount a file system here")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", folder], check=True)


def fail(data: Path, *command: str) -> str:
    """What the command tells, which has to be one line."""
    done = subprocess.run(
        [sys.executable, "-m", "quarterdeck", *command, "--data-dir", str(data)],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == EXIT_DATA, done
    assert done.stderr.startswith("quarterdeck: error: ")
    assert done.stderr.count("\n") == 1, done.stderr
    return done.stderr


def state(folder: Path) -> dict[str, bytes]:
    """All files but the lock, which names its holder."""
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file() and path.name != "lock"}


@pytest.mark.parametrize("command", COMMANDS)
def test_a_read_only_disk(disk: Path, command: tuple[str, ...]) -> None:
    data = disk / "data"
    with Server(data) as server:
        server.terminate()
        subprocess.run(["mount", "-o", "remount,ro", disk], check=True)
        assert "Read-only file system" in fail(data, *command)


def test_a_new_store_on_a_read_only_disk(disk: Path) -> None:
    subprocess.run(["mount", "-o", "remount,ro", disk], check=True)
    assert "Read-only file system" in fail(disk / "data", "serve", "--secure-port", "0")


def test_a_new_store_on_a_full_disk(disk: Path) -> None:
    (disk / "ballast").write_bytes(bytes(DISK_BYTES - 4096))
    fail(disk / "data", "serve", "--secure-port", "0")


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("name", ["store.db", "store.db-mark", "lock", "format"])
def test_a_folder_in_the_place_of_a_file(tmp_path: Path, name: str, command: tuple[str, ...]) -> None:
    data = tmp_path / "data"
    with Server(data) as server:
        server.kill()
        (data / name).unlink()
        (data / name).mkdir()
        before = state(data)
        fail(data, *command)
        assert state(data) == before


def test_a_file_in_the_place_of_the_directory(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("")
    fail(tmp_path / "data", "serve", "--secure-port", "0")
