"""A server, and an extension server that it knows: what tests of the aggregation layer share."""

from __future__ import annotations

import http.client
import json
import ssl
from pathlib import Path
from typing import Any

from support.certificates import CLIENT, Certificate
from support.extension_server import AGGREGATED, GROUP, NAMESPACE, SERVICE, ExtensionServer
from support.server import Server
from support.waiting import PATIENCE_S, wait_for

API_SERVICES = "/apis/apiregistration.k8s.io/v1/apiservices"
API_SERVICE = f"{API_SERVICES}/v1.{GROUP}"

Answer = tuple[int, dict[str, str], bytes]


class World:
    """A server, and the extension server that it knows."""

    def __init__(self, folder: Path) -> None:
        self.proxies = Certificate("front proxies", is_authority=True)
        own = Certificate("front-proxy-client", issuer=self.proxies, usages=(CLIENT,))
        certificate, key = own.write(folder)
        (folder / "extension").mkdir()
        self.extension = ExtensionServer(folder / "extension", clients=self.proxies.pem)
        (folder / "tokens.csv").write_text('secret,admin,u1,"system:masters"\njane,jane,u2,"team a"\n')
        policy = "apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: [{level: RequestResponse}]\n"
        (folder / "policy.yaml").write_text(policy)
        self.audit_log = folder / "audit.log"
        (folder / "proxies.pem").write_bytes(self.proxies.pem)
        self.server = Server(
            None,
            *("--requestheader-client-ca-file", str(folder / "proxies.pem")),
            "--requestheader-allowed-names=front-proxy-client",
            *("--audit-policy-file", str(folder / "policy.yaml"), "--audit-log-path", str(self.audit_log)),
            "--token-auth-file",
            str(folder / "tokens.csv"),
            "--proxy-client-cert-file",
            str(certificate),
            "--proxy-client-key-file",
            str(key),
            "--webhook-service-address",
            f"{NAMESPACE}/{SERVICE}=127.0.0.1:{self.extension.port}",
        )
        self._context = ssl.create_default_context(cafile=str(self.server.data_dir / "pki" / "ca.crt"))

    def register(self) -> None:
        assert self.call("POST", API_SERVICES, self.extension.api_service())[0] == 201
        wait_for(lambda: self.condition().get("status") == "True")

    def close(self) -> None:
        self.server.stop()
        self.extension.stop()

    def open(self) -> http.client.HTTPSConnection:
        return http.client.HTTPSConnection(
            "127.0.0.1", self.server.secure_port, timeout=PATIENCE_S, context=self._context
        )

    def call(self, method: str, path: str, value: Any = None, token: str = "secret", **headers: str) -> Answer:
        connection = self.open()
        try:
            sent = {"Authorization": f"Bearer {token}"}
            if value is not None:
                sent["Content-Type"] = "application/json"
            sent |= {name.replace("_", "-"): text for name, text in headers.items()}
            data = None if value is None else value if isinstance(value, bytes) else json.dumps(value)
            connection.request(method, path, data, sent)
            answer = connection.getresponse()
            told = {name.lower(): text for name, text in answer.getheaders()}
            return answer.status, told, answer.read()
        finally:
            connection.close()

    def events(self, uri: str) -> list[dict[str, Any]]:
        """Of the audit, whole lines alone."""
        lines = self.audit_log.read_text().splitlines(keepends=True)
        found = [json.loads(line) for line in lines if line[-1] == "\n"]
        return [each for each in found if each["requestURI"] == uri]

    def audited(self, uri: str, last: str) -> list[str]:
        """The stages that are told of a request, once the last is."""
        wait_for(lambda: [each for each in self.events(uri) if each["stage"] == last])
        return [each["stage"] for each in self.events(uri)]

    def condition(self) -> dict[str, str]:
        """Empty where there is none."""
        status, _, body = self.call("GET", API_SERVICE)
        conditions = json.loads(body)["status"].get("conditions") if status == 200 else ()
        return dict(conditions[0]) if conditions else {}

    def aggregated(self, group: str = GROUP) -> dict[str, Any] | None:
        """What aggregated discovery tells of the version."""
        listed = json.loads(self.call("GET", "/apis", Accept=AGGREGATED)[2])
        found = [each["versions"][0] for each in listed["items"] if each["metadata"]["name"] == group]
        return dict(found[0]) if found else None
