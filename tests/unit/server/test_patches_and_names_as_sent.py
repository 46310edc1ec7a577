"""What a refused strategic merge patch is quoted as, and names that are what their object says."""

from __future__ import annotations

import json
from pathlib import Path

from support import in_process

STRATEGIC = "application/strategic-merge-patch+json"
HOOKS = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations"


async def test_a_strategic_patch_is_quoted_as_it_was_sent(tmp_path: Path) -> None:
    async with in_process.running(tmp_path) as server:
        kind = {"apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingWebhookConfiguration"}
        assert (await server.call("POST", HOOKS, {**kind, "metadata": {"name": "h"}})).status == 201
        service = {"name": "s", "namespace": "n", "port": 1 << 31}
        patch = {"webhooks": [{"name": "a", "clientConfig": {"caBundle": "YQ", "service": service}}]}
        answer = await server.call("PATCH", f"{HOOKS}/h", patch, STRATEGIC)
        assert answer.status == 422 and isinstance(answer.body, bytes)
        assert "service:map[name:s namespace:n port:2147483648]" in json.loads(answer.body)["message"]


async def test_an_address_is_called_what_its_prefix_says(tmp_path: Path) -> None:
    async with in_process.running(tmp_path) as server:
        address = {
            "apiVersion": "networking.k8s.io/v1",
            "kind": "IPAddress",
            "metadata": {"generateName": "2001:db8::1"},
            "spec": {"parentRef": {"resource": "services", "namespace": "default", "name": "s"}},
        }
        answer = await server.call("POST", "/apis/networking.k8s.io/v1/ipaddresses", address)
        assert answer.status == 201 and isinstance(answer.body, bytes)
        assert json.loads(answer.body)["metadata"]["name"] == "2001:db8::1"
        again = await server.call("POST", "/apis/networking.k8s.io/v1/ipaddresses", address)
        assert again.status == 409 and isinstance(again.body, bytes)
        assert json.loads(again.body)["reason"] == "AlreadyExists"
