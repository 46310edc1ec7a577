"""A webhook of the service `kubernetes` is this server, which calls itself."""

from __future__ import annotations

import pytest

from quarterdeck.webhook.client import Call
from quarterdeck.webhook.config import read_target
from quarterdeck.webhook.loopback import Loopback


def call_of(namespace: str, name: str, port: int | None = None) -> Call:
    service = {"namespace": namespace, "name": name, "path": "/hook"} | ({} if port is None else {"port": port})
    return Call(read_target({"service": service}), b"{}", 10)


@pytest.mark.parametrize(
    ("address", "host"), [("0.0.0.0", "127.0.0.1"), ("::", "::1"), ("192.0.2.1", "192.0.2.1"), ("::1", "::1")]
)
def test_it_is_called_where_it_listens(address: str, host: str) -> None:
    call = call_of("default", "kubernetes")
    turned = Loopback(address, 6443).turn(call)
    assert (turned.target.host, turned.target.port, turned.target.service) == (host, 6443, None)
    assert turned.url == call.url == "https://kubernetes.default.svc:443/hook?timeout=10s"


@pytest.mark.parametrize(
    ("url", "is_own"),
    [
        ("https://kubernetes.default.svc/hook", True),
        ("https://kubernetes.default.svc:443/hook", True),
        ("https://kubernetes.default.svc:8443/hook", False),
        ("https://kubernetes.other.svc/hook", False),
        ("https://kubernetes.default.svc.evil/hook", False),
    ],
)
def test_it_may_be_named_by_a_url(url: str, is_own: bool) -> None:
    call = Call(read_target({"url": url}), b"{}", 10)
    turned = Loopback("127.0.0.1", 6443).turn(call)
    assert (turned is not call) is is_own
    assert ("Authorization" in turned.headers) is is_own
    assert turned.url == call.url


def test_each_server_has_a_token_of_its_own() -> None:
    loopback = Loopback("127.0.0.1", 6443)
    turned = loopback.turn(call_of("default", "kubernetes", 443))
    assert turned.headers["Authorization"] == f"Bearer {loopback.token}"
    assert turned.headers.items() > call_of("default", "kubernetes").headers.items()
    assert Loopback("127.0.0.1", 6443).token != loopback.token


@pytest.mark.parametrize(
    "other", [("default", "kubernetes", 8443), ("other", "kubernetes", 443), ("default", "k", 443)]
)
def test_no_other_service_is(other: tuple[str, str, int]) -> None:
    call = call_of(*other)
    assert Loopback("127.0.0.1", 6443).turn(call) is call
