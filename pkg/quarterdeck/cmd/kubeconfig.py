"""Reads a kubeconfig as far as the commands need it: where the server is, whom to trust, who we are.

Source: client-go/tools/clientcmd/api/v1/types.go, client-go/plugin/pkg/client/auth/exec (ExecCredential).
"""

from __future__ import annotations

import base64
import binascii
import json
import os
import ssl
import subprocess
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

from quarterdeck._kernels import openssl

_EXEC_TIMEOUT_S: Final = 60.0


class KubeconfigError(Exception):
    """The text is for the person who named the file."""


@dataclass(frozen=True, slots=True)
class Target:
    """A server as requests see it. `tls` is None for plain HTTP; `root` goes before every path."""

    url: str
    host: str
    port: int
    root: str
    tls: ssl.SSLContext | None
    server_name: str
    headers: Mapping[str, str]


def default_path() -> Path:
    """The first file of $KUBECONFIG, or kubectl's default."""
    named = [part for part in os.environ.get("KUBECONFIG", "").split(os.pathsep) if part]
    return Path(named[0]) if named else Path.home() / ".kube" / "config"


def load(path: Path, context: str = "") -> Target:
    """The server and the user of a context (the current one if none is named). Raises KubeconfigError."""
    config = _read(path)
    name = context or config.get("current-context") or ""
    chosen = _named(config, "contexts", "context", name, path)
    cluster = _named(config, "clusters", "cluster", chosen.get("cluster", ""), path)
    user = _named(config, "users", "user", chosen["user"], path) if chosen.get("user") else {}
    if cluster.get("proxy-url"):
        raise KubeconfigError(f"{path}: proxy-url is not supported")
    url = str(cluster.get("server") or "")
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise KubeconfigError(f"{path}: {url!r} is not the address of a server")
    credentials = {**user, **_run_plugin(user["exec"], path)} if user.get("exec") else user
    tls = _build_tls(cluster, credentials, path.parent) if parts.scheme == "https" else None
    return Target(
        url=url,
        host=parts.hostname,
        port=parts.port or (443 if tls is not None else 80),
        root=parts.path.rstrip("/"),
        tls=tls,
        server_name=str(cluster.get("tls-server-name") or parts.hostname),
        headers=_build_headers(credentials, path.parent),
    )


def _read(path: Path) -> dict[str, Any]:
    import yaml

    try:
        config = yaml.load(path.read_text(), Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise KubeconfigError(f"cannot read {path}: {error}") from error
    if not isinstance(config, dict):
        raise KubeconfigError(f"{path} is not a kubeconfig")
    return config


def _named(config: dict[str, Any], plural: str, kind: str, name: str, path: Path) -> dict[str, Any]:
    for entry in config.get(plural) or ():
        if isinstance(entry, dict) and entry.get("name") == name and isinstance(entry.get(kind), dict):
            found: dict[str, Any] = entry[kind]
            return found
    raise KubeconfigError(f"{path} has no {kind} {name!r}")


def _build_tls(cluster: Mapping[str, Any], user: Mapping[str, Any], folder: Path) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.set_alpn_protocols(["http/1.1"])
    try:
        if cluster.get("insecure-skip-tls-verify"):
            context.check_hostname = False
            context.verify_mode = ssl.CERT_NONE
        elif authority := _material(cluster, "certificate-authority", folder):
            context.load_verify_locations(cadata=authority.decode())
        else:
            context.load_default_certs()
        certificate, key = _material(user, "client-certificate", folder), _material(user, "client-key", folder)
        if certificate and key:
            # The ssl module reads a chain from files only.
            with tempfile.TemporaryDirectory(prefix="quarterdeck-bench-") as private:
                paths = Path(private, "tls.crt"), Path(private, "tls.key")
                for file, data in zip(paths, (certificate, key), strict=True):
                    file.touch(0o600)
                    file.write_bytes(data)
                context.load_cert_chain(*paths)
            # As client-go does. With the authority that OpenSSL adds the server has two certificates to read.
            library: str | None = getattr(ssl._ssl, "__file__", None)  # type: ignore[attr-defined]
            openssl.send_loaded_chain(context, library, context.options & 0xFFFFFFFFFFFFFFFF)
    except (ssl.SSLError, ValueError) as error:
        raise KubeconfigError(f"a certificate or key of the kubeconfig cannot be used: {error}") from error
    return context


def _material(entry: Mapping[str, Any], name: str, folder: Path) -> bytes:
    """What `name`-data holds, or the file that `name` leads to; data wins."""
    try:
        if data := entry.get(f"{name}-data"):
            return base64.b64decode(str(data), validate=True)
        if file := entry.get(name):
            return (folder / str(file)).read_bytes()
    except (OSError, binascii.Error) as error:
        raise KubeconfigError(f"{name} cannot be read: {error}") from error
    return b""


def _build_headers(user: Mapping[str, Any], folder: Path) -> dict[str, str]:
    token = str(user.get("token") or "")
    if user.get("tokenFile"):  # which wins over a token
        try:
            token = (folder / str(user["tokenFile"])).read_text().strip()
        except OSError as error:
            raise KubeconfigError(f"tokenFile cannot be read: {error}") from error
    if token:
        return {"Authorization": f"Bearer {token}"}
    if user.get("username"):
        pair = f"{user['username']}:{user.get('password', '')}"
        return {"Authorization": f"Basic {base64.b64encode(pair.encode()).decode()}"}
    return {}


def _run_plugin(plugin: Mapping[str, Any], path: Path) -> dict[str, str]:
    """What a credential plugin answers, in the words of a kubeconfig's user."""
    command = str(plugin.get("command") or "")
    if "/" in command:
        command = str(path.parent / command)
    version = str(plugin.get("apiVersion") or "client.authentication.k8s.io/v1")
    request = {"apiVersion": version, "kind": "ExecCredential", "spec": {"interactive": False}}
    environment = {**os.environ, "KUBERNETES_EXEC_INFO": json.dumps(request)}
    environment |= {str(each["name"]): str(each["value"]) for each in plugin.get("env") or ()}
    arguments = [command, *map(str, plugin.get("args") or ())]
    try:
        done = subprocess.run(
            arguments, env=environment, stdout=subprocess.PIPE, check=True, timeout=_EXEC_TIMEOUT_S, text=True
        )
        status = json.loads(done.stdout)["status"]
    except (OSError, subprocess.SubprocessError, ValueError, KeyError, TypeError) as error:
        raise KubeconfigError(f"the credential plugin {command!r} failed: {error}") from error
    found = {"token": status.get("token") or ""}
    for name, key in (("client-certificate", "clientCertificateData"), ("client-key", "clientKeyData")):
        if status.get(key):
            found[f"{name}-data"] = base64.b64encode(status[key].encode()).decode()
    return found
