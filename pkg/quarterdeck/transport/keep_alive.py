"""Probes of connections on which nothing may be sent for hours: who has vanished is found out in some three minutes.

Source of the times: net/tcpsockopt (Go sets them for all connections, and Kubernetes leaves them as they are).
"""

from __future__ import annotations

import os
import socket
from typing import Any, Final

_IDLE_S: Final = 15
_INTERVAL_S: Final = 15
_PROBES: Final = 9
_TIMES: Final = (("TCP_KEEPIDLE", _IDLE_S), ("TCP_KEEPINTVL", _INTERVAL_S), ("TCP_KEEPCNT", _PROBES))


def watch(shown: Any) -> None:
    """`shown`: what a transport tells of its socket; nothing is done where that is none of TCP's."""
    if shown is None or shown.family not in (socket.AF_INET, socket.AF_INET6):
        return
    # Event loops keep the options to themselves, and a second descriptor shares them.
    with socket.socket(shown.family, socket.SOCK_STREAM, fileno=os.dup(shown.fileno())) as same:
        same.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        for name, value in _TIMES:
            option = getattr(socket, name, None)  # not every system has them
            if option is not None:
                same.setsockopt(socket.IPPROTO_TCP, option, value)
