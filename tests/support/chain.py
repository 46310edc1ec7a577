"""Two servers in a chain: an outer one that hands groups on to an inner one, as APIServices tell it."""

from __future__ import annotations

import base64
import http.client
import json
import ssl
from pathlib import Path
from typing import Any

from cryptography import x509

from support.certificates import CLIENT, SERVER, Certificate
from support.server import Server
from support.waiting import PATIENCE_S

API_SERVICES = "/apis/apiregistration.k8s.io/v1/apiservices"
TOKEN = "secret"


class Chain:
    """The inner server believes the outer one about users, whose certificate it knows. TOKEN is the administrator's at
    both, "jane" that of a reader."""

    def __init__(self, folder: Path, *flags: str, inner_flags: tuple[str, ...] = ()) -> None:
        proxies = Certificate("front proxies", is_authority=True)
        (folder / "proxies.pem").write_bytes(proxies.pem)
        own = Certificate("outer", issuer=proxies, usages=(CLIENT,)).write(folder)
        authority = Certificate("inner authority", is_authority=True)
        (folder / "inner").mkdir()
        names = (x509.DNSName("inner.default.svc"), x509.DNSName("localhost"))
        leaf = Certificate("inner", issuer=authority, usages=(SERVER,), names=names).write(folder / "inner")
        (folder / "tokens.csv").write_text(f'{TOKEN},admin,u1,"system:masters"\njane,jane,u2,"readers"\n')
        tokens = ("--token-auth-file", str(folder / "tokens.csv"))
        self.inner = Server(
            None,
            *tokens,
            *flags,
            *inner_flags,
            *("--tls-cert-file", str(leaf[0]), "--tls-private-key-file", str(leaf[1])),
            *("--requestheader-client-ca-file", str(folder / "proxies.pem"), "--requestheader-allowed-names=outer"),
            *("--requestheader-username-headers=X-Remote-User", "--requestheader-group-headers=X-Remote-Group"),
            "--requestheader-extra-headers-prefix=X-Remote-Extra-",
            keeps_port=True,
        )
        self.outer = Server(
            None,
            *tokens,
            *flags,
            *("--proxy-client-cert-file", str(own[0]), "--proxy-client-key-file", str(own[1])),
            *("--webhook-service-address", f"default/inner=127.0.0.1:{self.inner.secure_port}"),
        )
        (folder / "inner.pem").write_bytes(authority.pem)
        self._trusted = {
            self.inner: folder / "inner.pem",
            self.outer: self.outer.data_dir / "pki" / "ca.crt",
        }
        self.authority = authority.pem

    def hand_on(self, group: str, version: str) -> None:
        """By an APIService of the outer server."""
        spec = {
            "group": group,
            "version": version,
            "groupPriorityMinimum": 1000,
            "versionPriority": 15,
            "caBundle": base64.b64encode(self.authority).decode(),
            "service": {"namespace": "default", "name": "inner"},
        }
        service = {"metadata": {"name": f"{version}.{group}"}, "spec": spec}
        assert self.through("POST", API_SERVICES, service)[0] == 201

    def stop(self) -> None:
        self.outer.stop()
        self.inner.stop()

    def address(self, server: Server) -> tuple[str, int, ssl.SSLContext]:
        """Its host as its certificate names it, its port, and whom to trust."""
        context = ssl.create_default_context(cafile=str(self._trusted[server]))
        return "localhost" if server is self.inner else "127.0.0.1", server.secure_port, context

    def open(self, server: Server) -> http.client.HTTPSConnection:
        host, port, context = self.address(server)
        return http.client.HTTPSConnection(host, port, timeout=PATIENCE_S, context=context)

    def call(
        self, server: Server, method: str, path: str, value: Any = None, kind: str = "application/json", user: str = ""
    ) -> tuple[int, Any]:
        connection = self.open(server)
        try:
            headers = {"Authorization": f"Bearer {user or TOKEN}", "Content-Type": kind}
            connection.request(method, path, None if value is None else json.dumps(value), headers)
            answer = connection.getresponse()
            body = answer.read()
            return answer.status, json.loads(body) if body.startswith(b"{") else body
        finally:
            connection.close()

    def through(self, method: str, path: str, value: Any = None, kind: str = "application/json", user: str = "") -> Any:
        return self.call(self.outer, method, path, value, kind, user)
