"""Sockets that are handed over by whoever started the server: it listened before the server could.

Source of the convention: sd_listen_fds(3) of systemd.
"""

from __future__ import annotations

import os
import socket
from typing import Final

_FIRST: Final = 3
_COUNT_MAX: Final = 16


def take_inherited(address: str, port: int) -> socket.socket | None:
    """The one that listens on this address and port, None where there is none; it is not taken twice."""
    if os.environ.get("LISTEN_PID") != str(os.getpid()):
        return None
    count = os.environ.get("LISTEN_FDS", "")
    for number in range(_FIRST, _FIRST + min(int(count) if count.isdecimal() else 0, _COUNT_MAX)):
        try:
            found = socket.socket(fileno=os.dup(number))
        except OSError:
            continue
        if found.getsockname()[:2] == (address, port):
            os.close(number)
            found.setblocking(False)
            return found
        found.close()
    return None
