"""Which node a user is. Source: pkg/auth/nodeidentifier/default.go."""

from __future__ import annotations

from typing import Final

from quarterdeck.apimachinery.user import User

NODES: Final = "system:nodes"
PREFIX: Final = "system:node:"


def node_of(user: User) -> str | None:
    """Its name, which may be ""; None where the user is no node."""
    name = user.name
    return name[len(PREFIX) :] if name.startswith(PREFIX) and NODES in user.groups else None
