"""A webhook that a kubeconfig describes: where it is, whom to believe that it is it, and as whom it is called.

Source: client-go/tools/clientcmd, apiserver/pkg/util/webhook/webhook.go (LoadKubeconfig),
client-go/transport/token_source.go.
"""

from __future__ import annotations

import base64
import binascii
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple
from urllib.parse import unquote, urlsplit

from quarterdeck.apimachinery import gofmt
from quarterdeck.apimachinery.codec import json, yaml
from quarterdeck.transport.client.trust import Trust
from quarterdeck.webhook.config import HTTPS_PORT, Target, join_path

_TOKEN_S: Final = 60.0
_NO_PROGRAM: Final = (
    "no other program is run for credentials; give token, tokenFile, username and password, or client-certificate and "
    "client-key"
)
_NO_OTHER: Final = "webhooks are called as the user of the file alone"
# What cannot be honoured of a user, and why.
_UNSUPPORTED: Final = {
    "exec": _NO_PROGRAM,
    "auth-provider": _NO_PROGRAM,
    "as": _NO_OTHER,
    "as-uid": _NO_OTHER,
    "as-groups": _NO_OTHER,
    "as-user-extra": _NO_OTHER,
}

_BAD: Final = (OSError, ValueError, TypeError, KeyError, AttributeError, binascii.Error)

Object = Mapping[str, Any]
Own = tuple[bytes, bytes]  # a certificate and its key, PEM


class BadKubeconfig(ValueError):
    """The text is for whoever named the file."""


class Remote(NamedTuple):
    target: Target
    credentials: Credentials


class Credentials:
    """What is sent as whom. A token in a file is read again, since it is replaced before it expires."""

    def __init__(self, authorization: str = "", token_file: Path | None = None) -> None:
        """Raises OSError."""
        self._authorization = authorization
        self._file = token_file
        self._read_s = 0.0
        if token_file is not None:
            self._read(token_file)

    def headers(self) -> dict[str, str]:
        if self._file is not None and time.monotonic() - self._read_s >= _TOKEN_S:
            try:
                self._read(self._file)
            except OSError:
                pass  # the last one may still do
        return {"Authorization": self._authorization} if self._authorization else {}

    def _read(self, file: Path) -> None:
        self._authorization = f"Bearer {file.read_text().strip()}"
        self._read_s = time.monotonic()


class User(NamedTuple):
    credentials: Credentials
    own: Own | None


def load(path: Path) -> Remote:
    """Of the current context. Over plain HTTP nobody's secrets are sent, as upstream. Raises BadKubeconfig."""
    try:
        config = _read(path)
        context = _named(config, "contexts", "context", config.get("current-context") or "")
        cluster = _named(config, "clusters", "cluster", context.get("cluster") or "")
        user = _named(config, "users", "user", context["user"]) if context.get("user") else {}
        target, credentials = _build_target(cluster, user, path.parent), _build_credentials(user, path.parent)
        return Remote(target, credentials if target.trusted is not None else Credentials())
    except _BAD as error:
        raise BadKubeconfig(f"{path}: {_describe(error)}") from error


def load_users(path: Path) -> tuple[dict[str, User], str]:
    """All users of a file by name, and the name of the one of the current context, "" where there is none. Raises
    BadKubeconfig."""
    try:
        config = _read(path)
        users = {each["name"]: _build_user(each.get("user") or {}, path.parent) for each in config.get("users") or ()}
        named = {each["name"]: each.get("context") or {} for each in config.get("contexts") or ()}
        return users, named.get(config.get("current-context") or "", {}).get("user") or ""
    except _BAD as error:
        raise BadKubeconfig(f"{path}: {_describe(error)}") from error


def _build_user(user: Object, base: Path) -> User:
    own = _read_own(user, base)
    if own is not None:
        Trust(b"", own)  # which tells at once what cannot be used
    return User(_build_credentials(user, base), own)


def _describe(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror.lower()}"
    is_shape = isinstance(error, (TypeError, KeyError, AttributeError))
    return f"a field has the wrong type: {error}" if is_shape else str(error)


def _read(path: Path) -> Object:
    data = path.read_bytes()
    try:
        value = json.decode(data).value if data.lstrip().startswith(b"{") else yaml.decode(data).value
    except (json.DecodeError, yaml.DecodeError) as error:
        raise ValueError(error.message) from error
    if not isinstance(value, dict):
        raise ValueError("it is no object")
    return value


def _named(config: Object, members: str, member: str, name: str) -> Object:
    for each in config.get(members) or ():
        if each.get("name") == name:
            found: Object = each.get(member) or {}
            return found
    raise ValueError(f"invalid configuration: there is no {member} {gofmt.quote(name)}")


def _build_target(cluster: Object, user: Object, base: Path) -> Target:
    if cluster.get("proxy-url"):
        raise ValueError("proxy-url cannot be honoured: nothing that the server sends goes through a proxy")
    parts = urlsplit(str(cluster.get("server") or ""))
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError(f"the server {gofmt.quote(cluster.get('server') or '')} is no URL of http or https")
    trusted = None
    if parts.scheme == "https":
        is_verified = not cluster.get("insecure-skip-tls-verify")
        bundle = _data(cluster, "certificate-authority", base)
        if not is_verified and bundle:
            raise ValueError("specifying a root certificates file with the insecure flag is not allowed")
        trusted = Trust(bundle, _read_own(user, base), is_verified=is_verified)
    port = parts.port or (HTTPS_PORT if trusted is not None else 80)
    name = cluster.get("tls-server-name") or parts.hostname
    return Target(parts.netloc, name, port, join_path(unquote(parts.path)), None, trusted, parts.hostname)


def _read_own(user: Object, base: Path) -> Own | None:
    own = _data(user, "client-certificate", base), _data(user, "client-key", base)
    if bool(own[0]) != bool(own[1]):
        raise ValueError("client-certificate and client-key belong together: one is missing")
    return own if own[0] else None


def _build_credentials(user: Object, base: Path) -> Credentials:
    for member, reason in _UNSUPPORTED.items():
        if user.get(member):
            raise ValueError(f"{member} cannot be honoured for a webhook: {reason}")
    if file := user.get("tokenFile"):
        return Credentials(token_file=base / file)
    if token := user.get("token"):
        return Credentials(f"Bearer {token}")
    if name := user.get("username"):
        pair = f"{name}:{user.get('password') or ''}".encode()
        return Credentials(f"Basic {base64.b64encode(pair).decode()}")
    return Credentials()


def _data(section: Object, member: str, base: Path) -> bytes:
    """What stands in the file itself, else in one that it names."""
    if text := section.get(f"{member}-data"):
        return base64.b64decode(text)
    return (base / section[member]).read_bytes() if section.get(member) else b""
