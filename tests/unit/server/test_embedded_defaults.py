"""Defaults in the metadata of embedded resources: it is metadata, whatever its schema lists, and loses what is none."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from support import definitions, in_process

THINGS = "/apis/example.com/v1/namespaces/default/things"


def embedded(metadata: Any) -> dict[str, Any]:
    kinds = {"apiVersion": {"type": "string", "default": "v1"}, "kind": {"type": "string", "default": "Foo"}}
    properties = {**kinds, "metadata": metadata}
    return {"type": "object", "x-kubernetes-embedded-resource": True, "properties": properties}


WHOLE = {"type": "object", "default": {"name": "bar", "labels": {"a": "b"}}}
UNKNOWN = {"type": "object", "default": {"name": "bar", "unknown": 1}}
PARTS = {
    "type": "object",
    "default": {},
    "properties": {
        "name": {"type": "string", "default": "bar"},
        "labels": {"type": "object", "default": {"a": "b"}},
    },
}
NAMED = {"apiVersion": "v1", "kind": "Foo", "metadata": {"name": "bar"}}
LABELLED = {**NAMED, "metadata": {"name": "bar", "labels": {"a": "b"}}}


@pytest.mark.parametrize(
    ("schema", "shown"),
    [
        (embedded(WHOLE), LABELLED),
        (embedded(PARTS), LABELLED),
        (embedded(UNKNOWN), NAMED),
    ],
    ids=["metadata", "its members", "what is no metadata"],
)
def test_the_default_of_embedded_metadata_is_kept(tmp_path: Path, schema: Any, shown: Any) -> None:
    properties = {
        "one": schema,
        "list": {"type": "array", "items": schema},
        "map": {"type": "object", "additionalProperties": schema},
    }

    async def body() -> None:
        async with in_process.running(tmp_path) as server:
            version = definitions.version({"type": "object", "properties": properties})
            await server.define(definitions.of_things("example.com", version))
            thing = {"apiVersion": "example.com/v1", "kind": "Thing", "metadata": {"name": "a"}}
            sent = {"one": {}, "list": [{}], "map": {"x": {}}}
            answer = await server.call("POST", THINGS, {**thing, **sent})
            assert answer.status == 201, answer.body
            for text in (answer.body, (await server.call("GET", f"{THINGS}/a")).body):
                found = json.loads(text)
                assert (found["one"], found["list"], found["map"]) == (shown, [shown], {"x": shown})

    asyncio.run(body())
