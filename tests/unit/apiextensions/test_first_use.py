"""What is compiled of a large schema at its first use is compiled beside the event loop."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path
from typing import Any

import pytest

from quarterdeck.apiextensions import build
from quarterdeck.apiextensions.rules import Rules
from quarterdeck.schema import engine
from support import in_process

_GROUP = "large.example.com"


def define(fields: int) -> dict[str, Any]:
    text = {"type": "string", "maxLength": 63, "description": "What this field of the object is there for."}
    spec = {
        "type": "object",
        "properties": {f"field{number}": text for number in range(fields)},
        "x-kubernetes-validations": [{"rule": "!has(self.field0) || self.field0 != 'no'"}],
    }
    schema = {"type": "object", "properties": {"spec": spec}}
    version = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}
    names = {"plural": f"with{fields}s", "singular": f"with{fields}", "kind": f"With{fields}"}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"with{fields}s.{_GROUP}"},
        "spec": {"group": _GROUP, "scope": "Namespaced", "names": names, "versions": [version]},
    }


@pytest.fixture
def threads(monkeypatch: pytest.MonkeyPatch) -> dict[str, list[int]]:
    """The threads in which schemas, rules and types are read."""
    found: dict[str, list[int]] = {"schema": [], "rules": [], "types": []}

    def note(owner: Any, name: str, what: str) -> None:
        real = getattr(owner, name)

        def noting(*arguments: Any) -> Any:
            found[what].append(threading.get_ident())
            return real(*arguments)

        monkeypatch.setattr(owner, name, noting)

    note(engine, "_compile", "schema")
    note(build, "_read_types", "types")
    monkeypatch.setattr("quarterdeck.apiextensions.schemas.Rules", _noting_rules(found["rules"]))
    return found


def _noting_rules(found: list[int]) -> Any:
    def make(*arguments: Any) -> Rules:
        found.append(threading.get_ident())
        return Rules(*arguments)

    return make


@pytest.mark.parametrize(("fields", "is_aside"), [(500, True), (3, False)])
def test_the_first_write_reads_a_large_schema_aside(
    fields: int, is_aside: bool, threads: dict[str, list[int]], tmp_path: Path
) -> None:
    collection = f"/apis/{_GROUP}/v1/namespaces/default/with{fields}s"

    async def write() -> list[int]:
        async with in_process.running(tmp_path) as server:
            await server.define(define(fields))
            for noted in threads.values():
                noted.clear()
            statuses = []
            for name, value in (("one", "yes"), ("two", "no")):
                obj = {"apiVersion": f"{_GROUP}/v1", "kind": f"With{fields}", "metadata": {"name": name}}
                answer = await server.call("POST", collection, obj | {"spec": {"field0": value}})
                statuses.append(answer.status)
            return statuses

    assert asyncio.run(write()) == [201, 422]
    assert {what: [thread != threading.get_ident() for thread in noted] for what, noted in threads.items()} == {
        "schema": [is_aside],
        "rules": [is_aside],
        "types": [is_aside],
    }
