"""kill -9 of the server between the steps of what controllers do: definitions that come and go, namespaces that go.

After a restart everything ends as if nothing had happened: what was asked for is established and served, what was
deleted is gone with all its objects, and nothing of it is left in discovery or among the APIServices.
"""

from __future__ import annotations

import contextlib
import http.client
import json
import random
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from support.golden.client import Client
from support.server import Server
from support.waiting import PATIENCE_S, wait_for

pytestmark = [pytest.mark.crash, pytest.mark.timeout(1200)]

DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
API_SERVICES = "/apis/apiregistration.k8s.io/v1/apiservices"
OBJECTS = 30
SETTLE_S = 120.0
# The steps of a creation or a deletion follow one another within some ten milliseconds.
LIFE_MAX_S = 0.06


def build_definition(group: str) -> dict[str, Any]:
    schema = {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"things.{group}"},
        "spec": {
            "group": group,
            "scope": "Namespaced",
            "names": {"plural": "things", "kind": "Thing", "shortNames": ["th"]},
            "versions": [{"name": "v1", "served": True, "storage": True, "schema": schema}],
        },
    }


class Machine:
    """A server that dies again and again. `send` gives None where there was no answer."""

    def __init__(self, data_dir: Path, seed: int) -> None:
        self.dice = random.Random(seed)
        self.server = Server(data_dir)

    @property
    def client(self) -> Client:
        return Client("127.0.0.1", self.server.plain_port)

    def get(self, path: str) -> tuple[int, Any]:
        answer = self.client("GET", path)
        return answer.code, json.loads(answer.body) if answer.body.startswith(b"{") else None

    def create(self, path: str, obj: dict[str, Any]) -> None:
        answer = self.client("POST", path, obj)
        assert answer.code in (201, 409), answer.text

    def kill_while(self, act: Callable[[Client], object]) -> None:
        """Ask for something, and end the process soon after the request is on its way; then start it again."""
        client = self.client

        def send() -> None:
            with contextlib.suppress(OSError, http.client.HTTPException, ValueError):
                act(client)

        sender = threading.Thread(target=send, daemon=True)
        sender.start()
        time.sleep(self.dice.uniform(0, LIFE_MAX_S))
        self.server.kill()
        sender.join(timeout=PATIENCE_S)
        self.server.start()

    def kill_again(self, times: int) -> None:
        """The work that is taken up at a start is cut short as well."""
        for _ in range(times):
            time.sleep(self.dice.uniform(0, LIFE_MAX_S))
            self.server.kill()
            self.server.start()

    def settle(self, is_done: Callable[[], bool], what: str) -> None:
        wait_for(is_done, lambda: f"{what} does not come to its end", patience_s=SETTLE_S)


def is_established(machine: Machine, group: str) -> bool:
    code, definition = machine.get(f"{DEFINITIONS}/things.{group}")
    if code != 200:
        return False
    found = {one["type"]: one["status"] for one in definition["status"]["conditions"] or ()}
    return found == {"NamesAccepted": "True", "Established": "True"} and "Terminating" not in found


def check_definition_is_there(machine: Machine, group: str) -> None:
    machine.settle(lambda: is_established(machine, group), "the creation of a definition")
    _, definition = machine.get(f"{DEFINITIONS}/things.{group}")
    assert definition["status"]["acceptedNames"] == definition["spec"]["names"]
    assert machine.get(f"/apis/{group}/v1/things")[0] == 200
    assert [one["name"] for one in machine.get(f"/apis/{group}/v1")[1]["resources"]] == ["things"]
    machine.settle(lambda: machine.get(f"{API_SERVICES}/v1.{group}")[0] == 200, "its APIService")


def check_definition_is_gone(machine: Machine, group: str) -> None:
    machine.settle(lambda: machine.get(f"{DEFINITIONS}/things.{group}")[0] == 404, "the deletion of a definition")
    for path in (f"/apis/{group}/v1/things", f"/apis/{group}/v1", f"/apis/{group}"):
        assert machine.get(path)[0] == 404
    machine.settle(lambda: machine.get(f"{API_SERVICES}/v1.{group}")[0] == 404, "its APIService")


def check_namespace_is_gone(machine: Machine, group: str, namespace: str) -> None:
    machine.settle(lambda: machine.get(f"/api/v1/namespaces/{namespace}")[0] == 404, "the deletion of a namespace")
    for path in (f"/apis/{group}/v1/namespaces/{namespace}/things", f"/api/v1/namespaces/{namespace}/configmaps"):
        assert machine.get(path)[1]["items"] == []


def fill(machine: Machine, group: str, namespace: str) -> None:
    machine.create("/api/v1/namespaces", {"metadata": {"name": namespace}})
    for number in range(OBJECTS):
        thing = {"apiVersion": f"{group}/v1", "kind": "Thing", "metadata": {"name": f"t{number}"}}
        machine.create(f"/apis/{group}/v1/namespaces/{namespace}/things", thing)
        machine.create(f"/api/v1/namespaces/{namespace}/configmaps", {"metadata": {"name": f"c{number}"}})


def run_round(machine: Machine, number: int) -> None:
    """A definition comes, a namespace with its objects goes, the definition goes with the others."""
    group, doomed, kept = f"crash{number}.example.com", f"doomed-{number}", f"kept-{number}"
    definition = build_definition(group)
    machine.kill_while(lambda client: client("POST", DEFINITIONS, definition))
    machine.kill_again(machine.dice.randrange(2))
    machine.create(DEFINITIONS, definition)  # unless it was durable
    check_definition_is_there(machine, group)
    for namespace in (doomed, kept):
        fill(machine, group, namespace)

    path = f"/api/v1/namespaces/{doomed}"
    machine.kill_while(lambda client: client("DELETE", path))
    machine.kill_again(machine.dice.randrange(2))
    machine.client("DELETE", path)
    check_namespace_is_gone(machine, group, doomed)
    assert len(machine.get(f"/apis/{group}/v1/things")[1]["items"]) == OBJECTS

    path = f"{DEFINITIONS}/things.{group}"
    machine.kill_while(lambda client: client("DELETE", path))
    machine.kill_again(machine.dice.randrange(2))
    machine.client("DELETE", path)
    check_definition_is_gone(machine, group)
    # Nothing of the old objects may come back with a new definition of the same name.
    machine.create(DEFINITIONS, definition)
    check_definition_is_there(machine, group)
    assert machine.get(f"/apis/{group}/v1/things")[1]["items"] == []


def run_rounds(rounds: int, data_dir: Path, seed: int) -> None:
    print(f"seed {seed}")
    machine = Machine(data_dir, seed)
    try:
        for number in range(rounds):
            run_round(machine, number)
    finally:
        machine.server.stop()


def test_controllers_finish_what_a_kill_interrupted(tmp_path: Path) -> None:
    run_rounds(2, tmp_path / "data", seed=1)


@pytest.mark.slow
def test_controllers_finish_what_fifty_rounds_of_kills_interrupted(tmp_path: Path) -> None:
    run_rounds(50, tmp_path / "data", seed=time.time_ns() % 1_000_000)
