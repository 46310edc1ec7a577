"""Who may do what: what authorizers are asked and answer.

Source: apiserver/pkg/authorization/authorizer/interfaces.go.
"""

from __future__ import annotations

from typing import Final, NamedTuple, Protocol

from quarterdeck.apimachinery.user import User
from quarterdeck.authorization.selectors import Selectors


class Attributes(NamedTuple):
    """What is to be done: to a resource, or (`path`) something else. `selectors` of a request for several objects."""

    verb: str
    group: str = ""
    version: str = ""
    resource: str = ""
    subresource: str = ""
    namespace: str = ""
    name: str = ""
    path: str = ""
    is_resource: bool = True
    selectors: Selectors | None = None


class Decision(NamedTuple):
    """Neither allowed nor denied: no opinion, the next authorizer is asked. `error`: why there may be no better one."""

    is_allowed: bool
    reason: str = ""
    error: str = ""
    is_denied: bool = False


ALLOWED: Final = Decision(True)
NO_OPINION: Final = Decision(False)


class Rules(NamedTuple):
    """What a user may do, as SelfSubjectRulesReview tells it. `is_incomplete`: more may be allowed; `error` tells what
    may be missing."""

    resource: list[dict[str, list[str]]]
    other: list[dict[str, list[str]]]
    error: str = ""
    is_incomplete: bool = False


class Authorizer(Protocol):
    """What is asked. Each method raises Unanswered (apimachinery/questions.py) where another server has to be asked
    first."""

    def allows(self, user: User, attributes: Attributes) -> bool:
        """`authorize` without the reason, which costs more to tell than to find."""

    def authorize(self, user: User, attributes: Attributes) -> Decision: ...

    def rules_of(self, user: User, namespace: str) -> Rules: ...


class Mode(Protocol):
    """One of the authorizers that a chain asks; likewise."""

    def quick(self, user: User, attributes: Attributes) -> Decision:
        """`authorize`, without a reason where it is allowed."""

    def authorize(self, user: User, attributes: Attributes) -> Decision: ...

    def rules_of(self, user: User, namespace: str) -> Rules: ...
