"""Where client configurations lead."""

from __future__ import annotations

import base64

import pytest

from quarterdeck.webhook.config import BadConfig, Service, read_target
from support.certificates import Certificate

URLS = {
    "https://a.b": ("a.b", "a.b", 443, "/"),
    "https://a.b/": ("a.b", "a.b", 443, "/"),
    "https://a.b:8443/x/y/": ("a.b:8443", "a.b", 8443, "/x/y"),
    "https://127.0.0.1:1/a//b/../c": ("127.0.0.1:1", "127.0.0.1", 1, "/a/c"),
    "https://[::1]:9443/x": ("[::1]:9443", "::1", 9443, "/x"),
    "https://a.b/%20x!": ("a.b", "a.b", 443, "/%20x%21"),
    "https://a.b//x": ("a.b", "a.b", 443, "/x"),
    "https://a.b:/x": ("a.b:", "a.b", 443, "/x"),
    "https://127.0.0.1:0/x": ("127.0.0.1:0", "127.0.0.1", 0, "/x"),
    "https://[::1]:99999/x": ("[::1]:99999", "::1", 99999, "/x"),
}


@pytest.mark.parametrize("url", URLS)
def test_a_url_tells_host_port_and_path(url: str) -> None:
    assert read_target({"url": url})[:4] == URLS[url]


def test_a_service_is_called_by_its_own_name() -> None:
    target = read_target({"service": {"namespace": "n", "name": "s", "port": 8443, "path": "/a/b"}})
    assert target[:5] == ("s.n.svc:8443", "s.n.svc", 8443, "/a/b", Service("n", "s", 8443))
    assert read_target({"service": {"namespace": "n", "name": "s"}})[:4] == ("s.n.svc:443", "s.n.svc", 443, "/")


def test_webhooks_with_one_bundle_share_what_they_trust() -> None:
    bundle = base64.b64encode(Certificate("ca", is_authority=True).pem).decode()
    first = read_target({"url": "https://a.b", "caBundle": bundle})
    assert first.trusted is read_target({"url": "https://c.d", "caBundle": bundle}).trusted
    with pytest.raises(BadConfig, match="unable to parse bytes as PEM block"):
        read_target({"url": "https://a.b", "caBundle": "bm8="})


@pytest.mark.parametrize("config", [{}, {"url": ""}, {"url": None, "service": None}])
def test_without_url_and_service_there_is_no_webhook(config: dict[str, object]) -> None:
    with pytest.raises(BadConfig, match="webhook configuration must have either service or URL"):
        read_target(config)


def test_a_url_that_cannot_be_read_is_refused() -> None:
    with pytest.raises(BadConfig, match="Unparsable URL"):
        read_target({"url": "https://a.b:x/"})
