"""A body in chunks that breaks off in a mistake: no verb does anything with the part that came."""

from __future__ import annotations

import http.client
import json
from collections.abc import Iterator

import pytest

from support.server import Server
from support.waiting import PATIENCE_S

pytestmark = pytest.mark.e2e

CONFIG_MAPS = "/api/v1/namespaces/default/configmaps"
PODS = "/api/v1/namespaces/default/pods"
FAULT = "invalid byte in chunk length"


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with Server() as made:
        yield made


def ask(server: Server, method: str, path: str, body: bytes | None = None, **headers: str) -> tuple[int, bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", server.plain_port, timeout=PATIENCE_S)
    try:
        sent = {"Content-Type": "application/json"} | {name.replace("_", "-"): text for name, text in headers.items()}
        connection.request(method, path, body, sent)
        response = connection.getresponse()
        return response.status, response.read()
    finally:
        connection.close()


@pytest.mark.parametrize(
    ("method", "path", "content_type", "begin"),
    [
        ("POST", CONFIG_MAPS, "application/json", b'{"metadata":{"name":"b"}}'),
        ("PUT", f"{CONFIG_MAPS}/a", "application/json", b'{"metadata":{"name":"a"}}'),
        ("PATCH", f"{CONFIG_MAPS}/a", "application/merge-patch+json", b'{"data":null}'),
        ("PATCH", f"{CONFIG_MAPS}/a?fieldManager=m", "application/apply-patch+yaml", b"{}"),
        ("DELETE", f"{CONFIG_MAPS}/a", "application/json", b"{}"),
        ("DELETE", CONFIG_MAPS, "application/json", b"{}"),
        ("POST", f"{PODS}/p/eviction", "application/json", b'{"metadata":{"name":"p"}}'),
        ("POST", f"{PODS}/p/binding", "application/json", b'{"metadata":{"name":"p"},"target":{"name":"n"}}'),
        ("PATCH", "/apis/apps/v1/namespaces/default/deployments/d/scale", "application/merge-patch+json", b"{}"),
        ("POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews", "application/json", b"{}"),
    ],
)
@pytest.mark.parametrize("is_begun", [True, False])
def test_nothing_is_done(
    server: Server, method: str, path: str, content_type: str, begin: bytes, is_begun: bool
) -> None:
    ask(server, "POST", CONFIG_MAPS, b'{"metadata":{"name":"a"},"data":{"k":"v"}}')
    before = ask(server, "GET", CONFIG_MAPS)[1]
    body = (b"%x\r\n%s\r\n" % (len(begin), begin) if is_begun else b"") + b"zz\r\n"
    status, answer = ask(server, method, path, body, Content_Type=content_type, Transfer_Encoding="chunked")
    assert (status, json.loads(answer)["message"]) == (500, FAULT)
    after = ask(server, "GET", CONFIG_MAPS)[1]
    assert json.loads(after)["items"] == json.loads(before)["items"]
