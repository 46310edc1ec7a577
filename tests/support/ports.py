"""Ports for programs that have to be told theirs: etcd, kube-apiserver."""

from __future__ import annotations

import random
import socket
from pathlib import Path
from typing import Final

_RANGE: Final = Path("/proc/sys/net/ipv4/ip_local_port_range")
_FIRST: Final = 20_000
_TRIES: Final = 1000
_RANDOM: Final = (
    random.SystemRandom()
)  # not the one that properties seed: other processes look for ports at the same time


def free_port() -> int:
    """One that nobody listens on. Not of those that the system gives to connections: any connection of this machine
    could get one of these before the program takes it."""
    end = int(_RANGE.read_text().split()[0]) if _RANGE.exists() else 32_768
    for _ in range(_TRIES):
        port = _RANDOM.randrange(_FIRST, max(end, _FIRST + 1))
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
    raise RuntimeError(f"no free port from {_FIRST} to {end}")
