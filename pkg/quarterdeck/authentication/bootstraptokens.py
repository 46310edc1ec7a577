"""Tokens that secrets of type bootstrap.kubernetes.io/token in kube-system hold: a node that joins shows one.

The secret is looked up at every request: a token is refused once its secret is gone, changed or has ended.
Source: plugin/pkg/auth/authenticator/token/bootstrap/bootstrap.go, cluster-bootstrap/token/api/types.go,
util/secrets/secrets.go.
"""

from __future__ import annotations

import base64
import hmac
import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from quarterdeck.apimachinery import clock
from quarterdeck.apimachinery.time import parse_rfc3339
from quarterdeck.apimachinery.user import User
from quarterdeck.authentication.interface import FOREVER, Identity

NAMESPACE: Final = "kube-system"
PREFIX: Final = "bootstrap-token-"
TYPE: Final = "bootstrap.kubernetes.io/token"
ID: Final = "token-id"
SECRET: Final = "token-secret"
SIGNS: Final = "usage-bootstrap-signing"
_EXPIRATION: Final = "expiration"
_AUTHENTICATES: Final = "usage-bootstrap-authentication"
_EXTRA_GROUPS: Final = "auth-extra-groups"
_GROUP: Final = "system:bootstrappers"
_USER_PREFIX: Final = "system:bootstrap:"

_token = re.compile(r"([a-z0-9]{6})\.([a-z0-9]{16})", re.ASCII).fullmatch
_extra_group = re.compile(r"system:bootstrappers:[a-z0-9:-]{0,255}[a-z0-9]", re.ASCII).fullmatch

Object = Mapping[str, Any]
Find = Callable[[str, str], Object | None]  # a secret, by (namespace, name)


class BootstrapTokens:
    def __init__(self, find: Find) -> None:
        self._find = find

    def authenticate_token(self, token: str) -> Identity | None:
        parts = _token(token)
        if parts is None:
            return None
        identifier, secret = parts.groups()
        found = self._find(NAMESPACE, PREFIX + identifier)
        if found is None:
            return None
        user = _judge(found, identifier, secret)
        if user is None:
            return None

        def is_current() -> bool:
            living = self._find(NAMESPACE, PREFIX + identifier)
            return living is not None and _judge(living, identifier, secret) == user

        return Identity(user, find_expiry_s(found), is_current)


def _judge(found: Object, identifier: str, secret: str) -> User | None:
    if found["metadata"].get("deletionTimestamp") or found.get("type") != TYPE:
        return None
    if not hmac.compare_digest(read(found, SECRET).encode(), secret.encode()) or read(found, ID) != identifier:
        return None
    if find_expiry_s(found) <= clock.wall_s() or read(found, _AUTHENTICATES) != "true":
        return None
    told = read(found, _EXTRA_GROUPS)
    extra = told.split(",") if told else []
    if not all(map(_extra_group, extra)):
        return None
    return User(f"{_USER_PREFIX}{identifier}", groups=tuple(sorted({_GROUP, *extra})))


def read(secret: Object, key: str) -> str:
    """A text of its data; "" where there is none."""
    data = (secret.get("data") or {}).get(key) or ""
    return base64.b64decode(data).decode("utf-8", "surrogateescape")


def find_expiry_s(secret: Object) -> float:
    """In seconds since 1970; 0 where that cannot be read."""
    text = read(secret, _EXPIRATION)
    return FOREVER if not text else parse_rfc3339(text) or 0.0
