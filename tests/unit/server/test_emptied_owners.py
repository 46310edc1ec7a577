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


@pytest.mark.parametrize("time", ["x", "", 5])
async def test_entries_whose_time_cannot_be_read_are_none_to_an_apply(tmp_path: Path, time: object) -> None:
    """A built-in kind is made of what is applied all the same, and with them it cannot be."""
    metadata = {"name": "a", "managedFields": [{"manager": "m", "operation": "Update", "time": time}]}
    async with in_process.running(tmp_path) as server:
        await server.define(definitions.of_things(GROUP))
        for path, kind, api_version, expected in (
            (MAPS, "ConfigMap", "v1", 500),
            (THINGS, "Thing", f"{GROUP}/v1", 201),
        ):
            sent = {"apiVersion": api_version, "kind": kind, "metadata": metadata, "data": {"a": "b"}}
            answer = await server.call("PATCH", f"{path}/a?fieldManager=m", sent, "application/apply-patch+yaml")
            assert answer.status == expected and isinstance(answer.body, bytes)
            told = json.loads(answer.body)
            if expected == 500:
                before = "failed to convert new object (/a; /v1, Kind=ConfigMap) to proper version: unable to convert"
                assert told["message"].startswith(f"{before} unstructured object to /v1, Kind=ConfigMap: ")
            else:
                assert [entry["manager"] for entry in told["metadata"]["managedFields"]] == ["m"]
