"""Every bomb of the table is answered, none is a bug, none is left in memory, and the server lives on.

How long others wait meanwhile is measured, not tested: tests/adversary/measure.py prints it.
"""

from __future__ import annotations

import http.client

import pytest

from support import bombs, definitions
from support.golden.client import Client
from support.server import Server

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(900)]

# Upstream's own answers without a reason: a value that cannot be stored, and a text that is no revision.
_TOLD_AS_500 = ("etcdserver: request is too large", "strconv.ParseUint", "field not declared in schema")
# What watches may still ask for: the histories of the resources keep the bytes of what was written and deleted.
_HISTORIES_BYTES = 256 << 20
_SLACK_BYTES = 64 << 20


def resident_bytes(client: Client) -> float:
    for line in client("GET", "/metrics").text.splitlines():
        if line.startswith("process_resident_memory_bytes "):
            return float(line.split(" ")[1])
    raise AssertionError("the metric is missing")


def test_no_bomb_harms_the_server() -> None:
    with Server(None) as server:
        client = Client("127.0.0.1", server.plain_port)
        for definition in bombs.definitions():
            definitions.install(client, definition)
        before = resident_bytes(client)
        statuses: dict[str, int] = {}
        for bomb in bombs.table():
            statuses[bomb.name] = bomb.send(server.plain_port)
            if bomb.method == "POST" and statuses[bomb.name] == 201 and "target" not in bomb.name:
                _remove_created(client, bomb.path)
        log = server.log()
        assert "panic" not in log
        assert "Traceback" not in log, log[log.index("Traceback") - 200 :][:3000]
        wrong = {name: status for name, status in statuses.items() if status >= 501 and status != 504}
        assert not {name: status for name, status in wrong.items() if not name.startswith("connection/")}
        unanswered = [name for name, status in statuses.items() if not status and not name.startswith("connection/")]
        assert not unanswered
        assert client("GET", "/livez").code == 200
        assert resident_bytes(client) < before * 2 + _HISTORIES_BYTES + _SLACK_BYTES


def _remove_created(client: Client, path: str) -> None:
    collection = path.partition("?")[0]
    if "dryRun" in path or collection.endswith("customresourcedefinitions"):
        return
    selector = "fieldSelector=metadata.name!=list,metadata.name!=target,metadata.name!=wide,metadata.name!=kubernetes"
    try:
        client("DELETE", f"{collection}?{selector}")
    except http.client.HTTPException:
        pass
