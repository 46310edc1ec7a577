"""Flags of kube-apiserver that would make the server safer and that it cannot honour: why, and which of their values
ask for nothing that is not so anyway.

Source of the names and of what plugins do: `kube-apiserver --help`, kubernetes/pkg/kubeapiserver/options/plugins.go.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

_NO_AUDIT: Final = "no audit log is written here"
_NO_OPENID: Final = "no OpenID Connect provider is asked here; --token-auth-file and client certificates name users"
_NO_TOKEN_REVIEW: Final = "no webhook is asked who a token belongs to"
_NO_POLICY: Final = "members of system:masters may do everything here and others nothing; nothing else is asked"

# Authorizers that grant nobody more than the server does: none of its users is a node or has a role.
_MODES: Final = frozenset(("RBAC", "Node", "AlwaysDeny"))

# Plugins that are here, that forbid nothing, or that forbid only what none of the server's users may do anyway.
_PLUGINS: Final = frozenset(
    (
        "AlwaysAdmit",
        "DefaultIngressClass",
        "DefaultStorageClass",
        "DefaultTolerationSeconds",
        "ExtendedResourceToleration",
        "MutatingAdmissionPolicy",
        "MutatingAdmissionWebhook",
        "NamespaceAutoProvision",
        "NamespaceExists",
        "NamespaceLifecycle",
        "NodeRestriction",
        "PodTopologyLabels",
        "StorageObjectInUseProtection",
        "TaintNodesByCondition",
    )
)


def _refuse_given(reason: str) -> Callable[[str | None], str]:
    """Any value but the empty one, which is upstream's default."""
    return lambda value: "" if value == "" else reason


def _refuse_modes(value: str | None) -> str:
    unknown = _unknown(value, _MODES)
    return f"{', '.join(unknown)}: {_NO_POLICY} (known: {', '.join(sorted(_MODES))})" if unknown else ""


def _refuse_plugins(value: str | None) -> str:
    unknown = _unknown(value, _PLUGINS)
    return f"nothing here does what {', '.join(unknown)} does" if unknown else ""


def _refuse_unprivileged(value: str | None) -> str:
    is_true = value is None or value in ("1", "t", "T", "true", "TRUE", "True")
    return "" if is_true else "privileged pods are taken here, as pods are data that nobody runs"


def _unknown(value: str | None, known: frozenset[str]) -> list[str]:
    return [name for name in (part.strip() for part in (value or "").split(",")) if name and name not in known]


_RULES: Final[dict[str, Callable[[str | None], str]]] = {
    "admission-control": _refuse_plugins,
    "admission-control-config-file": _refuse_given("no admission plugin here reads a configuration"),
    "allow-privileged": _refuse_unprivileged,
    "audit-log-path": _refuse_given(_NO_AUDIT),
    "audit-policy-file": _refuse_given(_NO_AUDIT),
    "audit-webhook-config-file": _refuse_given(_NO_AUDIT),
    "authentication-config": _refuse_given(_NO_OPENID),
    "authentication-token-webhook-config-file": _refuse_given(_NO_TOKEN_REVIEW),
    "authorization-config": _refuse_given(_NO_POLICY),
    "authorization-mode": _refuse_modes,
    "authorization-policy-file": _refuse_given(_NO_POLICY),
    "authorization-webhook-config-file": _refuse_given(_NO_POLICY),
    "egress-selector-config-file": _refuse_given("nothing that the server sends goes through a proxy"),
    "enable-admission-plugins": _refuse_plugins,
    "encryption-provider-config": _refuse_given("the store is not encrypted; keep --data-dir on an encrypted disk"),
    "oidc-ca-file": _refuse_given(_NO_OPENID),
    "oidc-client-id": _refuse_given(_NO_OPENID),
    "oidc-groups-claim": _refuse_given(_NO_OPENID),
    "oidc-groups-prefix": _refuse_given(_NO_OPENID),
    "oidc-issuer-url": _refuse_given(_NO_OPENID),
    "oidc-required-claim": _refuse_given(_NO_OPENID),
    "oidc-signing-algs": _refuse_given(_NO_OPENID),
    "oidc-username-claim": _refuse_given(_NO_OPENID),
    "oidc-username-prefix": _refuse_given(_NO_OPENID),
    "service-account-signing-endpoint": _refuse_given("tokens are signed with a key in a file"),
    "strict-transport-security-directives": _refuse_given("no such header is sent"),
    "tls-sni-cert-key": _refuse_given("there is one serving certificate, that of --tls-cert-file"),
}

REFUSED: Final = frozenset(_RULES)


def find_refusal(flag: str, value: str | None) -> str:
    """Why a flag cannot be taken with this value (None: without one); empty where it can, or is none of these."""
    rule = _RULES.get(flag)
    return rule(value) if rule is not None else ""
