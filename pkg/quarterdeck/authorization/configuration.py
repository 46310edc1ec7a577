"""Which authorizers are asked, in which order: what flags say, or the file of --authorization-config.

Source: apiserver/pkg/apis/apiserver/types.go (AuthorizationConfiguration), pkg/kubeapiserver/authorizer/modes.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final, NamedTuple

RBAC: Final = "RBAC"
NODE: Final = "Node"
ALWAYS_ALLOW: Final = "AlwaysAllow"
ALWAYS_DENY: Final = "AlwaysDeny"
WEBHOOK: Final = "Webhook"
ABAC: Final = "ABAC"
MODES: Final = (ALWAYS_ALLOW, ALWAYS_DENY, ABAC, WEBHOOK, RBAC, NODE)


class Webhook(NamedTuple):
    """`version` is that of the reviews sent. `is_denied_on_failure`: what cannot be answered is denied, rather than
    left to the authorizers that follow. A time to live of 0: nothing is remembered."""

    kubeconfig: Path
    version: str = "v1beta1"
    timeout_s: float = 30.0
    authorized_ttl_s: float = 300.0
    unauthorized_ttl_s: float = 30.0
    is_denied_on_failure: bool = False
    conditions: tuple[str, ...] = ()


class AuthorizerConfiguration(NamedTuple):
    """`webhook` is there for webhooks alone."""

    type: str
    name: str
    webhook: Webhook | None = None


def name_of(mode: str) -> str:
    """That of an authorizer that is no webhook."""
    return mode.lower()


DEFAULT: Final = (AuthorizerConfiguration(RBAC, name_of(RBAC)),)
