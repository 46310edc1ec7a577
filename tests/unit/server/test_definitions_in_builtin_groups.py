"""A definition in a group that is built in is accepted, and its objects are not served: the group is others'."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from support import definitions, in_process
from support.waiting import PATIENCE_S

APPROVED = {"api-approved.kubernetes.io": "https://github.com/example/pull/1"}
GENERIC = "the server could not find the requested resource"


async def get(server: in_process.InProcess, address: str) -> dict[str, Any]:
    answer = await server.call("GET", address)
    assert isinstance(answer.body, bytes)
    found: dict[str, Any] = json.loads(answer.body)
    return found


@pytest.mark.parametrize("group", ["events.k8s.io", "apiregistration.k8s.io", "apiextensions.k8s.io"])
async def test_its_objects_are_not_found(tmp_path: Path, group: str) -> None:
    definition = definitions.of_things(group, definitions.version(), definitions.version(name="v9", is_storage=False))
    definition["metadata"]["annotations"] = APPROVED
    address = f"{definitions.PATH}/things.{group}"
    async with in_process.running(tmp_path) as server:
        assert (await server.call("POST", definitions.PATH, definition)).status == 201
        async with asyncio.timeout(PATIENCE_S):
            while not (conditions := (await get(server, address))["status"].get("conditions")) or (
                {"Established": "True"} not in [{each["type"]: each["status"]} for each in conditions]
            ):
                await asyncio.sleep(0.005)
        for version in ("v1", "v9"):
            for end in ("namespaces/default/things", "things", "namespaces/default/things/a/status"):
                found = await get(server, f"/apis/{group}/{version}/{end}")
                assert (found["code"], found["message"]) == (404, GENERIC)
            thing = {"apiVersion": f"{group}/{version}", "kind": "Thing", "metadata": {"name": "a"}}
            answer = await server.call("POST", f"/apis/{group}/{version}/namespaces/default/things", thing)
            assert answer.status == 404
