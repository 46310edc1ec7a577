"""What admission asks of authorization: for expressions of policies and webhooks, and for who approves and signs."""

from __future__ import annotations

from quarterdeck.apimachinery.user import User
from quarterdeck.authorization import selectors
from quarterdeck.authorization.authorizer import Attributes, Authorizer
from quarterdeck.cel.lib_authz import Check


class Decision:
    """What an expression is told of a check."""

    __slots__ = ("allowed", "error", "reason")

    def __init__(self, allowed: bool, reason: str, error: str | None) -> None:
        self.allowed = allowed
        self.reason = reason
        self.error = error


class Authorization:
    """What expressions ask. The authorizer is built after the chain, of which its own requests are a part."""

    def __init__(self) -> None:
        self.authorizer: Authorizer | None = None

    def require(self) -> Authorizer:
        assert self.authorizer is not None
        return self.authorizer

    def decide(self, user: User, check: Check) -> Decision:
        """Whether the user, or the service account that the check names, may do what it says."""
        if check.service_account is not None:
            user = _user_of(*check.service_account)
        asked = Attributes(
            check.verb,
            check.group,
            "*" if not check.path else "",
            check.resource,
            check.subresource,
            check.namespace,
            check.name,
            check.path,
            is_resource=not check.path,
            selectors=selectors.read(check.field_selector, check.label_selector),
        )
        found = self.require().authorize(user, asked)
        return Decision(found.is_allowed, found.reason, found.error or None)

    def may_as_signer(self, user: User, verb: str, signer: str) -> bool:
        """Whether the user may approve or sign requests to this signer."""
        asked = Attributes(verb, "certificates.k8s.io", "*", "signers", name=signer)
        return self.require().allows(user, asked)


def _user_of(namespace: str, name: str) -> User:
    groups = ("system:serviceaccounts", f"system:serviceaccounts:{namespace}", "system:authenticated")
    return User(f"system:serviceaccount:{namespace}:{name}", groups=groups)
