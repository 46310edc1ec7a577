"""AlwaysAllow and AlwaysDeny. Source: apiserver/pkg/authorization/authorizerfactory/builtin.go."""

from __future__ import annotations

from typing import Final

from quarterdeck.apimachinery.user import User
from quarterdeck.authorization.authorizer import ALLOWED, Attributes, Decision, Rules

_FORBIDDEN: Final = Decision(False, "Everything is forbidden.")


class AlwaysAllow:
    def quick(self, _user: User, _attributes: Attributes) -> Decision:
        return ALLOWED

    def authorize(self, _user: User, _attributes: Attributes) -> Decision:
        return ALLOWED

    def rules_of(self, _user: User, _namespace: str) -> Rules:
        everything = ["*"]
        return Rules(
            [{"verbs": everything, "apiGroups": everything, "resources": everything}],
            [{"verbs": everything, "nonResourceURLs": everything}],
        )


class AlwaysDeny:
    """It has no opinion: what comes after it is asked, there as here."""

    def quick(self, _user: User, _attributes: Attributes) -> Decision:
        return _FORBIDDEN

    def authorize(self, _user: User, _attributes: Attributes) -> Decision:
        return _FORBIDDEN

    def rules_of(self, _user: User, _namespace: str) -> Rules:
        return Rules([], [])
