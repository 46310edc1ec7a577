"""Files that the server's user may not read or write: one line that names them, an exit code, no traceback.

The tests may run as root, whom no mode stops: the commands are run without those of root's rights.
"""

from __future__ import annotations

import functools
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.server import Server

pytestmark = pytest.mark.crash

EXIT_FAILED, EXIT_USAGE, EXIT_DATA = 1, 2, 4
SERVE = ("serve", "--secure-port", "0")
COMMANDS = [SERVE, ("storage", "check"), ("storage", "repair")]
WITHOUT_RIGHTS = ["setpriv", "--bounding-set=-dac_override,-dac_read_search,-fowner,-chown", "--inh-caps=-all"]
NOBODY = 65534


@functools.cache
def prefix() -> tuple[str, ...] | None:
    """What a command is run with so that modes count; None where that is not to be had."""
    if os.geteuid():
        return ()
    unreadable = (
        subprocess.run(
            [*WITHOUT_RIGHTS, "sh", "-c", 'f=$(mktemp); chmod 0 "$f"; ! cat "$f" 2>&1; code=$?; rm "$f"; exit $code'],
            capture_output=True,
            check=False,
        )
        if shutil.which("setpriv")
        else None
    )
    return tuple(WITHOUT_RIGHTS) if unreadable is not None and unreadable.returncode == 0 else None


def run(data: Path, *command: str) -> subprocess.CompletedProcess[str]:
    before = prefix()
    if before is None:
        pytest.skip("may not give up root's rights here")
    return subprocess.run(
        [*before, sys.executable, "-m", "quarterdeck", *command, "--data-dir", str(data)],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


def fail(codes: int | tuple[int, ...], named: Path, data: Path, *command: str) -> None:
    done = run(data, *command)
    assert done.returncode in (codes if isinstance(codes, tuple) else (codes,)), done
    assert done.stderr.count("\n") == 1, done
    assert done.stderr.startswith("quarterdeck: error: ")
    assert str(named) in done.stderr, done.stderr


@pytest.fixture(scope="module")
def stopped(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data directory that a server has used."""
    data = tmp_path_factory.mktemp("stopped") / "data"
    with Server(data) as server:
        assert server.terminate() == 0
    return data


@pytest.fixture
def data(stopped: Path, tmp_path: Path) -> Iterator[Path]:
    copy = tmp_path / "data"
    shutil.copytree(stopped, copy)
    issued = copy / "pki" / "issued.json"  # names the files that it tells of
    issued.write_text(issued.read_text().replace(str(stopped), str(copy)))
    yield copy
    for folder in (copy, copy / "pki"):
        folder.chmod(0o700)


@pytest.mark.parametrize("command", COMMANDS)
def test_a_directory_that_cannot_be_read(data: Path, command: tuple[str, ...]) -> None:
    data.chmod(0)
    fail(EXIT_DATA, data, data, *command)


@pytest.mark.parametrize("command", COMMANDS)
def test_a_directory_that_cannot_be_written(data: Path, command: tuple[str, ...]) -> None:
    data.chmod(0o500)
    done = run(data, *command)
    if command == ("storage", "check"):  # which writes nothing that was not there
        assert done.returncode in (0, EXIT_DATA), done
        assert "Traceback" not in done.stderr
    else:
        fail((EXIT_FAILED, EXIT_DATA), data, data, *command)


@pytest.mark.parametrize("name", ["lock", "format", "store.db-mark"])
def test_a_file_that_cannot_be_read(data: Path, name: str) -> None:
    (data / name).chmod(0)
    fail(EXIT_DATA, data / name, data, *SERVE)


@pytest.mark.parametrize("command", COMMANDS)
def test_a_store_of_somebody_else(data: Path, command: tuple[str, ...]) -> None:
    if os.geteuid():
        pytest.skip("only root can give files away")
    os.chown(data / "store.db", NOBODY, NOBODY)
    (data / "store.db").chmod(0o400)
    fail(EXIT_DATA, data / "store.db", data, *command)


def test_a_store_of_the_servers_own_is_made_writable(data: Path) -> None:
    (data / "store.db").chmod(0o400)
    assert run(data, "storage", "check").returncode == 0


@pytest.mark.parametrize("name", ["ca.key", "ca.crt", "issued.json"])
def test_an_authority_that_cannot_be_read(data: Path, name: str) -> None:
    (data / "pki" / "apiserver.crt").unlink()
    (data / "pki" / name).chmod(0)
    fail(EXIT_DATA, data / "pki" / name, data, *SERVE)


@pytest.mark.parametrize("name", ["apiserver.key", "apiserver.crt", "admin.key", "admin.crt"])
def test_a_key_that_cannot_be_read(data: Path, name: str) -> None:
    assert (data / "pki" / name).exists()
    (data / "pki" / name).chmod(0)
    fail(EXIT_FAILED, data / "pki" / name, data, *SERVE)


def test_a_folder_of_keys_that_cannot_be_read(data: Path) -> None:
    (data / "pki").chmod(0)
    fail(EXIT_DATA, data / "pki", data, *SERVE)


@pytest.mark.parametrize("flag", ["--token-auth-file", "--client-ca-file"])
def test_a_file_of_the_command_line_that_cannot_be_read(data: Path, tmp_path: Path, flag: str) -> None:
    file = tmp_path / "file"
    file.write_text("x")
    file.chmod(0)
    done = run(data, *SERVE, flag, str(file))
    assert done.returncode in (EXIT_FAILED, EXIT_USAGE), done
    assert "Traceback" not in done.stderr
    assert str(file) in done.stderr.splitlines()[-1]
