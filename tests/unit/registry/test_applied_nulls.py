"""Nulls that server-side apply gives a custom resource, where the schema neither allows nor refuses them.

Upstream stores what an apply made, and drops such a null only where it reads the object.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from support import definitions, in_process

GROUP = "nulls.example.com"
THINGS = f"/apis/{GROUP}/v1/namespaces/default/things"
APPLY = "application/apply-patch+yaml"
MERGE = "application/merge-patch+json"
FREE = {"x-kubernetes-preserve-unknown-fields": True}
FIELDS = {
    "free": FREE,
    "nullable": {**FREE, "nullable": True},
    "defaulted": {**FREE, "default": 5},
    "one": {**FREE, "enum": ["a"]},
    "text": {"type": "string"},
}


async def call(server: in_process.InProcess, method: str, body: Any, content_type: str) -> dict[str, Any]:
    answer = await server.call(method, f"{THINGS}/a?fieldManager=m", body, content_type)
    assert isinstance(answer.body, bytes)
    found: dict[str, Any] = json.loads(answer.body)
    return found


def applied(**spec: Any) -> dict[str, Any]:
    return {"apiVersion": f"{GROUP}/v1", "kind": "Thing", "metadata": {"name": "a"}, "spec": spec}


async def test_they_are_not_shown_but_count_as_a_change(tmp_path: Path) -> None:
    schema = {"type": "object", "properties": {"spec": {"type": "object", "properties": FIELDS}}}
    async with in_process.running(tmp_path) as server:
        await server.define(definitions.of_things(GROUP, definitions.version(schema)))
        made = [await call(server, "PATCH", applied(free=None), APPLY) for _ in range(2)]
        assert [each["spec"] for each in made] == [{"defaulted": 5}] * 2
        assert [each["metadata"]["generation"] for each in made] == [1, 2]
        assert made[1]["metadata"]["managedFields"][0]["fieldsV1"] == {"f:spec": {"f:free": {}}}
        # The next update stores the object without it; then there is nothing left to change.
        later = [await call(server, "PATCH", {}, MERGE) for _ in range(2)]
        assert [each["metadata"]["generation"] for each in later] == [2, 2]
        revisions = [each["metadata"]["resourceVersion"] for each in (*made, *later)]
        assert len(set(revisions)) == 3
        assert revisions[2] == revisions[3]
        assert await call(server, "GET", None, in_process.JSON) == later[1]


async def test_others_are_kept_defaulted_or_refused(tmp_path: Path) -> None:
    schema = {"type": "object", "properties": {"spec": {"type": "object", "properties": FIELDS}}}
    async with in_process.running(tmp_path) as server:
        await server.define(definitions.of_things(GROUP, definitions.version(schema)))
        made = await call(server, "PATCH", applied(nullable=None, defaulted=None), APPLY)
        assert made["spec"] == {"nullable": None, "defaulted": 5}
        again = await call(server, "PATCH", applied(nullable=None, defaulted=None), APPLY)
        assert again["metadata"]["resourceVersion"] == made["metadata"]["resourceVersion"]
        for refused in (applied(one=None), applied(text=None)):
            assert (await call(server, "PATCH", refused, APPLY))["code"] == 422


async def test_a_status_where_none_was_is_dropped(tmp_path: Path) -> None:
    status = {"type": "object", "properties": {"n": {"type": "integer"}}}
    schema = {"type": "object", "properties": {"spec": {"type": "object"}, "status": status}}
    null = {"apiVersion": f"{GROUP}/v1", "kind": "Thing", "metadata": {"name": "a"}, "status": None}
    address = f"{THINGS}/a/status?fieldManager=m&force=true"
    async with in_process.running(tmp_path) as server:
        await server.define(definitions.of_things(GROUP, definitions.version(schema, subresources={"status": {}})))
        await call(server, "PATCH", applied(), APPLY)
        answer = await server.call("PATCH", address, null, APPLY)
        assert isinstance(answer.body, bytes)
        made = json.loads(answer.body)
        assert (answer.status, "status" in made) == (200, False)
        owned = [each["fieldsV1"] for each in made["metadata"]["managedFields"] if each.get("subresource")]
        assert owned == [{"f:status": {}}]
