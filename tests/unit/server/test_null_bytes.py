"""Null in a map of bytes: it is read as an empty value, and is stored and compared as another one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from support import in_process
from support.in_process import InProcess

KINDS = [("configmaps", "binaryData"), ("secrets", "data")]
JSON_PATCH = "application/json-patch+json"
APPLY = "application/apply-patch+yaml"


async def write(server: InProcess, resource: str, obj: dict[str, Any]) -> Any:
    path = f"/api/v1/namespaces/default/{resource}/a"
    method = "PUT" if (await server.call("GET", path)).status == 200 else "POST"
    answer = await server.call(method, path if method == "PUT" else path[:-2], {"metadata": {"name": "a"}, **obj})
    assert isinstance(answer.body, bytes)
    return json.loads(answer.body)


@pytest.mark.parametrize(("resource", "member"), KINDS)
async def test_null_is_no_empty_value_of_what_is_immutable(tmp_path: Path, resource: str, member: str) -> None:
    async with in_process.running(tmp_path) as server:
        made = await write(server, resource, {"immutable": True, member: {"b": None}})
        assert made[member] == {"b": ""}
        told = await write(server, resource, {"immutable": True, member: {"b": None}})
        assert told["message"].endswith(f"{member}: Forbidden: field is immutable when `immutable` is set")
        path = f"/api/v1/namespaces/default/{resource}/a"
        patch: Any = [{"op": "add", "path": f"/{member}/b", "value": None}]
        assert (await server.call("PATCH", path, patch, JSON_PATCH)).status == 422
        kind = "Secret" if resource == "secrets" else "ConfigMap"
        applied = {"apiVersion": "v1", "kind": kind, "immutable": True, member: {"b": None}}
        assert (await server.call("PATCH", f"{path}?fieldManager=m&force=true", applied, APPLY)).status == 422
        assert (await write(server, resource, {"immutable": True, member: {"b": ""}}))["kind"] == kind


@pytest.mark.parametrize(("resource", "member"), KINDS)
async def test_null_is_stored_otherwise_than_an_empty_value(tmp_path: Path, resource: str, member: str) -> None:
    async with in_process.running(tmp_path) as server:
        revisions = [
            (await write(server, resource, {member: {"b": value}}))["metadata"]["resourceVersion"]
            for value in ("", None, "", "")
        ]
        assert len(set(revisions)) == 3
        assert revisions[-1] == revisions[-2]


async def test_a_text_of_a_secret_goes_before_null(tmp_path: Path) -> None:
    async with in_process.running(tmp_path) as server:
        revisions = {
            (await write(server, "secrets", {"immutable": True, **data}))["metadata"]["resourceVersion"]
            for data in ({"data": {"b": ""}}, {"data": {"b": None}, "stringData": {"b": ""}})
        }
        assert len(revisions) == 1
