"""A webhook that the server serves itself: it is called as the server, and without a way around."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from support.server import Server
from support.several import call
from support.waiting import wait_for

pytestmark = pytest.mark.e2e
PATH = "/hooks/of-nobody"
POLICY = {
    "apiVersion": "audit.k8s.io/v1",
    "kind": "Policy",
    "rules": [{"level": "Metadata", "nonResourceURLs": [PATH]}, {"level": "None"}],
}
HOOK: dict[str, Any] = {
    "apiVersion": "admissionregistration.k8s.io/v1",
    "kind": "ValidatingWebhookConfiguration",
    "metadata": {"name": "own"},
    "webhooks": [
        {
            "name": "own.example.com",
            "clientConfig": {"service": {"namespace": "default", "name": "kubernetes", "path": PATH}},
            "rules": [{"operations": ["*"], "apiGroups": [""], "apiVersions": ["v1"], "resources": ["configmaps"]}],
            "sideEffects": "None",
            "admissionReviewVersions": ["v1"],
        }
    ],
}  # fmt: skip
MAP = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}}


def test_a_webhook_of_the_service_kubernetes_is_called_as_the_server(tmp_path: Path) -> None:
    (tmp_path / "policy.json").write_text(json.dumps(POLICY))
    log = tmp_path / "audit.log"
    flags = ("--authorization-mode=RBAC", "--anonymous-auth=false", f"--audit-policy-file={tmp_path}/policy.json")
    with Server(None, *flags, f"--audit-log-path={log}") as server:
        server.wait_until_ready()
        assert call(server, "POST", f"/apis/{HOOK['apiVersion']}/validatingwebhookconfigurations", HOOK)[0] == 201
        status, told = call(server, "POST", "/api/v1/namespaces/default/configmaps", MAP)
        assert status == 500
        assert told["message"].endswith("failed to call webhook: the server could not find the requested resource")
        wait_for(lambda: log.exists() and PATH in log.read_text())
        event = json.loads(log.read_text().splitlines()[0])
        assert event["user"]["username"] == "system:apiserver"
