"""What a namespace under deletion tells of its content."""

import asyncio
import json
from pathlib import Path

from support import in_process
from support.waiting import PATIENCE_S


async def test_resources_of_the_group_without_a_name_are_told_with_a_dot(tmp_path: Path) -> None:
    async with in_process.running(tmp_path, namespace_deletion_delay_s=0.0) as server:
        assert (await server.call("POST", "/api/v1/namespaces", {"metadata": {"name": "ns"}})).status == 201
        held = {"metadata": {"name": "held", "finalizers": ["example.com/hold"]}}
        for address in ("/api/v1/namespaces/ns/secrets", "/apis/coordination.k8s.io/v1/namespaces/ns/leases"):
            answer = await server.call("POST", address, held)
            assert answer.status == 201, answer.body
        await server.call("DELETE", "/api/v1/namespaces/ns")
        async with asyncio.timeout(PATIENCE_S):
            while not (conditions := await _conditions(server)):
                await asyncio.sleep(0.01)
        remaining = "leases.coordination.k8s.io has 1 resource instances, secrets. has 1 resource instances"
        assert conditions["NamespaceContentRemaining"] == f"Some resources are remaining: {remaining}"


async def _conditions(server: in_process.InProcess) -> dict[str, str]:
    answer = await server.call("GET", "/api/v1/namespaces/ns")
    assert isinstance(answer.body, bytes)
    return {each["type"]: each["message"] for each in json.loads(answer.body)["status"].get("conditions", ())}
