"""Tells the service manager that started the server how it is: ready, stopping, alive. Nothing without $NOTIFY_SOCKET.

One datagram a message, to a socket of the file system or of the abstract namespace ("@…"). The loop itself sends the
sign of life, so that a server whose loop hangs is restarted. What the manager does not take is dropped: it must not
keep the server from serving.

RELOADING is never sent: files that were replaced are taken up one by one (reload.py) while requests are answered.

Source: sd_notify(3), sd_watchdog_enabled(3) of systemd; apiserver/pkg/server/genericapiserver.go (READY).
"""

from __future__ import annotations

import asyncio
import logging
import os
import socket
from collections.abc import MutableMapping
from typing import Final

_LOG: Final = logging.getLogger(__name__)
_SEND_S: Final = 1.0
_US: Final = 1_000_000


class Notifier:
    """`address` None: nobody is told. `watchdog_s`: how long the manager waits for a sign of life; 0: it does not."""

    def __init__(self, address: str | None, watchdog_s: float = 0.0) -> None:
        self._address = address
        self._period_s = watchdog_s / 2
        self._tick: asyncio.TimerHandle | None = None
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) if address else None

    @classmethod
    def take(cls, environment: MutableMapping[str, str]) -> Notifier:
        """What the environment asks for. It is taken out, so that no child of the server speaks for it."""
        told = environment.pop("NOTIFY_SOCKET", "")
        period, process_id = environment.pop("WATCHDOG_USEC", ""), environment.pop("WATCHDOG_PID", "")
        if told[:1] not in ("/", "@") or len(told) < 2:
            if told:
                _LOG.warning("NOTIFY_SOCKET=%s names no socket of this machine: nobody is told of the server", told)
            return cls(None)
        is_meant = process_id in ("", str(os.getpid()))
        watchdog_s = int(period) / _US if is_meant and period.isdecimal() else 0.0
        return cls("\0" + told[1:] if told[0] == "@" else told, watchdog_s)

    def status(self, text: str) -> None:
        """One line for people."""
        self._send(f"STATUS={text}")

    def ready(self, text: str) -> None:
        """From here on signs of life are sent, by the running loop."""
        self._send(f"READY=1\nSTATUS={text}")
        if self._socket is not None and self._period_s:
            self._show_life()

    def stopping(self, text: str) -> None:
        self._send(f"STOPPING=1\nSTATUS={text}")

    def close(self) -> None:
        if self._tick is not None:
            self._tick.cancel()
        if self._socket is not None:
            self._socket.close()
            self._socket = None

    def _show_life(self) -> None:
        self._send("WATCHDOG=1", wait_s=0.0)
        self._tick = asyncio.get_running_loop().call_later(self._period_s, self._show_life)

    def _send(self, message: str, wait_s: float = _SEND_S) -> None:
        if self._socket is None or self._address is None:
            return
        self._socket.settimeout(wait_s)
        try:
            self._socket.sendto(message.encode(), self._address)
        except OSError as error:
            _LOG.warning("the service manager was not told %s: %s", message.split("=", 1)[0], error)
