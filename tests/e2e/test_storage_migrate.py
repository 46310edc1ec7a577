"""`quarterdeck storage migrate`: all objects of a definition come to be stored in its storage version."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from quarterdeck.cmd import migrate
from quarterdeck.cmd.kubeconfig import load
from quarterdeck.cmd.migrate import Migration, Progress
from support import definitions
from support.golden.client import Client
from support.server import Server

pytestmark = pytest.mark.e2e

GROUP = "moving.dev"
NAME = f"things.{GROUP}"
COUNT = 25
MERGE_PATCH: dict[str, str | None] = {"Content-Type": "application/merge-patch+json"}
JSON_PATCH: dict[str, str | None] = {"Content-Type": "application/json-patch+json"}


class Moving:
    """A definition with two versions, whose objects were created when the first was the storage version."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self.call = Client("127.0.0.1", server.plain_port)

    def path(self, version: str, name: str = "") -> str:
        return f"/apis/{GROUP}/{version}/namespaces/default/things{name}"

    def define(self) -> None:
        versions = [definitions.version(name=name, is_storage=name == "v1") for name in ("v1", "v2")]
        definitions.install(self.call, definitions.of_things(GROUP, *versions))
        for number in range(COUNT):
            metadata = {"name": f"t{number:02}"}
            obj = {"apiVersion": f"{GROUP}/v1", "kind": "Thing", "metadata": metadata, "spec": {"number": number}}
            assert self.call("POST", self.path("v1"), obj).code == 201

    def store_in(self, wanted: str) -> None:
        operations = [
            {"op": "replace", "path": f"/spec/versions/{index}/storage", "value": name == wanted}
            for index, name in enumerate(("v1", "v2"))
        ]
        answer = self.call("PATCH", f"{definitions.PATH}/{NAME}", operations, JSON_PATCH)
        assert answer.code == 200, answer
        # Until it is served so: what is created is stored in the wanted version then, and a no-op writes nothing.
        probe = {"apiVersion": f"{GROUP}/{wanted}", "kind": "Thing", "metadata": {"name": "probe"}}
        while True:
            assert self.call("POST", self.path(wanted), probe).code == 201
            is_stored = not self.is_written_by_patch(wanted, "probe")
            assert self.call("DELETE", self.path(wanted, "/probe")).code == 200
            if is_stored and wanted in self.stored_versions():
                return

    def is_written_by_patch(self, version: str, name: str) -> bool:
        before = self.revision(name)
        assert self.call("PATCH", self.path(version, f"/{name}"), {}, MERGE_PATCH).code == 200
        return self.revision(name) != before

    def revision(self, name: str) -> str:
        return str(self.get(self.path("v1", f"/{name}"))["metadata"]["resourceVersion"])

    def stored_versions(self) -> list[str]:
        return list(self.get(f"{definitions.PATH}/{NAME}")["status"]["storedVersions"])

    def get(self, path: str) -> Any:
        answer = self.call("GET", path)
        assert answer.code == 200, answer
        return json.loads(answer.body)

    def migrate(self, *names: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "quarterdeck", "storage", "migrate", *names]
        command += ["--kubeconfig", str(self.server.kubeconfig)]
        return subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)


@pytest.fixture
def moving() -> Iterator[Moving]:
    with Server() as server:
        made = Moving(server)
        made.define()
        yield made


def test_all_objects_are_written_once_and_what_is_stored_is_told(moving: Moving) -> None:
    moving.store_in("v2")
    answer = moving.migrate(NAME)
    assert (answer.returncode, answer.stderr) == (0, "")
    assert f"{NAME}: {COUNT} written, 0 were up to date\n" in answer.stdout
    assert "storedVersions still says v1, v2" in answer.stdout
    assert moving.stored_versions() == ["v1", "v2"]
    assert not any(moving.is_written_by_patch("v2", f"t{number:02}") for number in range(COUNT))
    assert moving.get(moving.path("v1", "/t07"))["spec"] == {"number": 7}
    # What it says is what the server takes.
    patch = answer.stdout.rpartition("-p '")[2].rpartition("'")[0]
    address = f"{definitions.PATH}/{NAME}/status"
    assert moving.call("PATCH", address, json.loads(patch), MERGE_PATCH).code == 200
    again = moving.migrate(NAME)
    assert again.stdout.splitlines()[-1] == f"{NAME}: all objects are stored in v2"


def test_a_run_that_was_stopped_goes_on(moving: Moving, monkeypatch: pytest.MonkeyPatch) -> None:
    moving.store_in("v2")
    monkeypatch.setattr(migrate, "PAGE", 10)
    seen: list[tuple[int, int | None]] = []

    class Stopped(Exception):
        pass

    def stop(progress: Progress, left: int | None) -> None:
        seen.append((progress.rewritten, left))
        raise Stopped

    target = load(moving.server.kubeconfig)
    with pytest.raises(Stopped):
        Migration(target, NAME, stop).run()
    assert seen == [(10, 15)]
    pages: list[tuple[int, int, int | None]] = []
    again = Migration(target, NAME, lambda progress, left: pages.append((progress.rewritten, progress.unchanged, left)))
    assert again.run()
    assert pages == [(0, 10, 15), (10, 10, 5), (15, 10, None)]


def test_objects_that_go_meanwhile_and_objects_that_cannot_be_written(
    moving: Moving, monkeypatch: pytest.MonkeyPatch
) -> None:
    moving.store_in("v2")
    monkeypatch.setattr(migrate, "PAGE", 20)
    migration = Migration(load(moving.server.kubeconfig), NAME, lambda _progress, _left: None)
    rewrite = migration._rewrite

    def delete_and_rewrite(clients: Any, stage: Any, items: Any) -> None:
        moving.call("DELETE", moving.path("v1", "/t03"))
        items[-1]["metadata"]["name"] = "Not-A-Name%"  # an address that the server refuses
        rewrite(clients, stage, items)

    monkeypatch.setattr(migration, "_rewrite", delete_and_rewrite)
    assert not migration.run()
    progress = migration.progress
    assert (progress.gone, progress.failed, progress.seen) == (1, 4, COUNT)
    assert all(line.startswith("default/Not-A-Name%: 400 ") for line in progress.failures)


def test_what_is_no_definition(moving: Moving) -> None:
    answer = moving.migrate("nothing.example.com")
    assert answer.returncode == 1
    assert answer.stderr.startswith("quarterdeck: error: ")
    assert "404" in answer.stderr
    assert answer.stderr.count("\n") == 1
