"""Who sends a request (upstream: apiserver/pkg/authentication/user)."""

from __future__ import annotations

from dataclasses import dataclass
from dataclasses import field as dataclass_field
from typing import Any, Final

SYSTEM_MASTERS: Final = "system:masters"
ALL_AUTHENTICATED: Final = "system:authenticated"
ALL_UNAUTHENTICATED: Final = "system:unauthenticated"
ANONYMOUS_NAME: Final = "system:anonymous"


@dataclass(frozen=True, slots=True)
class User:
    """`groups` include `system:authenticated` (or `system:unauthenticated`); `extra` values are lists of text."""

    name: str
    uid: str = ""
    groups: tuple[str, ...] = ()
    extra: dict[str, tuple[str, ...]] = dataclass_field(default_factory=dict)

    @property
    def is_master(self) -> bool:
        return SYSTEM_MASTERS in self.groups

    def to_user_info(self) -> dict[str, Any]:
        """The user as a UserInfo of authentication.k8s.io."""
        info: dict[str, Any] = {}
        if self.name:
            info["username"] = self.name
        if self.uid:
            info["uid"] = self.uid
        if self.groups:
            info["groups"] = list(self.groups)
        if self.extra:
            info["extra"] = {name: list(values) for name, values in self.extra.items()}
        return info


ANONYMOUS: Final = User(ANONYMOUS_NAME, groups=(ALL_UNAUTHENTICATED,))
