"""The CPU time of a server's processes, read from /proc: only where the server runs on this machine.

The process that listens on the server's port is found by the socket; others (etcd behind kube-apiserver) are named by
the person who measures.
"""

from __future__ import annotations

import os
import socket
from pathlib import Path
from typing import Final

_LISTEN: Final = "0A"


def cpu_s(process_id: int) -> float:
    """User and system time so far."""
    fields = Path(f"/proc/{process_id}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def resident_bytes(process_id: int) -> int:
    """The memory that it has now."""
    return int(Path(f"/proc/{process_id}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def is_local(host: str) -> bool:
    """Whether an address of this machine is meant: one that a socket can be bound to."""
    try:
        found = socket.getaddrinfo(host, 0, type=socket.SOCK_STREAM)
    except OSError:
        return False
    for family, kind, protocol, _, address in found:
        with socket.socket(family, kind, protocol) as probe:
            try:
                probe.bind(address)
            except OSError:
                continue
            return True
    return False


def find_listener(port: int) -> int | None:
    """The process that listens on a port; None where there is none or it is not ours to look into."""
    inodes = set()
    for table in ("tcp", "tcp6"):
        try:
            lines = Path("/proc/net", table).read_text().splitlines()[1:]
        except OSError:
            continue
        for line in lines:
            fields = line.split()
            if fields[3] == _LISTEN and int(fields[1].rsplit(":", 1)[1], 16) == port:
                inodes.add(f"socket:[{fields[9]}]")
    if not inodes:
        return None
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit() and _holds(folder / "fd", inodes):
            return int(folder.name)
    return None


def _holds(descriptors: Path, inodes: set[str]) -> bool:
    try:
        return any(str(descriptor.readlink()) in inodes for descriptor in descriptors.iterdir())
    except OSError:  # it is another user's, or has ended
        return False
