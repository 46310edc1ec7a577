"""What the flags about watches do to a real server."""

from __future__ import annotations

import http.client
import json
import time

import pytest

from support.server import Server
from support.waiting import PATIENCE_S

pytestmark = pytest.mark.e2e

CONFIGMAPS = "/api/v1/namespaces/default/configmaps"


def call(server: Server, method: str, path: str, body: object = None) -> tuple[int, bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", server.plain_port, timeout=PATIENCE_S)
    try:
        data = json.dumps(body) if body is not None else None
        connection.request(method, path, data, {"Content-Type": "application/json"})
        response = connection.getresponse()
        return response.status, response.read()
    finally:
        connection.close()


def make(server: Server, name: str) -> str:
    """The revision of a new object."""
    metadata = {"name": name}
    status, body = call(server, "POST", CONFIGMAPS, {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata})
    assert status == 201, body
    return str(json.loads(body)["metadata"]["resourceVersion"])


def names_of(body: bytes) -> list[str]:
    return [json.loads(line)["object"]["metadata"]["name"] for line in body.splitlines()]


def test_a_watch_without_a_timeout_lasts_the_minimum_at_least() -> None:
    """And twice that at the most, which the handler's own test holds: here a busy machine may take longer."""
    with Server(None, "--min-request-timeout=1") as server:
        begin = time.monotonic()
        status, body = call(server, "GET", f"{CONFIGMAPS}?watch=true&resourceVersion=0")
        assert (status, body) == (200, b"")
        assert time.monotonic() - begin >= 1.0


def test_a_watch_whose_timeout_has_passed_tells_nothing() -> None:
    with Server() as server:
        made = make(server, "a")
        for revision in ("", "0", made, str(int(made) - 1)):
            path = f"{CONFIGMAPS}?watch=true&timeoutSeconds=-1&resourceVersion={revision}"
            assert call(server, "GET", path) == (200, b"")
        assert call(server, "GET", f"{CONFIGMAPS}?watch=true&timeoutSeconds=-1&resourceVersion=x")[0] == 500
        assert call(server, "GET", f"{CONFIGMAPS}?watch=true&timeoutSeconds=1&resourceVersion=0")[1]


def test_without_windows_watches_resume_from_the_store() -> None:
    with Server(None, "--default-watch-cache-size=0", "--watch-cache-sizes=secrets#10") as server:
        first = make(server, "a")
        make(server, "b")
        make(server, "c")
        status, body = call(server, "GET", f"{CONFIGMAPS}?watch=true&resourceVersion={first}&timeoutSeconds=1")
        assert status == 200
        assert names_of(body) == ["b", "c"]
