"""How long a mouse waits beside an elephant: the 99th percentile of one user's reads, idle and beside another user who
lists 100,000 objects over 500 connections.

    python bench/macro/fairness.py [--objects N] [--connections N] [--reads N] [--heedless] [--flag=…]

Over plain HTTP nobody could be told apart: both use TLS, the mouse on one connection. The elephant is another process,
whose connections read and drop what comes. A connection that is answered 429 comes again after a second, as the answer
says and as client-go does, or at once (`--heedless`). Prints both figures and their ratio, which should be at most 3.
"""

from __future__ import annotations

import argparse
import collections
import http.client
import json
import multiprocessing
import os
import select
import socket
import ssl
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "bench" / "macro")]

from sockets import raise_file_limit

from support.server import Server

_LIST = "/api/v1/namespaces/default/configmaps"
_READ = _LIST + "/thing-0"
_BATCH = 64


def _context() -> ssl.SSLContext:
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    return context


def _send(port: int, method: str, path: str, body: object = None) -> int:
    connection = http.client.HTTPConnection("127.0.0.1", port)
    connection.request(method, path, json.dumps(body) if body else None, {"Content-Type": "application/json"})
    status = connection.getresponse().status
    connection.close()
    return status


def _fill(port: int, count: int) -> None:
    connections = [http.client.HTTPConnection("127.0.0.1", port) for _ in range(_BATCH)]
    for begin in range(0, count, _BATCH):
        numbers = range(begin, min(begin + _BATCH, count))
        for connection, number in zip(connections, numbers, strict=False):
            body = {"metadata": {"name": f"thing-{number}"}, "data": {"text": "x" * 100}}
            connection.request("POST", _LIST, json.dumps(body), {"Content-Type": "application/json"})
        for connection, _ in zip(connections, numbers, strict=False):
            response = connection.getresponse()
            response.read()
            if response.status != 201:
                sys.exit(f"a create was answered {response.status}")


class _Asking:
    """A connection, and how much of the answer to its last request has come. `status` 0: nothing yet."""

    def __init__(self, client: ssl.SSLSocket) -> None:
        self.client = client
        self.status = self.length = self.seen = 0
        self.again_at_s = 0.0


def _be_an_elephant(port: int, count: int, heeds: bool, ready: multiprocessing.connection.Connection) -> None:
    """Ask for the list on each connection, and again when an answer has ended."""
    # It stands for clients on other machines: it takes no processor that the server or the mouse want.
    os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
    raise_file_limit()
    request = f"GET {_LIST} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer of-elephant\r\n\r\n".encode()
    asking: dict[int, _Asking] = {}
    waiting: collections.deque[_Asking] = collections.deque()
    answers: collections.Counter[int] = collections.Counter()
    poll = select.epoll()
    for _ in range(count):
        client = _context().wrap_socket(socket.create_connection(("127.0.0.1", port)))
        client.setblocking(False)
        client.sendall(request)
        asking[client.fileno()] = _Asking(client)
        poll.register(client.fileno(), select.EPOLLIN)
    ready.send(True)
    while not ready.poll():
        for descriptor, _ in poll.poll(0.01):
            each = asking[descriptor]
            if not _has_ended(each):
                continue
            answers[each.status] += 1
            each.again_at_s = time.monotonic() + (heeds and each.status == 429)
            waiting.append(each)
        # Those that may come at once do not wait for those that may not.
        for _ in range(len(waiting)):
            each = waiting.popleft()
            if each.again_at_s > time.monotonic():
                waiting.append(each)
            else:
                each.status = 0
                each.client.sendall(request)
    ready.send(dict(answers))


def _has_ended(each: _Asking) -> bool:
    """Reads what is there."""
    try:
        while data := each.client.recv(1 << 16):
            if not each.status:
                head, _, data = data.partition(b"\r\n\r\n")
                each.status = int(head.split(b" ", 2)[1])
                each.length = int(head.lower().partition(b"content-length: ")[2].split(b"\r", 1)[0])
                each.seen = 0
            each.seen += len(data)
            if each.seen >= each.length:
                return True
    except (ssl.SSLWantReadError, ssl.SSLWantWriteError):
        pass
    return False


def _measure_ms(port: int, reads: int) -> list[float]:
    connection = http.client.HTTPSConnection("127.0.0.1", port, context=_context())
    times = []
    for _ in range(reads):
        begin = time.perf_counter()
        connection.request("GET", _READ, headers={"Authorization": "Bearer of-mouse"})
        response = connection.getresponse()
        response.read()
        times.append((time.perf_counter() - begin) * 1e3)
        if response.status != 200:
            sys.exit(f"a read was answered {response.status}")
        time.sleep(0.002)
    return sorted(times)


def _percentile(times: list[float], percent: int) -> float:
    return times[min(len(times) * percent // 100, len(times) - 1)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--objects", type=int, default=100_000)
    parser.add_argument("--connections", type=int, default=500)
    parser.add_argument("--reads", type=int, default=1000)
    parser.add_argument("--heedless", action="store_true", help="come again at once after a 429")
    parser.add_argument("--flag", action="append", default=[], help="of the server; may be given again")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        tokens = Path(directory) / "tokens.csv"
        tokens.write_text("of-mouse,mouse,1\nof-elephant,elephant,2\n")
        with Server(None, "--token-auth-file", str(tokens), *options.flag) as server:
            kind = {"apiGroup": "rbac.authorization.k8s.io", "kind": "User"}
            binding = {
                "metadata": {"name": "both"},
                "roleRef": {"apiGroup": kind["apiGroup"], "kind": "ClusterRole", "name": "cluster-admin"},
                "subjects": [{**kind, "name": "mouse"}, {**kind, "name": "elephant"}],
            }
            _send(server.plain_port, "POST", f"/apis/{kind['apiGroup']}/v1/clusterrolebindings", binding)
            _fill(server.plain_port, options.objects)
            _measure_ms(server.secure_port, 200)
            idle = _measure_ms(server.secure_port, options.reads)
            ours, theirs = multiprocessing.Pipe()
            elephant = multiprocessing.Process(
                target=_be_an_elephant,
                args=(server.secure_port, options.connections, not options.heedless, theirs),
                daemon=True,
            )
            elephant.start()
            ours.recv()
            busy = _measure_ms(server.secure_port, options.reads)
            ours.send(True)
            answers = ours.recv()
            elephant.join()
    for name, times in (("idle", idle), ("beside the elephant", busy)):
        shown = ", ".join(f"p{percent} {_percentile(times, percent):.2f} ms" for percent in (50, 90, 99))
        print(f"{name}: {shown}")
    shown = ", ".join(f"{answers[status]} of {status}" for status in sorted(answers))
    print(f"the elephant's answers: {shown}; ratio of p99: {_percentile(busy, 99) / _percentile(idle, 99):.1f}")


if __name__ == "__main__":
    main()
