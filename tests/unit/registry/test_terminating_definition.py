"""Nothing is created any more while a definition is being deleted, and that is told before anything else."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from support import definitions, in_process
from support.in_process import InProcess

GROUP = "ending.example.com"
APPLY = "application/apply-patch+yaml"


def things(namespace: str) -> str:
    return f"/apis/{GROUP}/v1/namespaces/{namespace}/things"


def thing(**metadata: Any) -> dict[str, Any]:
    return {"apiVersion": f"{GROUP}/v1", "kind": "Thing", "metadata": metadata}


async def begin_deletion(server: InProcess) -> None:
    """One object is held, and the definition with it."""
    await server.define(definitions.of_things(GROUP))
    assert (await server.call("POST", things("default"), thing(name="held", finalizers=["a.dev/x"]))).status == 201
    assert (await server.call("DELETE", f"{definitions.PATH}/things.{GROUP}")).status == 200


@pytest.mark.parametrize(
    ("method", "path", "body", "kind", "shown"),
    [
        ("POST", things("absent"), thing(name="b"), in_process.JSON, 'things.ending.example.com "b"'),
        ("POST", things("absent") + "?dryRun=All", thing(name="b"), in_process.JSON, 'things.ending.example.com "b"'),
        ("PATCH", things("absent") + "/b?fieldManager=m", thing(name="b"), APPLY, 'things.ending.example.com "b"'),
        ("POST", things("default"), thing(generateName="g-"), in_process.JSON, "things.ending.example.com"),
    ],
)
async def test_creates_are_refused(
    tmp_path: Path, method: str, path: str, body: dict[str, Any], kind: str, shown: str
) -> None:
    async with in_process.running(tmp_path) as server:
        await begin_deletion(server)
        answer = await server.call(method, path, body, kind)
        assert isinstance(answer.body, bytes)
        told = json.loads(answer.body)
        wanted = "create not allowed while custom resource definition is terminating"
        assert (answer.status, told["message"]) == (403, f"{shown} is forbidden: {wanted}")
        assert told["details"].get("name") == ("b" if "absent" in path else None)
