"""Rules of what lost its type: a definition said `array`, now says `object`, and the items with rules are left."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

from support import definitions, in_process

THINGS = "/apis/example.com/v1/namespaces/default/things"
ITEM = {
    "type": "object",
    "properties": {"replicas": {"type": "integer"}},
    "x-kubernetes-validations": [{"rule": "self.replicas <= 10"}],
}


def schema(kind: str) -> dict[str, Any]:
    backend = {"type": kind, "maxItems": 100, "items": ITEM}
    return {"type": "object", "properties": {"spec": {"type": "object", "properties": {"backend": backend}}}}


def test_items_of_what_is_no_list_any_more_cannot_be_checked(tmp_path: Path) -> None:
    async def body() -> None:
        async with in_process.running(tmp_path) as server:
            await server.define(definitions.of_things("example.com", definitions.version(schema("array"))))
            thing = {"apiVersion": "example.com/v1", "kind": "Thing", "metadata": {"name": "a"}}
            answer = await server.call("POST", THINGS, {**thing, "spec": {"backend": [{"replicas": 8}]}})
            assert answer.status == 201, answer.body
            address = f"{definitions.PATH}/things.example.com"
            definition = json.loads((await server.call("GET", address)).body)
            definition["spec"]["versions"][0]["schema"]["openAPIV3Schema"] = schema("object")
            assert (await server.call("PUT", address, definition)).status == 200
            merge = "application/merge-patch+json"
            async with asyncio.timeout(60):
                while True:
                    label = {"metadata": {"labels": {"a": "b"}}}
                    answer = await server.call("PATCH", f"{THINGS}/a?dryRun=All", label, merge)
                    if answer.status != 200:
                        break
                    await asyncio.sleep(0.01)  # until the new schema is served
            assert answer.status == 422
            causes = json.loads(answer.body)["details"]["causes"]
            told = "rule compiler initialization error: failed to convert to declType for CEL validation rules"
            assert [cause["field"] for cause in causes if told in cause["message"]] == ["spec.backend[0]"]
            object_now = {**thing, "metadata": {"name": "b"}, "spec": {"backend": {"replicas": 80}}}
            assert (await server.call("POST", THINGS, object_now)).status == 201

    asyncio.run(body())
