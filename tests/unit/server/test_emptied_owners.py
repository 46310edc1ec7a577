"""Who sends an empty list of managedFields with an object of a built-in kind takes all owners of fields away; with a
custom resource such a list says nothing."""

import json
from pathlib import Path
from typing import Any

import pytest

from support import definitions, in_process

GROUP = "emptied.example.com"
MAPS = "/api/v1/namespaces/default/configmaps"
THINGS = f"/apis/{GROUP}/v1/namespaces/default/things"
EMPTIED = {"managedFields": []}


@pytest.mark.parametrize("content_type", ["application/json", "application/merge-patch+json"])
async def test_an_empty_list_takes_owners_away(tmp_path: Path, content_type: str) -> None:
    async with in_process.running(tmp_path) as server:
        await server.define(definitions.of_things(GROUP))
        method = "PUT" if content_type == "application/json" else "PATCH"

        async def call(method: str, path: str, body: Any = None) -> dict[str, Any]:
            answer = await server.call(method, path, body, content_type)
            assert answer.status < 300 and isinstance(answer.body, bytes), answer.body
            found: dict[str, Any] = json.loads(answer.body)["metadata"]
            return found

        for path, kind, api_version in ((MAPS, "ConfigMap", "v1"), (THINGS, "Thing", f"{GROUP}/v1")):
            sent = {"apiVersion": api_version, "kind": kind, "metadata": {"name": "a", **EMPTIED}, "data": {"a": "b"}}
            made = json.loads(bytes((await server.call("POST", path, sent)).body))["metadata"]  # type: ignore[arg-type]
            assert len(made["managedFields"]) == 1, "a new object has its owner"
            sent["metadata"]["labels"] = {"x": "y"}
            sent["metadata"]["resourceVersion"] = made["resourceVersion"]
            written = await call(method, f"{path}/a", sent)
            assert ("managedFields" in written) is (path is THINGS)
            assert ("managedFields" in await call("GET", f"{path}/a")) is (path is THINGS)
