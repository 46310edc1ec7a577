"""A real server sends its events to another one."""

from __future__ import annotations

import http.client
import json
import queue
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest

from support.server import NotStarted, Server
from support.waiting import PATIENCE_S

pytestmark = pytest.mark.e2e

POLICY = "apiVersion: audit.k8s.io/v1\nkind: Policy\nomitStages: [RequestReceived]\nrules: [{level: Metadata}]\n"
PATH = "/api/v1/namespaces/default"


class Sink:
    """Keeps what it gets; `failing` calls are answered 503 first."""

    def __init__(self) -> None:
        self.got: queue.Queue[tuple[str, str | None, Any]] = queue.Queue()
        self.failing = 0
        sink = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                sink.failing -= 1
                if sink.failing < 0:  # kept first: whoever is answered may look at once
                    sink.got.put((self.path, self.headers["Authorization"], json.loads(body)))
                self.send_response(503 if sink.failing >= 0 else 200)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_: object) -> None: ...

        self.server = HTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()


@pytest.fixture
def sink() -> Iterator[Sink]:
    made = Sink()
    yield made
    made.close()


def flags(folder: Path, sink: Sink, mode: str) -> list[str]:
    (folder / "policy.yaml").write_text(POLICY)
    config = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": "c", "cluster": {"server": f"http://127.0.0.1:{sink.server.server_port}/events"}}],
        "users": [{"name": "u", "user": {"token": "secret"}}],
        "contexts": [{"name": "x", "context": {"cluster": "c", "user": "u"}}],
        "current-context": "x",
    }
    (folder / "webhook.json").write_text(json.dumps(config))
    return [
        f"--audit-policy-file={folder}/policy.yaml",
        f"--audit-webhook-config-file={folder}/webhook.json",
        f"--audit-webhook-mode={mode}",
        "--audit-webhook-initial-backoff=10ms",
        "--audit-webhook-batch-max-wait=50ms",
    ]


def get(server: Server) -> int:
    connection = http.client.HTTPConnection("127.0.0.1", server.plain_port, timeout=PATIENCE_S)
    connection.request("GET", PATH)
    response = connection.getresponse()
    response.read()
    connection.close()
    return response.status


def test_batches_of_events_are_sent_and_repeated(tmp_path: Path, sink: Sink) -> None:
    sink.failing = 1
    with Server(None, *flags(tmp_path, sink, "batch")) as server:
        assert get(server) == 200
        path, authorization, body = sink.got.get(timeout=PATIENCE_S)
        assert (path, authorization) == ("/events?timeout=30s", None), "nobody's secret goes over plain HTTP"
        assert (body["kind"], body["apiVersion"]) == ("EventList", "audit.k8s.io/v1")
        assert [event["requestURI"] for event in body["items"]] == [PATH]
        assert "kind" not in body["items"][0]
        get(server)
    assert sink.got.get(timeout=PATIENCE_S)[2]["items"]  # what waits when the server ends is sent


def test_a_request_waits_for_its_event(tmp_path: Path, sink: Sink) -> None:
    with Server(None, *flags(tmp_path, sink, "blocking")) as server:
        assert get(server) == 200
        assert sink.got.get_nowait()[2]["items"][0]["requestURI"] == PATH


def test_a_webhook_that_cannot_be_read_prevents_the_start(tmp_path: Path, sink: Sink) -> None:
    given = flags(tmp_path, sink, "batch")
    (tmp_path / "webhook.json").write_text("{}")
    with pytest.raises(NotStarted) as failed:
        Server(None, *given)
    assert "initializing audit webhook: " in failed.value.text
