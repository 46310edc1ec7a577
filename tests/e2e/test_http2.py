"""HTTP/2 of a real server: over TLS, with prior knowledge on the plain port, and many watches on one connection."""

from __future__ import annotations

import json
import random
import socket
import ssl
from collections.abc import Iterator
from typing import Any

import h2.config
import h2.connection
import h2.events
import pytest

from support.golden.client import Client
from support.server import Server
from support.waiting import PATIENCE_S

JSON = {"Content-Type": "application/json"}
MAPS = "/api/v1/namespaces/default/configmaps"


class Connection:
    """A client of HTTP/2 that reads when it is asked to."""

    def __init__(self, raw: socket.socket) -> None:
        self._socket = raw
        self.h2 = h2.connection.H2Connection(h2.config.H2Configuration(header_encoding="utf-8"))
        self.heads: dict[int, dict[str, str]] = {}
        self.bodies: dict[int, bytes] = {}
        self.ended: set[int] = set()
        self.h2.initiate_connection()
        self.flush()

    def flush(self) -> None:
        self._socket.sendall(self.h2.data_to_send())

    def request(self, method: str, path: str, body: bytes = b"", host: str = "localhost", **fields: str) -> int:
        stream = self.h2.get_next_available_stream_id()
        head = [(":method", method), (":scheme", "https"), (":path", path), (":authority", host), *fields.items()]
        self.h2.send_headers(stream, head, end_stream=not body)
        if body:
            self.h2.send_data(stream, body, end_stream=True)
        self.flush()
        self.bodies[stream] = b""
        return stream

    def read(self) -> None:
        data = self._socket.recv(65536)
        assert data, "the connection is closed"
        for event in self.h2.receive_data(data):
            if isinstance(event, h2.events.ResponseReceived):
                self.heads[event.stream_id] = dict(event.headers)
            elif isinstance(event, h2.events.DataReceived):
                self.bodies[event.stream_id] += event.data
                if event.flow_controlled_length:
                    self.h2.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
            elif isinstance(event, h2.events.StreamEnded):
                self.ended.add(event.stream_id)
        self.flush()

    def call(self, *arguments: Any, **fields: Any) -> tuple[int, bytes]:
        stream = self.request(*arguments, **fields)
        while stream not in self.ended:
            self.read()
        return int(self.heads[stream][":status"]), self.bodies[stream]

    def names(self, stream: int) -> list[str]:
        """What a watch has told: names, and the events' resourceVersions."""
        lines = self.bodies[stream].splitlines(keepends=True)
        return [json.loads(line)["object"]["metadata"]["name"] for line in lines if line.endswith(b"\n")]


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with Server() as server:
        server.wait_until_ready()
        yield server


def secure(server: Server) -> Connection:
    context = ssl.create_default_context(cafile=str(server.data_dir / "pki" / "ca.crt"))
    context.load_cert_chain(*(server.data_dir / "pki" / f"admin.{end}" for end in ("crt", "key")))
    context.set_alpn_protocols(["h2"])
    raw = socket.create_connection(("127.0.0.1", server.secure_port), timeout=PATIENCE_S)
    wrapped = context.wrap_socket(raw, server_hostname="127.0.0.1")
    assert wrapped.selected_alpn_protocol() == "h2"
    return Connection(wrapped)


def plain(server: Server) -> Connection:
    return Connection(socket.create_connection(("127.0.0.1", server.plain_port), timeout=PATIENCE_S))


def put(name: str) -> bytes:
    return json.dumps({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}}).encode()


@pytest.mark.parametrize("connect", [secure, plain])
def test_objects_are_written_and_read(server: Server, connect: Any) -> None:
    connection = connect(server)
    name = f"http2-{connect.__name__}"
    status, body = connection.call("POST", MAPS, put(name), **{"content-type": "application/json"})
    assert status == 201
    assert connection.call("GET", f"{MAPS}/{name}") == (200, body)
    status, body = connection.call("GET", MAPS + "/nobody")
    assert (status, json.loads(body)["reason"]) == (404, "NotFound")


def test_the_plain_port_trusts_no_foreign_name(server: Server) -> None:
    status, _ = plain(server).call("GET", MAPS, host="evil.example")
    assert status == 403
    status, _ = plain(server).call("GET", MAPS, origin="https://evil.example")
    assert status == 403


def test_watches_of_one_connection_see_every_write_and_may_leave_at_any_time(server: Server) -> None:
    rng = random.Random(7)
    write = Client("127.0.0.1", server.plain_port)
    connection = secure(server)
    watches: dict[int, int] = {}  # stream → how many writes were before it
    names: list[str] = []

    def watch() -> None:
        revision = json.loads(write("GET", MAPS + "?limit=1").body)["metadata"]["resourceVersion"]
        path = f"{MAPS}?watch=true&labelSelector=!x&resourceVersion={revision}"
        watches[connection.request("GET", path)] = len(names)

    for _ in range(40):
        watch()
    for number in range(60):
        names.append(f"seen-{number}")
        assert write("POST", MAPS, put(names[-1]), headers=JSON).code == 201
        for stream in list(watches):
            if rng.random() < 0.05:
                del watches[stream]
                connection.h2.reset_stream(stream)
                connection.flush()
                watch()
    for stream, before in watches.items():
        while len(connection.names(stream)) < len(names) - before:
            connection.read()
        assert connection.names(stream) == names[before:]


def test_a_large_list_and_watches_share_a_connection(server: Server) -> None:
    write = Client("127.0.0.1", server.plain_port)
    space = "/api/v1/namespaces/large"
    namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "large"}}
    assert write("POST", "/api/v1/namespaces", json.dumps(namespace).encode(), headers=JSON).code == 201
    for number in range(20):
        thing = json.loads(put(f"large-{number}")) | {"data": {"text": "x" * 100_000}}
        assert write("POST", space + "/configmaps", json.dumps(thing).encode(), headers=JSON).code == 201
    connection = secure(server)
    revision = json.loads(write("GET", space + "/configmaps?limit=1").body)["metadata"]["resourceVersion"]
    watching = connection.request("GET", f"{space}/configmaps?watch=true&resourceVersion={revision}")
    listing = connection.request("GET", space + "/configmaps")
    assert write("POST", space + "/configmaps", put("late"), headers=JSON).code == 201
    while listing not in connection.ended or not connection.names(watching):
        connection.read()
    assert len(json.loads(connection.bodies[listing])["items"]) >= 20
    assert connection.names(watching) == ["late"]


def test_it_may_be_switched_off() -> None:
    with Server(None, "--disable-http2-serving") as server:
        context = ssl.create_default_context(cafile=str(server.data_dir / "pki" / "ca.crt"))
        context.set_alpn_protocols(["h2", "http/1.1"])
        with (
            socket.create_connection(("127.0.0.1", server.secure_port), timeout=PATIENCE_S) as raw,
            context.wrap_socket(raw, server_hostname="127.0.0.1") as wrapped,
        ):
            assert wrapped.selected_alpn_protocol() == "http/1.1"
        with socket.create_connection(("127.0.0.1", server.plain_port), timeout=PATIENCE_S) as raw:
            raw.sendall(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
            assert raw.recv(100).startswith(b"HTTP/1.1 505 ")
