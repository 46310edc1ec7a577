"""Ports for programs that have to be told theirs: etcd, kube-apiserver, a server that is started again where it was."""

from __future__ import annotations

import random
import socket
from pathlib import Path
from typing import Final

_RANGE: Final = Path("/proc/sys/net/ipv4/ip_local_port_range")
_FIRST, _USUAL_END, _LEAST = 20_000, 32_768, 1000
_TRIES: Final = 1000
_RANDOM: Final = (
    random.SystemRandom()
)  # not the one that properties seed: other processes look for ports at the same time
_HELD: Final[list[socket.socket]] = []


def free_port() -> int:
    """One that nobody listens on, and that no other test process is given as long as this one runs. Not of those that
    the system gives to whoever asks for any: it would give this one away while its program does not run."""
    end = int(_RANGE.read_text().split()[0]) if _RANGE.exists() else _USUAL_END
    if end < _FIRST + _LEAST:
        end = _USUAL_END
    for _ in range(_TRIES):
        port = _RANDOM.randrange(_FIRST, end)
        if _is_free(port) and _hold(port):
            return port
    raise RuntimeError(f"no free port from {_FIRST} to {end}")


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True


def _hold(port: int) -> bool:
    """A name in Linux's abstract namespace stands for the port: it is gone with the process, however that ends."""
    sign = socket.socket(socket.AF_UNIX)
    try:
        sign.bind(f"\0quarterdeck-test-port-{port}")
    except OSError:
        sign.close()
        return False
    _HELD.append(sign)
    return True
