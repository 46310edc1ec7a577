"""A whole server without sockets notes which fields of a definition its clients set, and nothing else."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
import yaml

from support import definitions, in_process
from support.in_process import InProcess
from support.waiting import PATIENCE_S

PATH = "/quarterdeck/v1/coverage"
GROUP = "covered.example.com"
THINGS = f"/apis/{GROUP}/v1/namespaces/default/things"
MERGE, JSON_PATCH = "application/merge-patch+json", "application/json-patch+json"
APPLY = "application/apply-patch+yaml"
TEXT = {"type": "string"}
SPEC = {
    "type": "object",
    "properties": {
        "size": {"type": "integer"},
        "colour": {"type": "string", "default": "red"},
        "replicas": {"type": "integer"},
        "labels": {"type": "object", "additionalProperties": TEXT},
        "parts": {
            "type": "array",
            "items": {"type": "object", "properties": {"name": TEXT, "weights": {"type": "array", "items": TEXT}}},
        },
        "limits": {"type": "object", "additionalProperties": {"type": "object", "properties": {"cpu": TEXT}}},
        "free": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
        "a.b": TEXT,
    },
}
STATUS = {"type": "object", "properties": {"ready": {"type": "boolean"}, "phase": TEXT}}
SCHEMA = {"type": "object", "properties": {"spec": SPEC, "status": STATUS}}
SUBRESOURCES = {
    "status": {},
    "scale": {"specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.replicas"},
}
ALL = [
    ".spec", '.spec["a.b"]', ".spec.colour", ".spec.free", ".spec.labels", ".spec.limits", ".spec.limits{}.cpu",
    ".spec.parts", ".spec.parts[].name", ".spec.parts[].weights", ".spec.replicas", ".spec.size", ".status",
    ".status.phase", ".status.ready",
]  # fmt: skip


def definition(*, is_plain: bool = False) -> dict[str, Any]:
    more = {} if is_plain else {"subresources": SUBRESOURCES}
    return definitions.of_things(GROUP, definitions.version(SCHEMA, **more))


def thing(**members: Any) -> dict[str, Any]:
    return {"apiVersion": f"{GROUP}/v1", "kind": "Thing", "metadata": {"name": "one"}, **members}


@pytest.fixture
def server(runner: asyncio.Runner, tmp_path: Path) -> Iterator[InProcess]:
    running = _with_things(tmp_path)
    yield runner.run(running.__aenter__())
    runner.run(running.__aexit__(None, None, None))


@asynccontextmanager
async def _with_things(folder: Path) -> AsyncIterator[InProcess]:
    async with in_process.running(folder, has_coverage=True) as server:
        await server.define(definition())
        yield server


async def told(server: InProcess) -> dict[str, Any]:
    answer = await server.call("GET", PATH)
    assert answer.status == 200
    assert isinstance(answer.body, bytes)
    (found,) = json.loads(answer.body)["fields"]
    return found


async def set_by(server: InProcess, *request: Any, status: int = 200, **headers: str) -> set[str]:
    """The fields that one request sets, of those that no request has set before it."""
    before = {path for path, count in (await told(server))["paths"].items() if count}
    assert (await server.call(*request, **headers)).status == status
    return {path for path, count in (await told(server))["paths"].items() if count} - before


async def make(server: InProcess) -> None:
    await server.call("POST", THINGS, thing(spec={"replicas": 1}))
    await server.call("DELETE", PATH)


async def test_nobody_has_written(server: InProcess) -> None:
    found = await told(server)
    assert found == {
        "definition": f"things.{GROUP}", "version": "v1", "kind": "Thing", "writes": 0, "set": 0, "of": len(ALL),
        "paths": {},
    }  # fmt: skip


async def test_a_create_sets_what_it_sends(server: InProcess) -> None:
    spec = {
        "size": 1,
        "labels": {"x": "y"},
        "parts": [{"name": "a"}, {"weights": []}, {"name": "b"}],
        "limits": {"free": {"cpu": "1"}},
        "free": {"size": 1},
        "a.b": "c",
        "unknown": 1,
        "replicas": None,
    }
    assert (await server.call("POST", THINGS, thing(spec=spec, status={"phase": "x"}))).status == 201
    found = await told(server)
    assert sorted(found["paths"], key=lambda path: path.replace("[", ".").replace('"', "")) == ALL
    assert {path for path, count in found["paths"].items() if count == 0} == {
        ".spec.colour", ".spec.replicas", ".status", ".status.ready", ".status.phase"
    }  # fmt: skip
    assert (found["set"], found["of"], found["writes"]) == (10, len(ALL), 1)
    assert max(found["paths"].values()) == 1, "a write counts once, however many items there are"


async def test_an_update_sets_what_it_sends(server: InProcess) -> None:
    await make(server)
    answer = await server.call("GET", f"{THINGS}/one")
    assert isinstance(answer.body, bytes)
    live = json.loads(answer.body)
    live["spec"]["size"] = 2
    found = await set_by(server, "PUT", f"{THINGS}/one", live)
    assert found == {".spec", ".spec.size", ".spec.replicas", ".spec.colour"}


async def test_patches_set_what_they_name(server: InProcess) -> None:
    await make(server)
    one = f"{THINGS}/one"
    assert await set_by(server, "PATCH", one, {"spec": {"size": 3, "labels": None}}, MERGE) == {".spec", ".spec.size"}
    operations: list[dict[str, Any]] = [
        {"op": "test", "path": "/spec/colour", "value": "red"},
        {"op": "add", "path": "/spec/parts", "value": []},
        {"op": "add", "path": "/spec/parts/-", "value": {"name": "a"}},
        {"op": "add", "path": "/spec/a.b", "value": "c"},
        {"op": "remove", "path": "/spec/replicas"},
        {"op": "add", "path": "/status", "value": {"phase": "x"}},
    ]
    wanted = {".spec.parts", ".spec.parts[].name", '.spec["a.b"]'}
    assert await set_by(server, "PATCH", one, operations, JSON_PATCH) == wanted
    whole = [
        {"op": "add", "path": "/spec/limits", "value": {}},
        {"op": "add", "path": "/spec/limits/x", "value": {"cpu": "1"}},
    ]
    assert await set_by(server, "PATCH", one, whole, JSON_PATCH) == {".spec.limits", ".spec.limits{}.cpu"}


async def test_an_apply_sets_its_configuration(server: InProcess) -> None:
    text = yaml.safe_dump(thing(spec={"colour": "red", "parts": [{"name": "a"}]})).encode()
    found = await set_by(server, "PATCH", f"{THINGS}/one?fieldManager=me", text, APPLY, status=201)
    assert found == {".spec", ".spec.colour", ".spec.parts", ".spec.parts[].name"}
    again = yaml.safe_dump(thing(spec={"size": 5})).encode() + b"# " + b"x" * 5000  # long ones are read ahead
    assert await set_by(server, "PATCH", f"{THINGS}/one?fieldManager=me", again, APPLY) == {".spec.size"}


async def test_yaml_and_large_bodies(server: InProcess) -> None:
    text = yaml.safe_dump(thing(spec={"colour": "blue"})).encode()
    assert await set_by(server, "POST", THINGS, text, "application/yaml", status=201) == {".spec", ".spec.colour"}
    large = {**thing(spec={"parts": [{"name": "x" * 100}] * 1000}), "metadata": {"name": "two"}}
    assert await set_by(server, "POST", THINGS, large, status=201) == {".spec.parts", ".spec.parts[].name"}


async def test_subresources_set_their_own(server: InProcess) -> None:
    await make(server)
    body = {"spec": {"size": 9}, "status": {"ready": True}}
    found = await set_by(server, "PATCH", f"{THINGS}/one/status", body, MERGE)
    assert found == {".status", ".status.ready"}
    found = await set_by(server, "PATCH", f"{THINGS}/one/scale", {"spec": {"replicas": 4}}, MERGE)
    assert found == {".spec", ".spec.replicas"}


async def test_what_is_not_stored_sets_nothing(server: InProcess) -> None:
    await make(server)
    for request, status in [
        (("POST", f"{THINGS}?dryRun=All", {**thing(spec={"size": 1}), "metadata": {"name": "two"}}), 201),
        (("POST", THINGS, thing(spec={"size": 1})), 409),
        (("POST", THINGS, {**thing(spec={"size": "text"}), "metadata": {"name": "two"}}), 422),
        (("DELETE", f"{THINGS}/one"), 200),
    ]:
        assert await set_by(server, *request, status=status) == set()
    assert (await told(server))["writes"] == 0


async def test_a_changed_schema_keeps_what_was_set(server: InProcess) -> None:
    await server.call("POST", THINGS, thing(spec={"size": 1, "colour": "red"}))
    changed = definition()
    (version,) = changed["spec"]["versions"]
    members = {"size": {"type": "integer"}, "added": TEXT}
    version["schema"] = {
        "openAPIV3Schema": {"type": "object", "properties": {"spec": {"type": "object", "properties": members}}}
    }
    answer = await server.call("PATCH", f"{definitions.PATH}/things.{GROUP}", {"spec": changed["spec"]}, MERGE)
    assert answer.status == 200
    async with asyncio.timeout(PATIENCE_S):
        while (await server.call("POST", f"{THINGS}?dryRun=All&fieldValidation=Strict", {
            **thing(spec={"added": "x"}), "metadata": {"name": "probe"}
        })).status != 201:  # fmt: skip
            await asyncio.sleep(0.005)
    assert await set_by(server, "PATCH", f"{THINGS}/one", {"spec": {"added": "x"}}, MERGE) == {".spec.added"}
    found = await told(server)
    assert found["paths"] == {".spec": 2, ".spec.added": 1, ".spec.size": 1}
    assert found["writes"] == 2


async def test_a_definition_that_is_gone_is_told_of_still(server: InProcess) -> None:
    await server.call("POST", THINGS, thing(spec={"size": 1}))
    assert (await server.call("DELETE", f"{definitions.PATH}/things.{GROUP}")).status == 200
    async with asyncio.timeout(PATIENCE_S):
        while (await server.call("GET", THINGS)).status != 404:
            await asyncio.sleep(0.005)
    async with asyncio.timeout(PATIENCE_S):
        while not (await told(server)).get("gone"):
            await asyncio.sleep(0.005)
    assert (await told(server))["paths"][".spec.size"] == 1


async def test_without_a_status_subresource_status_is_a_field_like_others(runner: Any, tmp_path: Path) -> None:
    async with in_process.running(tmp_path, has_coverage=True) as server:
        await server.define(definition(is_plain=True))
        found = await set_by(server, "POST", THINGS, thing(status={"phase": "x"}), status=201)
        assert found == {".status", ".status.phase"}


async def test_resets_forget_it_and_take_no_filters(server: InProcess) -> None:
    await server.call("POST", THINGS, thing(spec={"size": 1}))
    for name in ("users=jane", "userAgents=x*", "users="):
        assert (await server.call("DELETE", f"{PATH}?{name}")).status == 400
    assert (await told(server))["set"] == 2
    assert (await server.call("DELETE", PATH)).status == 200
    assert (await told(server))["set"] == 0
