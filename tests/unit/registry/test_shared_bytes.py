"""What is stored has its bytes once: a write answers those that readers and watchers are sent."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from support import in_process

CONFIGMAPS = "/api/v1/namespaces/default/configmaps"
MERGE = "application/merge-patch+json"
LARGE = {f"k{number}": "x" * 510 for number in range(2000)}  # some 1.1 MB, which no answer copies


@pytest.mark.parametrize("data", [{}, LARGE], ids=["small", "large"])
@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE"])
async def test_a_write_answers_the_bytes_of_the_cache(tmp_path: Path, method: str, data: dict[str, str]) -> None:
    metadata = {"name": "a", "finalizers": ["example.com/a"]}
    body = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data}
    async with in_process.running(tmp_path) as server:
        written = await server.call("POST", CONFIGMAPS, body)
        if method != "POST":
            kind = MERGE if method == "PATCH" else in_process.JSON
            sent = None if method == "DELETE" else {**body, "data": {**data, "k": "v"}}
            written = await server.call(method, f"{CONFIGMAPS}/a", sent, kind)
        assert written.status in (200, 201)
        read = await server.call("GET", f"{CONFIGMAPS}/a")
        assert written.body == read.body
        if data:
            assert not isinstance(written.body, bytes)
            assert not isinstance(read.body, bytes)
            assert next(iter(written.body)) is next(iter(read.body))


@pytest.mark.parametrize("method", ["PUT", "PATCH"])
async def test_a_dry_run_answers_what_would_be_stored(tmp_path: Path, method: str) -> None:
    body = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}}
    kind = MERGE if method == "PATCH" else in_process.JSON
    async with in_process.running(tmp_path) as server:
        created = await server.call("POST", CONFIGMAPS, body)
        path = f"{CONFIGMAPS}/a"
        answer = await server.call(method, f"{path}?dryRun=All", {**body, "data": {"k": "v"}}, kind)
        assert isinstance(answer.body, bytes)
        assert json.loads(answer.body)["data"] == {"k": "v"}
        assert (await server.call("GET", path)).body == created.body
