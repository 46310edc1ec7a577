"""A backup of a serving server, and what clients see of a server that is restored from it."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from support.golden.client import Client
from support.server import Server

pytestmark = pytest.mark.e2e
MAPS = "/api/v1/namespaces/default/configmaps"


def command(*arguments: object) -> subprocess.CompletedProcess[str]:
    line = [sys.executable, "-m", "quarterdeck", *map(str, arguments)]
    return subprocess.run(line, capture_output=True, text=True, check=False, timeout=60)


def write(server: Server, name: str, **data: str) -> int:
    answer = Client("127.0.0.1", server.plain_port)("POST", MAPS, {"metadata": {"name": name}, "data": data})
    assert answer.code == 201
    return int(read(answer)["metadata"]["resourceVersion"])


def read(answer: Any) -> Any:
    return json.loads(answer.body)


def test_save_while_writing_and_restore(tmp_path: Path) -> None:
    data, saved, restored = tmp_path / "data", tmp_path / "saved", tmp_path / "restored"
    with Server(data) as server:
        for number in range(50):
            write(server, f"before-{number}", a="x" * 2000)
        stop = threading.Event()

        def go_on() -> None:
            number = 0
            while not stop.is_set():
                write(server, f"during-{number:06}", a="x")
                number += 1

        writer = threading.Thread(target=go_on)
        writer.start()
        save = command("snapshot", "save", saved, "--kubeconfig", data / "admin.kubeconfig")
        stop.set()
        writer.join()
        assert (save.returncode, save.stderr) == (0, "")
        assert saved.stat().st_mode & 0o777 == 0o600
        newest = write(server, "after")
        again = command("snapshot", "save", saved, "--kubeconfig", data / "admin.kubeconfig")
        assert (again.returncode, again.stderr) == (1, f"quarterdeck: error: {saved} exists\n")
        busy = command("snapshot", "save", tmp_path / "other", "--data-dir", data)
        assert busy.returncode == 4
        assert "in use" in busy.stderr
        denied = Client("127.0.0.1", server.plain_port)("GET", "/debug/snapshot", headers={"Impersonate-User": "alice"})
        assert denied.code == 403
    status = command("snapshot", "status", saved)
    assert status.stdout == save.stdout

    refused = command("snapshot", "restore", saved, "--data-dir", data)
    assert refused.returncode == 4
    assert "is not empty: nothing has been changed" in refused.stderr
    done = command("snapshot", "restore", saved, "--data-dir", restored)
    assert (done.returncode, done.stderr) == (0, "")
    with Server(restored) as server:
        call = Client("127.0.0.1", server.plain_port)
        listed = read(call("GET", MAPS))
        assert int(listed["metadata"]["resourceVersion"]) > newest + 900_000_000
        names = [item["metadata"]["name"] for item in listed["items"] if item["metadata"]["name"] != "kube-root-ca.crt"]
        assert [name for name in names if name.startswith("before")] == sorted(f"before-{n}" for n in range(50))
        during = [name for name in names if name.startswith("during")]
        assert during == [f"during-{number:06}" for number in range(len(during))]  # one moment: no hole
        assert "after" not in names
        gone = call("GET", f"{MAPS}?watch=1&resourceVersion={newest}&timeoutSeconds=5")
        assert read(gone)["object"]["code"] == 410  # who saw what was lost has to list again
        assert write(server, "new") > newest + 900_000_000


def test_a_stopped_server_and_a_copy(tmp_path: Path) -> None:
    data, copied, saved = tmp_path / "data", tmp_path / "copied", tmp_path / "saved"
    with Server(data) as server:
        last = write(server, "one", a="1")
    save = command("snapshot", "save", saved, "--data-dir", data)
    copy = command("storage", "copy", data, copied)
    assert (save.returncode, save.stderr, copy.returncode, copy.stderr) == (0, "", 0, "")
    digest = save.stdout.split("digest: ")[1].split()[0]
    assert f"digest: {digest}, the same in both" in copy.stdout
    assert command("storage", "copy", data, copied).returncode == 4
    assert command("storage", "copy", "ftp://127.0.0.1:2379", tmp_path / "x").returncode == 2
    with Server(copied) as server:
        found = Client("127.0.0.1", server.plain_port)("GET", f"{MAPS}/one")
        assert int(read(found)["metadata"]["resourceVersion"]) > last
    damaged = bytearray(saved.read_bytes())
    damaged[len(damaged) // 2] ^= 1
    saved.write_bytes(damaged)
    status = command("snapshot", "status", saved)
    assert (status.returncode, status.stderr.count("\n")) == (1, 1)
    refused = command("snapshot", "restore", saved, "--data-dir", tmp_path / "fresh")
    assert refused.returncode == 1
    assert not (tmp_path / "fresh").exists()
    assert command("snapshot", "save", saved, "--data-dir", tmp_path / "none").returncode in (1, 4)
