"""What served a definition goes with it, at once: the collector may come minutes later, or look at what is young alone
(server/gcschedule.py)."""

from __future__ import annotations

import asyncio
import gc
from pathlib import Path
from typing import Any

import pytest

from quarterdeck.storage.cacher import cacher
from quarterdeck.transport.messages import Stream
from support import definitions, in_process
from support.waiting import PATIENCE_S, until
from support.watch_client import RecordingWriter

GROUP = "memory.example.com"
THINGS = f"/apis/{GROUP}/v1/namespaces/default/things"
DEFINITION = f"{definitions.PATH}/things.{GROUP}"
SPEC = {
    "type": "object",
    "properties": {
        "size": {"type": "integer", "default": 3},
        "color": {"type": "string", "pattern": "^r"},
        "ports": {
            "type": "array",
            "items": {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]},
            "x-kubernetes-list-type": "map",
            "x-kubernetes-list-map-keys": ["name"],
        },
        "words": {"type": "object", "additionalProperties": {"type": "string"}},
    },
}


def version(name: str, **more: Any) -> dict[str, Any]:
    subresources = {
        "status": {},
        "scale": {"specReplicasPath": ".spec.size", "statusReplicasPath": ".status.size"},
    }
    status = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    schema = {"type": "object", "properties": {"spec": SPEC, "status": status}}
    return {**definitions.version(schema, name=name, storage=name == "v1"), "subresources": subresources, **more}


async def use(server: in_process.InProcess, name: str) -> RecordingWriter:
    """Writes of all kinds, reads, and a watch that is open when the definition goes."""
    spec = {"color": "red", "ports": [{"name": "a"}], "words": {"a": "b"}}
    thing = {"apiVersion": f"{GROUP}/v1", "kind": "Thing", "metadata": {"name": name}, "spec": spec}
    address = f"{THINGS}/{name}"
    for method, path, body, media_type in (
        ("POST", THINGS, thing, in_process.JSON),
        ("PATCH", address, {"spec": {"size": 4}}, "application/merge-patch+json"),
        ("PATCH", f"{address}?fieldManager=m", thing, "application/apply-patch+yaml"),
        ("PATCH", f"{address}/status", {"status": {"size": 4}}, "application/merge-patch+json"),
        ("GET", f"{address}/scale", None, in_process.JSON),
        ("GET", THINGS.replace("v1", "v2"), None, in_process.JSON),
        ("GET", f"{THINGS}?labelSelector=a%3Db", None, in_process.JSON),
        ("GET", "/openapi/v2", None, in_process.JSON),
    ):
        answer = await server.call(method, path, body, media_type)
        assert answer.status in (200, 201), answer.body
    stream = await server.call("GET", f"{THINGS}?watch=true")
    assert isinstance(stream, Stream)
    writer = RecordingWriter()
    stream.opened(writer)
    return writer


async def remove(server: in_process.InProcess) -> None:
    answer = await server.call("DELETE", DEFINITION)
    async with asyncio.timeout(PATIENCE_S):
        while answer.status != 404:
            await asyncio.sleep(0.01)
            answer = await server.call("GET", DEFINITION)


def ours(found: list[object]) -> list[str]:
    return [f"{type(each).__module__}.{type(each).__qualname__}" for each in found if is_ours(each)]


def is_ours(each: object) -> bool:
    return type(each).__module__.startswith("quarterdeck.")


@pytest.mark.parametrize("is_changed", [False, True])
async def test_nothing_of_a_definition_waits_for_the_collector(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_changed: bool
) -> None:
    monkeypatch.setattr(cacher, "RETIRED_S", 0.0)
    async with in_process.running(tmp_path) as server:

        async def once() -> None:
            await server.define(definitions.of_things(GROUP, version("v1"), version("v2")))
            watches = [await use(server, "a")]
            if is_changed:
                other = {"additionalPrinterColumns": [{"name": "S", "type": "integer", "jsonPath": ".spec.size"}]}
                changed = {"spec": {"versions": [version("v1", **other), version("v2")]}}
                answer = await server.call("PATCH", DEFINITION, changed, "application/merge-patch+json")
                assert answer.status == 200
                watches.append(await use(server, "b"))
            await remove(server)
            await until(lambda: all(each.is_ended for each in watches))

        await once()  # what is made once for the whole server
        gc.collect()
        gc.disable()
        tasks = len(asyncio.all_tasks())
        try:
            await once()
            await until(lambda: len(asyncio.all_tasks()) <= tasks)
            gc.set_debug(gc.DEBUG_SAVEALL)
            gc.collect()
            assert ours(gc.garbage) == []
        finally:
            gc.set_debug(0)
            gc.garbage.clear()
            gc.enable()
