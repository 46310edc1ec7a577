"""`quarterdeck serve` without flags, and with --ephemeral: where it keeps things, and what is left of them."""

from __future__ import annotations

import http.client
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from support.server import Server
from support.waiting import PATIENCE_S

pytestmark = pytest.mark.e2e

NAMESPACE = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "kept"}}


@contextmanager
def serve(home: Path, *flags: str, **environment: str) -> Iterator[str]:
    """The line of a server that is ready; its insecure port is asked for."""
    cleared = {name: text for name, text in os.environ.items() if not name.startswith("XDG_")}
    command = [sys.executable, "-m", "quarterdeck", "serve", "--secure-port=0", "--insecure-port=auto", *flags]
    process = subprocess.Popen(
        command, env=cleared | {"HOME": str(home)} | environment, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    try:
        yield process.stdout.readline()
    finally:
        process.send_signal(signal.SIGTERM)
        assert process.wait(PATIENCE_S) == 0
        process.stdout.close()


def call(line: str, method: str, path: str, body: object = None) -> int:
    port = int(line.split("http://127.0.0.1:")[1].split()[0])
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE_S)
    connection.request(method, path, json.dumps(body), {"Content-Type": "application/json"})
    status = connection.getresponse().status
    connection.close()
    return status


def test_without_flags_objects_are_kept_below_the_data_home(tmp_path: Path) -> None:
    with serve(tmp_path) as line:
        assert call(line, "POST", "/api/v1/namespaces", NAMESPACE) == 201
    assert (tmp_path / ".local/share/quarterdeck/server/store.db").exists()
    with serve(tmp_path) as line:
        assert call(line, "GET", "/api/v1/namespaces/kept") == 200
    with serve(tmp_path, XDG_DATA_HOME=str(tmp_path / "elsewhere")) as line:
        assert call(line, "GET", "/api/v1/namespaces/kept") == 404
    assert (tmp_path / "elsewhere/quarterdeck/server/store.db").exists()


def test_a_relative_data_home_counts_as_not_set(tmp_path: Path) -> None:
    with serve(tmp_path, XDG_DATA_HOME="relative"):
        assert (tmp_path / ".local/share/quarterdeck/server/store.db").exists()


def test_an_ephemeral_server_leaves_nothing(tmp_path: Path) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    with serve(tmp_path, "--ephemeral", TMPDIR=str(temporary)) as line:
        assert call(line, "POST", "/api/v1/namespaces", NAMESPACE) == 201
        assert call(line, "GET", "/api/v1/namespaces/kept") == 200
        assert [path.name for path in temporary.glob("*/admin.kubeconfig")] == ["admin.kubeconfig"]
        assert not list(temporary.glob("*/store.db"))
    assert not list(temporary.iterdir())
    assert not (tmp_path / ".local").exists()


def test_what_a_killed_ephemeral_server_leaves_goes_with_the_next(tmp_path: Path) -> None:
    def start() -> subprocess.Popen[str]:
        command = [sys.executable, "-m", "quarterdeck", "serve", "--ephemeral", "--secure-port=0"]
        environment = {**os.environ, "TMPDIR": str(tmp_path), "XDG_RUNTIME_DIR": ""}
        process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)
        assert process.stdout is not None
        assert "ready" in process.stdout.readline()
        return process

    (tmp_path / "quarterdeck-ephemeral-of-nobody").mkdir()
    killed, living = start(), start()
    assert len(list(tmp_path.glob("*/pki"))) == 2
    killed.kill()
    killed.wait()
    third = start()
    left = [(path.parent / "lock").read_text() for path in tmp_path.glob("*/pki")]
    assert sorted(left) == sorted(f"{process.pid}\n" for process in (living, third))
    assert (tmp_path / "quarterdeck-ephemeral-of-nobody").exists()
    for process in (living, third):
        process.terminate()
        assert process.wait(PATIENCE_S) == 0
    for process in (killed, living, third):
        assert process.stdout is not None
        process.stdout.close()


def test_an_ephemeral_server_with_a_data_directory_keeps_its_certificates_and_no_object(tmp_path: Path) -> None:
    with Server(tmp_path / "data", "--ephemeral") as server:
        first = server.kubeconfig.read_text().split("certificate-authority-data")[1]
        line = f"http://127.0.0.1:{server.plain_port}"
        assert call(line, "POST", "/api/v1/namespaces", NAMESPACE) == 201
        server.terminate()
        server.start()
        line = f"http://127.0.0.1:{server.plain_port}"
        assert call(line, "GET", "/api/v1/namespaces/kept") == 404
        assert server.kubeconfig.read_text().split("certificate-authority-data")[1] == first
    assert not (tmp_path / "data/store.db").exists()
