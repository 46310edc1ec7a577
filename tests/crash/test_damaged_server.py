"""A server that was killed, and whose files were damaged before it is started again: nothing is lost without a word.

Either it refuses to start (exit code 4, one line), or all that was acknowledged is served as it was, or what cannot be
read answers 5xx and /readyz and /metrics tell of it. Whatever was damaged, nothing shows that never was, and no
revision is given twice.
"""

from __future__ import annotations

import json
import random
import re
import shutil
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from support import definitions
from support.golden.client import Answer, Client
from support.server import NotStarted, Server

pytestmark = pytest.mark.crash

EXIT_DATA = 4
GROUP = "damaged.example.com"
DEFINITION = f"{definitions.PATH}/things.{GROUP}"
NAMESPACE = "/api/v1/namespaces/kept"
CONFIGMAPS = f"{NAMESPACE}/configmaps"
SERVICES = f"{NAMESPACE}/services"
THINGS = f"/apis/{GROUP}/v1/namespaces/kept/things"
LISTS = (CONFIGMAPS, SERVICES, THINGS, f"{NAMESPACE}/secrets")
PAGE_BYTES = 4096
FLIPS = (2, pytest.param(100, marks=[pytest.mark.slow, pytest.mark.timeout(1800)]))
REASONS = ("InternalError", "StorageReadError", "ServiceUnavailable")
DAMAGED = re.compile(r"^quarterdeck_storage_damaged_records (\d+)$", re.MULTILINE)

Object = dict[str, Any]


@dataclass
class Acknowledged:
    """`objects`: path → the object. `gone`: paths of what was deleted. `lists`: path → items, some of them at a
    revision of the past. `revision`: the highest that was told."""

    folder: Path
    objects: dict[str, Object] = field(default_factory=dict)
    gone: list[str] = field(default_factory=list)
    lists: dict[str, list[Object]] = field(default_factory=dict)
    revision: int = 0

    def write(self, call: Client, method: str, path: str, body: Object | None = None) -> None:
        answer = call(method, path, body)
        assert answer.code in (200, 201), answer.text
        shown = json.loads(answer.body)
        if method == "DELETE":
            del self.objects[path]
            self.gone.append(path)
            return
        address = path if method == "PUT" else f"{path}/{shown['metadata']['name']}"
        self.objects[address] = shown
        self.revision = max(self.revision, int(shown["metadata"]["resourceVersion"]))

    def note(self, call: Client, path: str) -> None:
        answer = call("GET", path)
        assert answer.code == 200, answer.text
        self.lists[path] = json.loads(answer.body)["items"]


def configmap(number: int, step: int) -> Object:
    metadata = {"name": f"c{number}", "labels": {"step": str(step)}}
    return {"metadata": metadata, "data": {"number": str(number), "filling": f"{number}-{step} " * 150}}


def thing(number: int, step: int) -> Object:
    spec = {"step": step, "filling": f"{number}-{step} " * 100}
    return {"apiVersion": f"{GROUP}/v1", "kind": "Thing", "metadata": {"name": f"t{number}"}, "spec": spec}


def begin(known: Acknowledged, call: Client) -> None:
    """What lies in the database: the server is stopped after it."""
    definitions.install(call, definitions.of_things(GROUP))
    known.write(call, "POST", "/api/v1/namespaces", {"metadata": {"name": "kept"}})
    for number in range(30):
        known.write(call, "POST", CONFIGMAPS, configmap(number, 0))
        known.write(call, "POST", THINGS, thing(number, 0))
    for number in range(10):
        service = {"metadata": {"name": f"s{number}"}, "spec": {"ports": [{"port": 80}]}}
        known.write(call, "POST", SERVICES, service)


def go_on(known: Acknowledged, call: Client) -> None:
    """What lies in the log: the server is killed after it."""
    for number in range(10):
        known.write(call, "PUT", f"{CONFIGMAPS}/c{number}", configmap(number, 1))
        known.write(call, "PUT", f"{THINGS}/t{number}", {**live(call, number), "spec": thing(number, 1)["spec"]})
    for path in LISTS:
        known.note(call, f"{path}?resourceVersion={known.revision}&resourceVersionMatch=Exact")
    for number in range(10, 20):
        known.write(call, "DELETE", f"{CONFIGMAPS}/c{number}")
        known.write(call, "DELETE", f"{THINGS}/t{number}")
    for number in range(30, 40):
        known.write(call, "POST", CONFIGMAPS, configmap(number, 2))
    for path in LISTS:
        known.note(call, path)
    known.objects[DEFINITION] = json.loads(call("GET", DEFINITION).body)


def live(call: Client, number: int) -> Object:
    found: Object = json.loads(call("GET", f"{THINGS}/t{number}").body)
    return found


@pytest.fixture(scope="module")
def killed(tmp_path_factory: pytest.TempPathFactory) -> Acknowledged:
    known = Acknowledged(tmp_path_factory.mktemp("killed") / "data")
    with Server(known.folder) as server:
        begin(known, Client("127.0.0.1", server.plain_port))
        assert server.terminate() == 0
        server.start()
        go_on(known, Client("127.0.0.1", server.plain_port))
        server.kill()
    return known


def is_told(answer: Answer) -> bool:
    assert "panic" not in answer.text
    return answer.code in (500, 503) and json.loads(answer.body)["reason"] in REASONS


def judge(known: Acknowledged, call: Client) -> bool:
    """Whether everything is served. Fails for what is missing, wrong or brought back without a word."""
    told: list[str] = []
    for path, obj in known.objects.items():
        answer = call("GET", path)
        if is_told(answer):
            told.append(path)
        else:
            assert (answer.code, json.loads(answer.body)) == (200, obj), path
    for path in known.gone:
        answer = call("GET", path)
        assert answer.code == 404 or is_told(answer), path
    for path, items in known.lists.items():
        answer = call("GET", path)
        if is_told(answer) or answer.code == 410:
            told.append(path)
        else:
            assert (answer.code, json.loads(answer.body).get("items")) == (200, items), path
    if any(path in known.objects for path in told):
        count = DAMAGED.search(call("GET", "/metrics").text)
        assert count is not None
        assert int(count[1]) > 0
        assert "stored records are damaged" in call("GET", "/readyz?verbose").text
    new = call("POST", "/api/v1/namespaces/default/configmaps", {"metadata": {"generateName": "new-"}})
    if new.code == 201:
        assert int(json.loads(new.body)["metadata"]["resourceVersion"]) > known.revision
    else:
        assert is_told(new), new.text
    return not told


def start_again(known: Acknowledged, folder: Path, damage: Callable[[Path], None]) -> str:
    """What came of it: "whole", "told" or "refused"."""
    data = folder / "data"
    shutil.copytree(known.folder, data)
    damage(data)
    try:
        with Server(data) as server:
            try:
                is_whole = judge(known, Client("127.0.0.1", server.plain_port))
            finally:
                assert "Traceback" not in server.log(), server.log()
            server.kill()
    except NotStarted as refusal:
        assert refusal.code == EXIT_DATA, refusal.text
        assert "Traceback" not in refusal.text
        assert refusal.text.splitlines()[-1].startswith("quarterdeck: error: "), refusal.text
        return "refused"
    finally:
        shutil.rmtree(data)
    return "whole" if is_whole else "told"


def flip(choose: random.Random, path: Path) -> None:
    content = bytearray(path.read_bytes())
    bit = choose.randrange(len(content) * 8)
    content[bit // 8] ^= 1 << bit % 8
    path.write_bytes(content)


def test_a_kill_loses_nothing(killed: Acknowledged, tmp_path: Path) -> None:
    assert start_again(killed, tmp_path, lambda _: None) == "whole"


@pytest.mark.parametrize("flips", FLIPS)
@pytest.mark.parametrize("name", ["store.db", "store.db-wal", "store.db-mark"])
def test_a_flipped_bit(killed: Acknowledged, tmp_path: Path, name: str, flips: int) -> None:
    choose = random.Random(f"{name} {flips}")
    outcomes = [start_again(killed, tmp_path, lambda data: flip(choose, data / name)) for _ in range(flips)]
    print({outcome: outcomes.count(outcome) for outcome in sorted(set(outcomes))})


def cut(path: Path, share: float) -> None:
    content = path.read_bytes()
    path.write_bytes(content[: int(len(content) * share)])


def clear_page(path: Path, number: int) -> None:
    content = bytearray(path.read_bytes())
    assert len(content) >= (number + 1) * PAGE_BYTES
    content[number * PAGE_BYTES : (number + 1) * PAGE_BYTES] = bytes(PAGE_BYTES)
    path.write_bytes(content)


@pytest.mark.parametrize(
    ("damage", "outcomes"),
    [
        (lambda data: cut(data / "store.db-wal", 0.5), ["refused"]),
        (lambda data: (data / "store.db-wal").unlink(), ["refused"]),
        (lambda data: (data / "store.db-wal").write_bytes(b""), ["refused"]),
        (lambda data: (data / "store.db").write_bytes(b""), ["refused"]),
        (lambda data: (data / "store.db").unlink(), ["refused"]),
        (lambda data: cut(data / "store.db", 0.5), ["refused"]),
        (lambda data: clear_page(data / "store.db", 0), ["refused", "whole"]),
        (lambda data: clear_page(data / "store.db", 5), ["refused", "told", "whole"]),
        (lambda data: clear_page(data / "store.db-wal", 3), ["refused"]),
        (lambda data: (data / "store.db-mark").write_bytes(b""), ["whole"]),
        (lambda data: (data / "store.db-mark").write_bytes(b"x" * PAGE_BYTES), ["whole"]),
        (lambda data: (data / "store.db-mark").unlink(), ["whole"]),
    ],
    ids=[
        "a log cut off",
        "no log",
        "an empty log",
        "an empty database",
        "no database",
        "a database cut off",
        "the first page cleared",
        "another page cleared",
        "a page of the log cleared",
        "an empty mark",
        "a mark of garbage",
        "no mark",
    ],
)
def test_a_damaged_file(
    killed: Acknowledged, tmp_path: Path, damage: Callable[[Path], None], outcomes: list[str]
) -> None:
    assert start_again(killed, tmp_path, damage) in outcomes
