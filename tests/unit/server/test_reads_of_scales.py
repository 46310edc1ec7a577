"""GET of a scale asks for its object as a GET of that does."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from quarterdeck.transport.messages import Response
from support import definitions, in_process

TEMPLATE = {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [{"name": "c", "image": "i"}]}}
SELECTOR = {"matchLabels": {"a": "b"}}
APPS = "/apis/apps/v1/namespaces/default"
CORE = "/api/v1/namespaces/default"
THINGS = "/apis/scaled.example.com/v1/namespaces/default/things"
ABSENT = {
    f"{APPS}/deployments": ("apps", "deployments"),
    f"{APPS}/replicasets": ("apps", "replicasets"),
    f"{APPS}/statefulsets": ("apps", "statefulsets"),
    f"{CORE}/replicationcontrollers": ("", "replicationcontrollers"),
    THINGS: ("scaled.example.com", "things"),
}


def read(answer: Response) -> dict[str, Any]:
    assert isinstance(answer.body, bytes)
    found: dict[str, Any] = json.loads(answer.body)
    return found


def objects() -> dict[str, dict[str, Any]]:
    spec = {"selector": SELECTOR, "template": TEMPLATE}
    return {
        f"{APPS}/deployments": {"spec": spec},
        f"{APPS}/replicasets": {"spec": spec},
        f"{APPS}/statefulsets": {"spec": spec},
        f"{CORE}/replicationcontrollers": {"spec": {**spec, "selector": {"a": "b"}}},
        THINGS: {"apiVersion": "scaled.example.com/v1", "kind": "Thing", "spec": {"replicas": 1}},
    }


def scaled() -> dict[str, Any]:
    paths = {"specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.replicas"}
    replicas = {"type": "object", "properties": {"replicas": {"type": "integer"}}}
    schema = {"type": "object", "properties": {"spec": replicas, "status": replicas}}
    return definitions.of_things("scaled.example.com", definitions.version(schema, subresources={"scale": paths}))


@pytest.mark.parametrize("path", ABSENT)
async def test_the_scale_of_what_is_not_there(tmp_path: Path, path: str) -> None:
    group, resource = ABSENT[path]
    async with in_process.running(tmp_path) as server:
        await server.define(scaled())
        answer = await server.call("GET", f"{path}/nope/scale")
        assert answer.status == 404
        assert read(answer)["message"] == f"{resource}.{group}".removesuffix(".") + ' "nope" not found'
        assert read(answer)["details"] == {"name": "nope", "kind": resource, **({"group": group} if group else {})}


async def test_a_scale_is_not_older_than_is_asked_for(tmp_path: Path) -> None:
    async with in_process.running(tmp_path) as server:
        await server.define(scaled())
        for path, obj in objects().items():
            made = await server.call("POST", path, {**obj, "metadata": {"name": "x"}})
            assert made.status == 201, made.body
            revision = int(read(made)["metadata"]["resourceVersion"])
            for text in ("", "0", str(revision)):
                answer = await server.call("GET", f"{path}/x/scale?resourceVersion={text}")
                assert (answer.status, read(answer)["metadata"]["resourceVersion"]) == (200, str(revision))
            odd = await server.call("GET", f"{path}/x/scale?resourceVersion=abc")
            newer = await server.call("GET", f"{path}/x/scale?resourceVersion={revision + 1_000_000}")
            assert (odd.status, newer.status) == (500, 504)
            assert read(odd)["message"].startswith('resourceVersion: Invalid value: "abc": strconv.ParseUint')
            assert read(newer)["message"].startswith("Timeout: Too large resource version")
