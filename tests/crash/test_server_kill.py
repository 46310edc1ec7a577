"""kill -9 of the whole server under eight writers: what was acknowledged is there, whole, and revisions only rise."""

from __future__ import annotations

import contextlib
import http.client
import json
import random
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from support import definitions
from support.golden.client import Client
from support.server import Server
from support.waiting import PATIENCE_S

pytestmark = [pytest.mark.crash, pytest.mark.timeout(900)]

WRITERS = 8
GROUP = "crash.example.com"
BASE = f"/apis/{GROUP}/v1/namespaces/default/things"
FILLING = "x" * 1000


class Writer(threading.Thread):
    """Owns its objects, so that it knows what each has to be. `expected`: name → the acknowledged step, None when the
    deletion was acknowledged; `unknown`: names whose last write was not answered."""

    def __init__(self, number: int, port: int, expected: dict[str, int | None]) -> None:
        super().__init__(daemon=True)
        self._number, self._client = number, Client("127.0.0.1", port)
        self.expected = expected
        self.unknown: dict[str, int | None] = {}
        self.revision_max = 0
        self.problems: list[str] = []

    def run(self) -> None:
        dice = random.Random(self._number)
        # The server goes away in the middle of a request: that is the point.
        with contextlib.suppress(OSError, http.client.HTTPException, ValueError):
            while True:
                name = f"w{self._number}-{dice.randrange(20)}"
                step = self.expected.get(name)
                if step is None:
                    self._write(name, 1, "POST", BASE)
                elif dice.random() < 0.2:
                    self._remove(name)
                else:
                    self._write(name, step + 1, "PUT", f"{BASE}/{name}")

    def _write(self, name: str, step: int, method: str, path: str) -> None:
        obj: dict[str, Any] = {
            "apiVersion": f"{GROUP}/v1",
            "kind": "Thing",
            "metadata": {"name": name},
            "spec": {"step": step, "filling": FILLING, "end": step},
        }
        if method == "PUT":
            current = json.loads(self._client("GET", path).body)
            obj["metadata"]["resourceVersion"] = current["metadata"]["resourceVersion"]
        self.unknown[name] = step
        answer = self._client(method, path, obj)
        if answer.code not in (200, 201):
            self.problems.append(f"{method} {name}: {answer.code} {answer.text[:200]}")
            raise ValueError(name)
        self.expected[name] = step
        del self.unknown[name]
        self.revision_max = max(self.revision_max, int(json.loads(answer.body)["metadata"]["resourceVersion"]))

    def _remove(self, name: str) -> None:
        self.unknown[name] = None
        if self._client("DELETE", f"{BASE}/{name}").code == 200:
            self.expected[name] = None
            del self.unknown[name]


def check(client: Client, writers: list[Writer]) -> int:
    """What the restarted server shows against what was acknowledged; its revision."""
    listing = json.loads(client("GET", BASE).body)
    found = {obj["metadata"]["name"]: obj for obj in listing["items"]}
    for obj in found.values():
        assert obj["spec"]["step"] == obj["spec"]["end"], "half an object"
        assert obj["spec"]["filling"] == FILLING, "half an object"
    for writer in writers:
        assert not writer.problems
        for name, step in writer.expected.items():
            actual = found.get(name, {}).get("spec", {}).get("step")
            allowed = {step, writer.unknown[name]} if name in writer.unknown else {step}
            assert actual in allowed, f"{name}: acknowledged {step}, found {actual}"
            writer.expected[name] = actual
        for name, step in writer.unknown.items():
            actual = found.get(name, {}).get("spec", {}).get("step")
            assert actual in (step, writer.expected.get(name)), f"{name}: neither before nor after the write"
            writer.expected[name] = actual
    return int(listing["metadata"]["resourceVersion"])


def run_rounds(rounds: int, data_dir: Path) -> int:
    """The number of acknowledged writes that were checked."""
    acknowledged = 0
    expected: list[dict[str, int | None]] = [{} for _ in range(WRITERS)]
    server = Server(data_dir)
    try:
        definitions.install(Client("127.0.0.1", server.plain_port), definitions.of_things(GROUP))
        dice = random.Random(rounds)
        for _ in range(rounds):
            writers = [Writer(number, server.plain_port, expected[number]) for number in range(WRITERS)]
            for writer in writers:
                writer.start()
            time.sleep(dice.uniform(0.1, 0.6))
            server.kill()
            for writer in writers:
                writer.join(timeout=PATIENCE_S)
            acknowledged += sum(len(writer.expected) for writer in writers)
            server.start()
            revision = check(Client("127.0.0.1", server.plain_port), writers)
            assert revision >= max(writer.revision_max for writer in writers), "a revision was lost"
    finally:
        server.stop()
    return acknowledged


def test_server_keeps_what_it_acknowledged(tmp_path: Path) -> None:
    assert run_rounds(5, tmp_path / "data") > 0


@pytest.mark.slow
def test_server_keeps_what_it_acknowledged_fifty_times(tmp_path: Path) -> None:
    assert run_rounds(50, tmp_path / "data") > 0
