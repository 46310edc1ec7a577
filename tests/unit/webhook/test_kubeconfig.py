"""Where a kubeconfig says that a webhook is, and as whom it is called."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import pytest

from quarterdeck.webhook import kubeconfig
from quarterdeck.webhook.kubeconfig import BadKubeconfig
from support.certificates import Certificate

AUTHORITY = Certificate("authority", is_authority=True)


def write(folder: Path, cluster: dict[str, Any], user: dict[str, Any] | None = None) -> Path:
    config = {
        "clusters": [{"name": "c", "cluster": cluster}],
        "users": [{"name": "u", "user": user or {}}],
        "contexts": [{"name": "x", "context": {"cluster": "c", "user": "u"}}],
        "current-context": "x",
    }
    file = folder / "kubeconfig"
    file.write_text(json.dumps(config))
    return file


@pytest.mark.parametrize(
    ("server", "expected"),
    [
        ("https://hook.example.com/a//b/", ("hook.example.com", 443, "/a/b")),
        ("https://hook.example.com:8443", ("hook.example.com", 8443, "/")),
        ("http://[::1]:80/x", ("::1", 80, "/x")),
    ],
)
def test_where_it_is(tmp_path: Path, server: str, expected: tuple[str, int, str]) -> None:
    target = kubeconfig.load(write(tmp_path, {"server": server})).target
    assert (target.host, target.port, target.path) == expected
    assert (target.trusted is None) is server.startswith("http:")


def test_files_are_looked_for_beside_the_kubeconfig(tmp_path: Path) -> None:
    (tmp_path / "ca.pem").write_bytes(AUTHORITY.pem)
    (tmp_path / "token").write_text("one\n")
    cluster = {"server": "https://h", "certificate-authority": "ca.pem", "tls-server-name": "other"}
    found = kubeconfig.load(write(tmp_path, cluster, {"tokenFile": "token"}))
    assert (found.target.name, found.target.host) == ("other", "h")
    assert found.credentials.headers() == {"Authorization": "Bearer one"}


@pytest.mark.parametrize(
    ("user", "header"),
    [
        ({}, {}),
        ({"token": "t"}, {"Authorization": "Bearer t"}),
        (
            {"username": "n", "password": "p"},
            {"Authorization": f"Basic {base64.b64encode(b'n:p').decode()}"},
        ),
    ],
)
def test_as_whom_it_is_called(tmp_path: Path, user: dict[str, Any], header: dict[str, str]) -> None:
    assert kubeconfig.load(write(tmp_path, {"server": "https://h"}, user)).credentials.headers() == header


@pytest.mark.parametrize("user", [{"token": "t"}, {"username": "n", "password": "p"}, {"tokenFile": "token"}])
def test_nobodys_secret_goes_over_plain_http(tmp_path: Path, user: dict[str, Any]) -> None:
    (tmp_path / "token").write_text("one")
    assert kubeconfig.load(write(tmp_path, {"server": "http://h"}, user)).credentials.headers() == {}


@pytest.mark.parametrize(
    ("cluster", "user", "text"),
    [
        ({"server": "ftp://h"}, {}, "is no URL of http or https"),
        ({"server": "https://h", "proxy-url": "http://p"}, {}, "proxy-url cannot be honoured"),
        (
            {"server": "https://h"},
            {"exec": {"command": "x"}},
            "exec cannot be honoured for a webhook: no other program is",
        ),
        (
            {"server": "https://h"},
            {"as": "somebody"},
            "as cannot be honoured for a webhook: webhooks are called as the user",
        ),
        ({"server": "https://h"}, {"client-certificate-data": "YQ=="}, "belong together"),
        (
            {"server": "https://h", "insecure-skip-tls-verify": True, "certificate-authority-data": "YQ=="},
            {},
            "with the insecure flag is not allowed",
        ),
        ({"server": "https://h", "certificate-authority-data": "YQ=="}, {}, "unable to load root certificates"),
        ({"server": "https://h", "certificate-authority": "absent"}, {}, "absent: no such file"),
    ],
)
def test_what_cannot_be_used_is_told(tmp_path: Path, cluster: dict[str, Any], user: dict[str, Any], text: str) -> None:
    with pytest.raises(BadKubeconfig, match=text):
        kubeconfig.load(write(tmp_path, cluster, user))
