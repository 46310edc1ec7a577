"""Several authorizers, asked in order: the first that allows or denies decides, the reasons of the others are joined.

system:masters may do everything, whatever the authorizers are. `replace` puts others in their place while requests are
answered. Source: apiserver/pkg/authorization/{union,metrics}, pkg/kubeapiserver/authorizer/reload.go.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from quarterdeck.apimachinery import errors
from quarterdeck.apimachinery.user import User
from quarterdeck.authorization.authorizer import ALLOWED, Attributes, Decision, Mode, Rules
from quarterdeck.metrics.registry import Counter, Family, Registry


class Named(NamedTuple):
    """`type` is a mode (RBAC, Webhook …); `name` tells webhooks apart. `tell` counts what it did for the last decision:
    it is called once for each, which may be begun several times, until others have answered."""

    type: str
    name: str
    authorizer: Mode
    tell: Callable[[], None] | None = None


class _Member:
    """Counts what it decides; a counter is there from the first time on."""

    __slots__ = ("_allowed", "_family", "_named", "authorizer", "tell")

    def __init__(self, named: Named, family: Family[Counter]) -> None:
        self.authorizer = named.authorizer
        self.tell = named.tell
        self._named = named
        self._family = family
        self._allowed: Counter | None = None

    def count_allowed(self) -> None:
        if self._allowed is None:
            self._allowed = self._family.labels(self._named.type, self._named.name, "allowed")
        self._allowed.inc()

    def count_denied(self) -> None:
        self._family.labels(self._named.type, self._named.name, "denied").inc()


class AuthorizerChain:
    def __init__(self, metrics: Registry, members: Sequence[Named] = ()) -> None:
        self._decisions = metrics.counter(
            "apiserver_authorization_decisions_total",
            "[ALPHA] Total number of terminal decisions made by an authorizer split by authorizer type, name, and "
            "decision.",
            ("type", "name", "decision"),
        )
        self._members: tuple[_Member, ...] = ()
        self._has_tellers = False
        self.replace(members)

    def replace(self, members: Sequence[Named]) -> None:
        self._members = tuple(_Member(each, self._decisions) for each in members)
        self._has_tellers = any(each.tell is not None for each in members)

    def allows(self, user: User, attributes: Attributes) -> bool:
        """`authorize` without the reason. A denial is counted where somebody asks for the reason."""
        if user.is_master:
            return True
        for member in self._members:
            found = member.authorizer.quick(user, attributes)
            if found.is_allowed:
                member.count_allowed()
                if self._has_tellers:
                    self._tell(member)
                return True
            if found.is_denied:
                return False
        return False

    def authorize(self, user: User, attributes: Attributes) -> Decision:
        """The first word for or against; without one it is no, for the reasons and faults of all."""
        if user.is_master:
            return ALLOWED
        reasons: list[str] = []
        faults: list[str] = []
        for member in self._members:
            found = member.authorizer.authorize(user, attributes)
            if found.is_allowed or found.is_denied:
                if found.is_allowed:
                    member.count_allowed()
                else:
                    member.count_denied()
                self._tell(member)
                return found
            if found.reason:
                reasons.append(found.reason)
            if found.error:
                faults.append(found.error)
        self._tell(None)
        return Decision(False, "\n".join(reasons), errors.aggregate(faults))

    def _tell(self, last: _Member | None) -> None:
        """Of those who were asked: `last` decided, or nobody did."""
        for member in self._members:
            if member.tell is not None:
                member.tell()
            if member is last:
                return

    def rules_of(self, user: User, namespace: str) -> Rules:
        """Upstream leaves out what system:masters may do as such; they have it by a binding as well."""
        found = [member.authorizer.rules_of(user, namespace) for member in self._members]
        return Rules(
            [rule for each in found for rule in each.resource],
            [rule for each in found for rule in each.other],
            errors.aggregate([each.error for each in found if each.error]),
            any(each.is_incomplete for each in found),
        )
