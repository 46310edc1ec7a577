"""What a refused strategic merge patch is quoted as, names that are what their object says, and texts that YAML does
not show."""

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


async def test_an_object_that_yaml_cannot_show_is_stored(tmp_path: Path) -> None:
    maps = "/api/v1/namespaces/default/configmaps"
    async with in_process.running(tmp_path) as server:
        sent = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c"}, "data": {"a": "\x7f"}}
        asked = [("POST", maps, sent, 500), ("GET", f"{maps}/c", None, 500), ("GET", maps, None, 500)]
        for method, path, body, status in [*asked, ("GET", f"{maps}/%7f", None, 404)]:
            answer = await server.call(method, path, body, accept="application/yaml")
            assert (answer.status, answer.body) == (
                status,
                b"apiVersion: v1\ncode: 500\nkind: Status\nmessage: 'yaml: control characters are not allowed'\n"
                b"metadata: {}\nstatus: Failure\n",
            )
            assert ("Content-Type", "application/yaml") in answer.headers
        assert (await server.call("GET", f"{maps}/c")).status == 200


async def test_an_apply_with_null_for_owners_spells_parameters_anew(tmp_path: Path) -> None:
    classes = "/apis/resource.k8s.io/v1/deviceclasses"
    parameters = {"b": 1, "a": 2}
    sent = {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "DeviceClass",
        "metadata": {"name": "c"},
        "spec": {"config": [{"opaque": {"driver": "d.example.com", "parameters": parameters}}]},
    }
    unowned = {**sent, "metadata": {"name": "c", "managedFields": None}}
    async with in_process.running(tmp_path) as server:
        assert (await server.call("POST", classes, sent)).status == 201
        for body, generation in ((sent, 1), (unowned, 2)):
            answer = await server.call("PATCH", f"{classes}/c?fieldManager=m", body, "application/apply-patch+yaml")
            assert answer.status == 200 and isinstance(answer.body, bytes)
            assert json.loads(answer.body)["metadata"]["generation"] == generation
