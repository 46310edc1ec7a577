"""Every bomb of the table is answered, none is a bug, memory stays bounded, and the server lives on.

How long others wait meanwhile is measured, not tested: tests/adversary/measure.py prints it.
"""

from __future__ import annotations

import pytest

from support import bombs, definitions
from support.bombs_aftermath import WITHOUT_HISTORIES, resident_bytes
from support.golden.client import Client
from support.server import Server

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(900)]

# Upstream's own answers 500, to what clients do: a value that cannot be stored, a text that is no revision, and fields
# of an applied object that no schema declares or lists that are none of their kind.
_TOLD_AS_500 = (
    b"etcdserver: request is too large",
    b'"message":"resourceVersion: Invalid value: ',
    b"field not declared in schema",
    b"duplicate entries for key",
)
_VERSION_NOT_SUPPORTED = 505
# A fresh server takes 65 MiB; the allocator keeps what the largest requests took, and a few large objects stay stored.
_RESIDENT_BYTES_MAX = 512 << 20


def is_answered(bomb: bombs.Bomb, answer: bombs.Answer) -> bool:
    if bomb.raw is not None:  # what is no HTTP may be left without an answer
        return answer.status < 500 or answer.status == _VERSION_NOT_SUPPORTED
    if answer.status == 500:
        return any(words in answer.body for words in _TOLD_AS_500)
    return 200 <= answer.status < 500


def test_no_bomb_harms_the_server() -> None:
    with Server(None, WITHOUT_HISTORIES) as server:
        client = Client("127.0.0.1", server.plain_port)
        for definition in bombs.definitions():
            definitions.install(client, definition)
        wrong: dict[str, bombs.Answer] = {}
        for bomb in bombs.table():
            answer = bomb.send(server.plain_port)
            if not is_answered(bomb, answer):
                wrong[bomb.name] = answer
            if bomb.method == "POST" and answer.status == 201 and "target" not in bomb.name:
                _remove_created(client, bomb.path)
        assert not wrong
        log = server.log()
        assert "panic" not in log
        assert "Traceback" not in log, log[log.index("Traceback") - 200 :][:3000]
        assert client("GET", "/livez").code == 200
        assert resident_bytes(client) < _RESIDENT_BYTES_MAX


def _remove_created(client: Client, path: str) -> None:
    collection = path.partition("?")[0]
    if "dryRun" in path or collection.endswith("customresourcedefinitions"):
        return
    selector = "fieldSelector=metadata.name!=list,metadata.name!=target,metadata.name!=wide,metadata.name!=kubernetes"
    client("DELETE", f"{collection}?{selector}")
