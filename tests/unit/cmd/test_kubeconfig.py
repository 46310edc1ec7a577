"""Kubeconfigs as the benchmark reads them."""

from __future__ import annotations

import base64
import ssl
from pathlib import Path
from typing import Any

import pytest
import yaml

from quarterdeck.cmd.kubeconfig import KubeconfigError, Target, default_path, load
from support.certificates import CLIENT, Certificate


@pytest.fixture
def certificate() -> Certificate:
    return Certificate("someone", usages=(CLIENT,))


def write(folder: Path, cluster: dict[str, Any], user: dict[str, Any] | None = None) -> Path:
    config = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": "other", "cluster": {"server": "https://other"}}, {"name": "c", "cluster": cluster}],
        "users": [{"name": "u", "user": user or {}}],
        "contexts": [
            {"name": "main", "context": {"cluster": "c", "user": "u"}},
            {"name": "second", "context": {"cluster": "other"}},
        ],
        "current-context": "main",
    }
    path = folder / "config"
    path.write_text(yaml.safe_dump(config))
    return path


def encode(data: bytes) -> str:
    return base64.b64encode(data).decode()


def load_with(folder: Path, user: dict[str, Any]) -> Target:
    return load(write(folder, {"server": "http://h:80"}, user))


def test_a_server_is_found_by_its_address(tmp_path: Path) -> None:
    target = load(write(tmp_path, {"server": "https://h:6443/clusters/a/"}))
    assert (target.host, target.port, target.root) == ("h", 6443, "/clusters/a")
    plain = load(write(tmp_path, {"server": "http://[::1]"}))
    assert (plain.host, plain.port, plain.root, plain.tls) == ("::1", 80, "", None)
    assert load(tmp_path / "config", "second").port == 443


def test_data_and_files_of_certificates(tmp_path: Path, certificate: Certificate) -> None:
    certificate.write(tmp_path)
    (tmp_path / "ca.crt").write_bytes(certificate.pem)
    as_data = {
        "client-certificate-data": encode(certificate.pem),
        "client-key-data": encode(certificate.key_pem),
    }
    names = [path.name for path in tmp_path.iterdir()]
    as_files = {
        "client-certificate": next(name for name in names if name.startswith("CN")),
        "client-key": next(name for name in names if name.endswith(".key")),
    }
    for cluster, user in (
        ({"certificate-authority-data": encode(certificate.pem)}, as_data),
        ({"certificate-authority": "ca.crt"}, as_files),
    ):
        target = load(write(tmp_path, {"server": "https://h", "tls-server-name": "n", **cluster}, user))
        assert target.tls is not None
        assert target.tls.verify_mode == ssl.CERT_REQUIRED
        assert target.tls.cert_store_stats()["x509"] == 1
        assert target.server_name == "n"


def test_a_server_may_be_taken_as_it_is(tmp_path: Path) -> None:
    target = load(write(tmp_path, {"server": "https://h", "insecure-skip-tls-verify": True}))
    assert target.tls is not None
    assert (target.tls.verify_mode, target.tls.check_hostname) == (ssl.CERT_NONE, False)


def test_tokens_and_passwords(tmp_path: Path) -> None:
    (tmp_path / "t").write_text("from-file\n")
    assert load_with(tmp_path, {"token": "abc"}).headers == {"Authorization": "Bearer abc"}
    assert load_with(tmp_path, {"token": "abc", "tokenFile": "t"}).headers == {"Authorization": "Bearer from-file"}
    basic = load_with(tmp_path, {"username": "a", "password": "b"}).headers
    assert basic == {"Authorization": f"Basic {encode(b'a:b')}"}
    assert load_with(tmp_path, {}).headers == {}


def test_a_credential_plugin_is_asked(tmp_path: Path) -> None:
    plugin = tmp_path / "plugin"
    plugin.write_text(
        '#!/bin/sh\ncase "$KUBERNETES_EXEC_INFO" in *ExecCredential*) ;; *) exit 1;; esac\n'
        'echo "{\\"kind\\": \\"ExecCredential\\", \\"status\\": {\\"token\\": \\"$1-$WORD\\"}}"\n'
    )
    plugin.chmod(0o755)
    user = {"exec": {"command": "./plugin", "args": ["one"], "env": [{"name": "WORD", "value": "two"}]}}
    assert load_with(tmp_path, user).headers == {"Authorization": "Bearer one-two"}
    with pytest.raises(KubeconfigError, match="credential plugin"):
        load_with(tmp_path, {"exec": {"command": "./missing"}})


@pytest.mark.parametrize(
    ("cluster", "user", "problem"),
    [
        ({"server": "ftp://h"}, {}, "is not the address of a server"),
        ({}, {}, "is not the address of a server"),
        ({"server": "https://h", "certificate-authority": "nowhere"}, {}, "certificate-authority cannot be read"),
        ({"server": "https://h", "certificate-authority-data": "!"}, {}, "certificate-authority cannot be read"),
        ({"server": "https://h", "certificate-authority-data": encode(b"x")}, {}, "cannot be used"),
        ({"server": "https://h", "proxy-url": "http://p"}, {}, "proxy-url is not supported"),
        ({"server": "http://h"}, {"tokenFile": "nowhere"}, "tokenFile cannot be read"),
    ],
)
def test_what_cannot_be_used_is_named(
    tmp_path: Path, cluster: dict[str, Any], user: dict[str, Any], problem: str
) -> None:
    with pytest.raises(KubeconfigError, match=problem):
        load(write(tmp_path, cluster, user))


def test_files_that_are_no_kubeconfig(tmp_path: Path) -> None:
    path = tmp_path / "config"
    with pytest.raises(KubeconfigError, match="cannot read"):
        load(path)
    for text in ("[]", "a: [", "kind: Config"):
        path.write_text(text)
        with pytest.raises(KubeconfigError):
            load(path)


def test_the_default_is_kubectls(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KUBECONFIG", "/a:/b")
    assert default_path() == Path("/a")
    monkeypatch.delenv("KUBECONFIG")
    assert default_path() == Path.home() / ".kube" / "config"
