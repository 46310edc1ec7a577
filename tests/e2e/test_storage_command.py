"""A server that was killed and then lost a part of its files: what its starter is told, and how to go on."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from support.golden.client import Client
from support.server import Server

pytestmark = pytest.mark.e2e


def command(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "quarterdeck", *arguments], capture_output=True, text=True, check=False, timeout=60
    )


def test_a_damaged_log_is_refused_told_of_and_repaired(tmp_path: Path) -> None:
    data = tmp_path / "data"
    with Server(data) as server:
        call = Client("127.0.0.1", server.plain_port)
        for number in range(30):
            body = {"metadata": {"name": f"c{number}"}, "data": {"a": "x" * 3000}}
            answer = call("POST", "/api/v1/namespaces/default/configmaps", body)
            assert answer.code == 201
        busy = command("storage", "check", "--data-dir", str(data))
        assert (busy.returncode, busy.stderr.count("\n")) == (4, 1)
        assert "in use by another server" in busy.stderr
        server.kill()
        log = data / "store.db-wal"
        content = bytearray(log.read_bytes())
        content[len(content) * 9 // 10] ^= 1  # behind the first object, and what a new server writes before it
        log.write_bytes(content)

        refused = command("serve", "--data-dir", str(data), "--secure-port", "0")
        assert refused.returncode == 4
        assert "Traceback" not in refused.stderr
        assert "would be undone; `quarterdeck storage check` tells more" in refused.stderr

        checked = command("storage", "check", "--data-dir", str(data))
        assert checked.returncode == 1
        assert "lost: " in checked.stdout
        repaired = command("storage", "repair", "--data-dir", str(data))
        assert repaired.returncode == 0, repaired.stderr
        assert command("storage", "check", "--data-dir", str(data)).returncode == 0
        server.start()
        assert Client("127.0.0.1", server.plain_port)("GET", "/api/v1/namespaces/default/configmaps/c0").code == 200


def test_a_directory_that_is_missing(tmp_path: Path) -> None:
    answer = command("storage", "check", "--data-dir", str(tmp_path / "none"))
    assert (answer.returncode, answer.stderr) == (
        4,
        f"quarterdeck: error: there is no data directory {tmp_path}/none\n",
    )
    assert not (tmp_path / "none").exists()


@pytest.mark.parametrize("name, content", [("ca.key", b"garbage"), ("ca.crt", b"\xff\x00"), ("ca.key", b"")])
def test_an_authority_that_cannot_be_read(tmp_path: Path, name: str, content: bytes) -> None:
    with Server(tmp_path / "data") as server:
        server.kill()
        (server.data_dir / "pki" / name).write_bytes(content)
        (server.data_dir / "pki" / "apiserver.crt").unlink()
        refused = command("serve", "--data-dir", str(server.data_dir), "--secure-port", "0")
        assert refused.returncode == 1
        assert refused.stderr.count("\n") == 1
        assert f"pki/{name}" in refused.stderr
        assert "cannot be used" in refused.stderr
