"""Lists to clients that ask and do not read: each holds a bounded buffer, nobody else notices."""

from __future__ import annotations

import base64
import contextlib
import http.client
import json
import os
import random
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.server import Server
from support.waiting import PATIENCE_S

pytestmark = pytest.mark.e2e

CONFIGMAPS = "/api/v1/namespaces/default/configmaps"
OBJECTS = 300
OBJECT_BYTES = 60_000
CLIENTS = 40
REVISION_BYTES_MAX = 20


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with Server() as running:
        connection = http.client.HTTPConnection("127.0.0.1", running.plain_port, timeout=PATIENCE_S)
        rng = random.Random(1)
        for n in range(OBJECTS):
            noise = base64.b64encode(rng.randbytes(OBJECT_BYTES * 3 // 4)).decode()  # gzip saves a quarter
            body = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": f"c{n}"}, "data": {"noise": noise}}
            connection.request("POST", CONFIGMAPS, json.dumps(body), {"Content-Type": "application/json"})
            response = connection.getresponse()
            assert response.status == 201, response.read()
            response.read()
        connection.close()
        yield running


def resident_bytes(process_id: int) -> int:
    return int(Path(f"/proc/{process_id}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def list_all(server: Server, accept_encoding: str = "identity") -> int:
    connection = http.client.HTTPConnection("127.0.0.1", server.plain_port, timeout=PATIENCE_S)
    connection.request("GET", CONFIGMAPS, headers={"Accept-Encoding": accept_encoding})
    size = len(connection.getresponse().read())
    connection.close()
    return size


@pytest.mark.parametrize("encoding", ["identity", "gzip"])
def test_deaf_clients_hold_little_memory_and_nobody_up(server: Server, encoding: str) -> None:
    size = list_all(server, encoding)
    assert size > OBJECTS * OBJECT_BYTES * 0.7
    before = resident_bytes(server.process_id)
    with contextlib.ExitStack() as stack:
        for _ in range(CLIENTS):
            deaf = socket.socket()
            stack.callback(deaf.close)
            deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            deaf.connect(("127.0.0.1", server.plain_port))
            deaf.sendall(f"GET {CONFIGMAPS} HTTP/1.1\r\nHost: h\r\nAccept-Encoding: {encoding}\r\n\r\n".encode())
        for _ in range(5):  # what they hold does not grow either
            # The list's own resourceVersion moves on with what the server writes for itself, and is packed otherwise.
            assert abs(list_all(server, encoding) - size) <= REVISION_BYTES_MAX
            grown = resident_bytes(server.process_id) - before
            assert grown < CLIENTS * 1.5 * 2**20, f"{grown >> 20} MiB for {CLIENTS} lists of {size >> 20} MiB"
