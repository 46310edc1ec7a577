"""What the service manager is told, and by whom."""

from __future__ import annotations

import asyncio
import os
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from quarterdeck.server.notify import Notifier


@pytest.fixture(params=["in the file system", "abstract"])
def manager(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[socket.socket, str]]:
    """A socket, and its address as the environment tells it."""
    told = str(tmp_path / "notify") if request.param == "in the file system" else f"@quarterdeck-{os.getpid()}"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as receiver:
        receiver.bind(told.replace("@", "\0", 1))
        receiver.settimeout(30)
        yield receiver, told


def test_the_manager_is_told_each_state(manager: tuple[socket.socket, str]) -> None:
    receiver, address = manager
    environment = {"NOTIFY_SOCKET": address, "PATH": "/bin"}
    notifier = Notifier.take(environment)
    assert environment == {"PATH": "/bin"}
    notifier.status("reading")
    notifier.ready("serving")
    notifier.stopping("ending")
    notifier.close()
    assert [receiver.recv(4096).decode() for _ in range(3)] == [
        "STATUS=reading",
        "READY=1\nSTATUS=serving",
        "STOPPING=1\nSTATUS=ending",
    ]


def test_the_running_loop_shows_that_it_lives(manager: tuple[socket.socket, str]) -> None:
    receiver, address = manager
    environment = {"NOTIFY_SOCKET": address, "WATCHDOG_USEC": "2000", "WATCHDOG_PID": str(os.getpid())}

    async def run() -> None:
        notifier = Notifier.take(environment)
        notifier.ready("serving")
        signs = 0
        while signs < 3:
            signs += await asyncio.to_thread(receiver.recv, 4096) == b"WATCHDOG=1"
        notifier.close()

    asyncio.run(run())
    assert environment == {}


@pytest.mark.parametrize("watchdog", [{}, {"WATCHDOG_USEC": "0"}, {"WATCHDOG_USEC": "1000", "WATCHDOG_PID": "1"}])
def test_no_signs_of_life_unless_this_process_is_asked_for_them(
    manager: tuple[socket.socket, str], watchdog: dict[str, str]
) -> None:
    receiver, address = manager
    notifier = Notifier.take({"NOTIFY_SOCKET": address, **watchdog})
    notifier.ready("serving")  # there is no loop that could send any
    notifier.close()
    assert receiver.recv(4096) == b"READY=1\nSTATUS=serving"


@pytest.mark.parametrize("address", ["", "@", "/", "notify", "vsock:2:9999"])
def test_other_addresses_are_passed_over(address: str) -> None:
    notifier = Notifier.take({"NOTIFY_SOCKET": address})
    notifier.ready("serving")
    notifier.close()


def test_a_manager_that_is_gone_does_not_keep_the_server_from_serving(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    notifier = Notifier.take({"NOTIFY_SOCKET": str(tmp_path / "nobody")})
    notifier.ready("serving")
    notifier.close()
    assert "the service manager was not told READY" in caplog.text
