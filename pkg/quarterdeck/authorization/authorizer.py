"""Who may do what. Until RBAC is served: system:masters everything, everybody health and version, nobody else anything.

Source: apiserver/pkg/authorization/authorizer/interfaces.go; the rules of clusterrole system:public-info-viewer.
"""

from __future__ import annotations

from typing import Final, NamedTuple, Protocol

from quarterdeck.apimachinery.user import User

_OPEN_PATHS: Final = frozenset(("/healthz", "/livez", "/readyz", "/version", "/version/"))
_OPEN_PREFIXES: Final = ("/healthz/", "/livez/", "/readyz/")
_OPEN_RULES: Final = ("/healthz", "/healthz/*", "/livez", "/livez/*", "/readyz", "/readyz/*", "/version", "/version/")


class Attributes(NamedTuple):
    """What is to be done: to a resource, or (`path`) something else."""

    verb: str
    group: str = ""
    version: str = ""
    resource: str = ""
    subresource: str = ""
    namespace: str = ""
    name: str = ""
    path: str = ""
    is_resource: bool = True


class Decision(NamedTuple):
    is_allowed: bool
    reason: str = ""
    error: str = ""


class Rules(NamedTuple):
    """What a user may do, as SelfSubjectRulesReview tells it."""

    resource: list[dict[str, list[str]]]
    other: list[dict[str, list[str]]]


class Authorizer(Protocol):
    def authorize(self, user: User, attributes: Attributes) -> Decision: ...

    def rules_of(self, user: User, namespace: str) -> Rules: ...


class MastersAuthorizer:
    def authorize(self, user: User, attributes: Attributes) -> Decision:
        if user.is_master:
            return Decision(True)
        is_open = not attributes.is_resource and attributes.verb in ("get", "head") and is_open_path(attributes.path)
        return Decision(is_open)

    def rules_of(self, user: User, namespace: str) -> Rules:
        if not user.is_master:
            return Rules([], [{"verbs": ["get"], "nonResourceURLs": list(_OPEN_RULES)}])
        everything = ["*"]
        return Rules(
            [{"verbs": everything, "apiGroups": everything, "resources": everything}],
            [{"verbs": everything, "nonResourceURLs": everything}],
        )


def is_open_path(path: str) -> bool:
    return path in _OPEN_PATHS or path.startswith(_OPEN_PREFIXES)
