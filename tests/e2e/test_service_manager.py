"""The server under a service manager that waits to be told (Type=notify, WatchdogSec=)."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from support.server import Server

pytestmark = pytest.mark.e2e


def test_the_manager_follows_a_server_from_its_start_to_its_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind(f"\0quarterdeck-manager-{os.getpid()}")
        manager.settimeout(60)
        monkeypatch.setenv("NOTIFY_SOCKET", f"@quarterdeck-manager-{os.getpid()}")
        monkeypatch.setenv("WATCHDOG_USEC", "20000")
        with Server(tmp_path / "data") as server:
            told = [manager.recv(4096).decode()]
            while told[-1] != "WATCHDOG=1":
                told.append(manager.recv(4096).decode())
            assert told[:-1] == [
                "STATUS=reading the store",
                f"READY=1\nSTATUS=serving https://127.0.0.1:{server.secure_port} http://127.0.0.1:{server.plain_port}",
            ]
            server.terminate()
            last = ""
            while not last.startswith("STOPPING=1\nSTATUS="):
                last = manager.recv(4096).decode()
