"""Nobody gives away more than they have: who writes a role has to hold what it grants, or may `escalate` it; who binds
one likewise, or may `bind` it.

The last of the mutating plugins, since upstream looks between the mutating pass and validation.
Source: pkg/registry/rbac/{role,clusterrole,rolebinding,clusterrolebinding}/policybased/storage.go,
pkg/registry/rbac/{escalation_check,helpers}.go, pkg/registry/rbac/validation/rule.go (ConfirmNoEscalation).
"""

from __future__ import annotations

from typing import Final, NoReturn

from quarterdeck.admission import collected
from quarterdeck.admission.attributes import DELETE
from quarterdeck.admission.attributes import Attributes as Write
from quarterdeck.apimachinery import errors, gofmt
from quarterdeck.authorization.authorizer import Attributes, Authorizer
from quarterdeck.authorization.rbac import covers
from quarterdeck.authorization.rbac.resolver import Resolver
from quarterdeck.authorization.rbac.rules import PolicyRule
from quarterdeck.registry import keynames
from quarterdeck.registry.strategy import Object

_GROUP: Final = "rbac.authorization.k8s.io"
_ROLES: Final = ("roles", "clusterroles")
_BINDINGS: Final = ("rolebindings", "clusterrolebindings")
_EVERYTHING: Final[tuple[PolicyRule, ...]] = (
    {"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"]},
    {"verbs": ["*"], "nonResourceURLs": ["*"]},
)


class Escalation:
    """`authorizer` and `resolver` are given before the first write."""

    def __init__(self) -> None:
        self.authorizer: Authorizer | None = None
        self.resolver: Resolver | None = None

    def admit(self, write: Write) -> None:
        if write.resource.group != _GROUP or write.operation == DELETE or write.user.is_master:
            return
        assert self.authorizer is not None
        assert self.resolver is not None
        check = _Check(write, self.authorizer, self.resolver)
        if write.resource.name in _ROLES:
            check.check_role()
        elif write.resource.name in _BINDINGS:
            check.check_binding()


class _Check:
    """Of one write, by somebody who is not in system:masters. Each method raises Forbidden."""

    def __init__(self, write: Write, authorizer: Authorizer, resolver: Resolver) -> None:
        assert write.obj is not None
        self._write = write
        self._obj = write.obj
        self._authorizer = authorizer
        self._resolver = resolver

    def check_role(self) -> None:
        write, old = self._write, self._write.old
        # A POST has no name in its address. What else creates has one.
        name = "" if write.verb == "create" else write.name
        if self._may("escalate", write.resource.name, name) or self._frees_alone():
            return
        self._confirm_held(self._obj.get("rules") or ())
        # Whoever aggregates may gather anything.
        if (_aggregates(self._obj) or (old is not None and _aggregates(old))) and self._find_missing(_EVERYTHING):
            self._refuse("must have cluster-admin privileges to use the aggregationRule")

    def check_binding(self) -> None:
        if self._write.old is not None and self._frees_alone():
            return
        role = self._obj.get("roleRef") or {}
        kind, name = role.get("kind", ""), role.get("name", "")
        resource = {"Role": "roles", "ClusterRole": "clusterroles"}.get(kind)
        if resource is None:
            raise errors.Unreasoned(f"unsupported role reference kind: {gofmt.quote(kind)}")
        if self._may("bind", resource, name, role.get("apiGroup", "")):
            return
        if kind == "Role" and not self._write.namespace:
            raise errors.BadRequest("Namespace parameter required.")
        keynames.check_name(name)
        found = self._resolver.find_role(kind, name, self._write.namespace)
        if found is None:
            raise errors.NotFound.of(_GROUP, self._write.resource.name, name)
        self._confirm_held([rule.given for rule in found.rules])

    def _may(self, verb: str, resource: str, name: str, group: str = _GROUP) -> bool:
        asked = Attributes(verb, group, "*", resource, "", self._write.namespace, name)
        return self._authorizer.allows(self._write.user, asked)

    def _frees_alone(self) -> bool:
        """Whether nothing changes but what holds the object or is held by it."""
        old = self._write.old
        return old is not None and collected.changes_alone(self._obj, old)

    def _find_missing(self, rules: tuple[PolicyRule, ...] | list[PolicyRule]) -> list[dict[str, object]]:
        grants = self._resolver.grants_of(self._write.user, self._write.namespace)
        try:
            return covers.find_missing(grants.rules(), rules)
        except covers.TooManyRights:
            self._refuse(f"the role grants more than {covers.RIGHTS_MAX} single rights, too many to compare")

    def _confirm_held(self, rules: tuple[PolicyRule, ...] | list[PolicyRule]) -> None:
        missing = self._find_missing(rules)
        if not missing:
            return
        user = self._write.user
        named = f"{gofmt.quote(user.name)} (groups={gofmt.quote_all(user.groups)})"
        text = f"user {named} is attempting to grant RBAC permissions not currently"
        text += f" held:\n{covers.describe(missing)}"
        errors_found = self._resolver.grants_of(user, self._write.namespace).errors(self._write.resource.name)
        self._refuse(f"{text}; resolution errors: [{errors_found}]" if errors_found else text)

    def _refuse(self, text: str) -> NoReturn:
        write = self._write
        raise errors.Forbidden.of(_GROUP, write.resource.name, self._obj["metadata"].get("name", ""), text)


def _aggregates(role: Object) -> bool:
    return bool((role.get("aggregationRule") or {}).get("clusterRoleSelectors"))
