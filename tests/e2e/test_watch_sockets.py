"""Watches over WebSockets, as dashboards in browsers open them."""

from __future__ import annotations

import base64
import http.client
import json
import ssl
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import websocket  # websocket-client, which shares nothing with the server's own library

from support.server import Server
from support.waiting import PATIENCE_S

pytestmark = pytest.mark.e2e

MAPS = "/api/v1/namespaces/default/configmaps"
TOKEN = "a-token-of-the-administrator"
BEARER = "base64url.bearer.authorization.k8s.io." + base64.urlsafe_b64encode(TOKEN.encode()).decode().rstrip("=")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    tokens: Path = tmp_path_factory.mktemp("tokens") / "tokens.csv"
    tokens.write_text(f"{TOKEN},admin,1,system:masters\n")
    with Server(None, f"--token-auth-file={tokens}") as running:
        yield running


def open_socket(server: Server, path: str, **options: Any) -> websocket.WebSocket:
    return websocket.create_connection(
        f"wss://127.0.0.1:{server.secure_port}{path}",
        timeout=PATIENCE_S,
        origin=options.pop("origin", "http://127.0.0.1"),
        subprotocols=[BEARER, *options.pop("subprotocols", ["base64.binary.k8s.io"])],
        sslopt={"cert_reqs": ssl.CERT_NONE},
        **options,
    )


def call(server: Server, method: str, path: str, body: object = None) -> dict[str, Any]:
    connection = http.client.HTTPConnection("127.0.0.1", server.plain_port, timeout=PATIENCE_S)
    connection.request(method, path, json.dumps(body), {"Content-Type": "application/json"})
    answer = connection.getresponse()
    told: dict[str, Any] = json.loads(answer.read())
    connection.close()
    assert answer.status < 300, told
    return told


def write(server: Server, name: str, size: int = 1) -> dict[str, Any]:
    body = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": {"text": "é\n" * size}}
    return call(server, "POST", MAPS, body)


def read_event(socket: websocket.WebSocket) -> tuple[str, str]:
    kind, data = socket.recv_data()
    assert kind == websocket.ABNF.OPCODE_TEXT
    assert data.endswith(b"\n")
    event = json.loads(data)
    return event["type"], event["object"]["metadata"]["name"]


def test_each_event_is_a_message(server: Server) -> None:
    for number in range(4):
        write(server, f"each-{number}", size=40_000 * number)
    socket = open_socket(server, f"{MAPS}?watch=1&fieldSelector=metadata.name%21%3Dbinary")
    assert socket.getsubprotocol() == "base64.binary.k8s.io"
    assert [read_event(socket) for _ in range(4)] == [("ADDED", f"each-{number}") for number in range(4)]
    socket.send("nobody listens")
    socket.ping("still there?")
    write(server, "each-live", size=100_000)
    call(server, "DELETE", f"{MAPS}/each-live")
    told = []
    while len(told) < 3:
        kind, frame = socket.recv_data_frame(control_frame=True)
        told.append((kind, frame.data if kind == websocket.ABNF.OPCODE_PONG else json.loads(frame.data)["type"]))
    pong = (websocket.ABNF.OPCODE_PONG, b"still there?")
    assert sorted(told, key=str) == sorted(
        [pong, (websocket.ABNF.OPCODE_TEXT, "ADDED"), (websocket.ABNF.OPCODE_TEXT, "DELETED")], key=str
    )
    socket.close()


def test_a_watch_that_ends_closes_its_socket(server: Server) -> None:
    socket = open_socket(server, f"{MAPS}?watch=1&timeoutSeconds=1&fieldSelector=metadata.name%3Dnone")
    assert socket.recv_data(control_frame=True) == (websocket.ABNF.OPCODE_CLOSE, b"\x03\xe8")


def test_a_client_that_says_goodbye_is_answered(server: Server) -> None:
    socket = open_socket(server, f"{MAPS}?watch=1&fieldSelector=metadata.name%3Dnone")
    socket.send_close(1001)
    assert socket.recv_data(control_frame=True) == (websocket.ABNF.OPCODE_CLOSE, b"\x03\xe9")


def test_protobuf_comes_in_binary_messages(server: Server) -> None:
    write(server, "binary")
    accept = "Accept: application/vnd.kubernetes.protobuf;stream=watch"
    socket = open_socket(server, f"{MAPS}?watch=1&fieldSelector=metadata.name%3Dbinary", header=[accept])
    kind, data = socket.recv_data()
    assert kind == websocket.ABNF.OPCODE_BINARY
    assert b"k8s\x00" in data
    assert data.count(b"binary") >= 1
    socket.close()


@pytest.mark.parametrize(
    ("options", "status", "text"),
    [
        ({"origin": "null"}, 403, b""),
        ({"suppress_origin": True}, 403, b""),
        ({"subprotocols": ["a", "b"]}, 400, b"missing or bad WebSocket-Protocol"),
    ],
)
def test_a_bad_handshake_is_refused(server: Server, options: dict[str, Any], status: int, text: bytes) -> None:
    with pytest.raises(websocket.WebSocketBadStatusException) as refused:
        open_socket(server, f"{MAPS}?watch=1", **options)
    assert (refused.value.status_code, refused.value.resp_body or b"") == (status, text)


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        ({"Sec-WebSocket-Key": "x", "Sec-WebSocket-Version": "8"}, b"missing or bad WebSocket Version"),
        ({"Sec-WebSocket-Version": "13"}, b"mismatch challenge/response"),
    ],
)
def test_without_a_key_or_a_version_there_is_no_socket(server: Server, fields: dict[str, str], text: bytes) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", server.plain_port, timeout=PATIENCE_S)
    upgrade = {"Connection": "keep-alive, Upgrade", "Upgrade": "WebSocket"}
    connection.request("GET", f"{MAPS}?watch=1", headers=upgrade | fields)
    answer = connection.getresponse()
    assert (answer.status, answer.read()) == (400, text)
    connection.close()


def test_what_is_wrong_with_a_watch_is_answered_before(server: Server) -> None:
    with pytest.raises(websocket.WebSocketBadStatusException) as refused:
        open_socket(server, f"{MAPS}?watch=1&resourceVersion=x")
    assert refused.value.status_code == 500  # as without a socket
    assert json.loads(refused.value.resp_body)["message"].startswith("resourceVersion: Invalid value")


def test_a_frame_without_a_mask_ends_the_watch(server: Server) -> None:
    socket = open_socket(server, f"{MAPS}?watch=1&fieldSelector=metadata.name%3Dnone")
    socket.sock.sendall(b"\x81\x01a")
    kind, data = socket.recv_data(control_frame=True)
    assert kind == websocket.ABNF.OPCODE_CLOSE
    assert data[:2] == b"\x03\xea"
