"""As whom webhooks of admission are called, by their host and port."""

from __future__ import annotations

import asyncio
import json
import ssl
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509

from quarterdeck.transport.client.trust import Trust
from quarterdeck.webhook import users
from quarterdeck.webhook.client import Call
from quarterdeck.webhook.config import Target
from quarterdeck.webhook.kubeconfig import BadKubeconfig
from quarterdeck.webhook.users import SigningClient, Users
from support.certificates import SERVER, Certificate
from support.origin import server_context

AUTHORITY = Certificate("authority", is_authority=True)


def write(folder: Path, named: dict[str, Any], current: str = "") -> Path:
    config = {
        "users": [{"name": name, "user": user} for name, user in named.items()],
        "contexts": [{"name": "x", "context": {"user": current}}],
        "current-context": "x" if current else "",
    }
    file = folder / "kubeconfig"
    file.write_text(json.dumps(config))
    return file


def load(folder: Path, names: list[str], current: str = "") -> Users:
    """Users whose tokens are their names."""
    return users.load(write(folder, {name: {"token": name} for name in names}, current))


@pytest.mark.parametrize(
    ("names", "authority", "found"),
    [
        (["h.ns.svc:443", "h.ns.svc"], "h.ns.svc:443", "h.ns.svc:443"),
        (["*.svc:443", "h.ns.svc"], "h.ns.svc:443", "*.svc:443"),
        (["h.ns.svc", "*.svc"], "h.ns.svc:443", "h.ns.svc"),
        (["*.ns.svc", "*.svc"], "h.ns.svc:443", "*.ns.svc"),
        (["h.ns.svc", "*.svc"], "h.ns.svc:8443", ""),
        (["*.example.com:9443"], "a.b.example.com:9443", "*.example.com:9443"),
        (["h.example.com:443"], "h.example.com", "h.example.com:443"),
        (["[::1]"], "[::1]", "[::1]"),
        (["*", "c"], "h:1", "*"),
        (["c"], "h:1", "c"),
        ([], "h:1", ""),
    ],
)
def test_the_closest_name_counts(tmp_path: Path, names: list[str], authority: str, found: str) -> None:
    user = load(tmp_path, names, "c").find(authority)
    assert (user.credentials.headers() if user else {}) == ({"Authorization": f"Bearer {found}"} if found else {})


class Kept:
    """Keeps calls in place of making them."""

    def __init__(self) -> None:
        self.calls: list[Call] = []

    async def ask(self, call: Call) -> bytes:
        self.calls.append(call)
        return b"{}"


def test_calls_are_made_as_the_user_who_is_named_for_them(tmp_path: Path) -> None:
    own = Certificate("me", issuer=AUTHORITY)
    files = dict(zip(("client-certificate", "client-key"), map(str, own.write(tmp_path)), strict=True))
    named = {"a:443": {"token": "t"}, "b:443": files}
    kept: Any = Kept()
    nothing: Any = None
    client = SigningClient(nothing, nothing, users.load(write(tmp_path, named)), kept)
    trusted = Trust(AUTHORITY.pem)
    for host in ("a", "b", "b", "c"):
        call = Call(Target(f"{host}:443", host, 443, "/", None, trusted), b"{}", 1.0, headers={"Accept": "x"})
        asyncio.run(client.ask(call))
    a, b, again, c = kept.calls
    assert [call.headers for call in kept.calls] == [
        {"Accept": "x", "Authorization": "Bearer t"},
        *[{"Accept": "x"}] * 3,
    ]
    assert [call.target.trusted is trusted for call in kept.calls] == [True, False, False, True]
    signed: Any = b.target.trusted
    assert again.target.trusted is signed, "it is made once"
    assert shown_to_server(signed, tmp_path) == own.der
    assert (a.target.authority, c.target.authority) == ("a:443", "c:443")


def shown_to_server(trust: Trust, folder: Path) -> bytes | None:
    """The client's certificate that a server which trusts its authority gets to see."""
    served = Certificate("b", issuer=AUTHORITY, names=(x509.DNSName("b"),), usages=(SERVER,))
    server = server_context(served, folder)
    server.verify_mode = ssl.CERT_REQUIRED
    server.load_verify_locations(cadata=AUTHORITY.pem.decode())
    up, down = ssl.MemoryBIO(), ssl.MemoryBIO()
    here = trust.context.wrap_bio(down, up, server_hostname="b")
    there = server.wrap_bio(up, down, server_side=True)
    for _ in range(4):
        for side in (here, there):
            try:
                side.do_handshake()
            except ssl.SSLWantReadError:
                continue
    return there.getpeercert(binary_form=True)


@pytest.mark.parametrize(
    ("user", "text"),
    [
        ({"exec": {"command": "x"}}, "exec cannot be honoured for a webhook"),
        ({"client-certificate-data": "eA=="}, "client-certificate and client-key belong together"),
        ({"client-certificate-data": "eA==", "client-key-data": "eA=="}, "certificate and key cannot be used"),
        ({"tokenFile": "absent"}, "absent: no such file or directory"),
        (3, "a field has the wrong type"),
    ],
)
def test_users_who_cannot_be_told_at_once(tmp_path: Path, user: Any, text: str) -> None:
    with pytest.raises(BadKubeconfig, match=text):
        users.load(write(tmp_path, {"u": user}))
