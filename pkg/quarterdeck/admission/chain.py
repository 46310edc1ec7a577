"""The admission chain: plugins in a fixed order, a mutating pass and a validating pass.

A plugin answers at once (None) or hands back an awaitable, so that a chain of local plugins costs no task switch.
A refusal is an APIStatus that the plugin raises. Source: apiserver/pkg/admission/{chain,interfaces}.go.
"""

from __future__ import annotations

from collections.abc import Awaitable
from dataclasses import dataclass
from typing import Any, Final, Protocol

from quarterdeck.apimachinery.user import User
from quarterdeck.apis.resource import APIResource

CREATE: Final = "CREATE"
UPDATE: Final = "UPDATE"
DELETE: Final = "DELETE"


@dataclass(slots=True)
class Attributes:
    """What admission knows of a request. `obj` is None at a DELETE, `old` at a CREATE; a mutating plugin changes
    `obj` in place. `name` is "" where it is still to be generated."""

    operation: str
    resource: APIResource
    subresource: str
    namespace: str
    name: str
    obj: dict[str, Any] | None
    old: dict[str, Any] | None
    user: User
    dry_run: bool
    warnings: list[str]


class Plugin(Protocol):
    """`admit` is the mutating pass, `validate` the one after the object is complete and valid."""

    def admit(self, attributes: Attributes) -> Awaitable[None] | None: ...

    def validate(self, attributes: Attributes) -> Awaitable[None] | None: ...


class Chain:
    def __init__(self, plugins: tuple[Plugin, ...]) -> None:
        self._plugins = plugins

    async def admit(self, attributes: Attributes) -> None:
        for plugin in self._plugins:
            waiting = plugin.admit(attributes)
            if waiting is not None:
                await waiting

    async def validate(self, attributes: Attributes) -> None:
        for plugin in self._plugins:
            waiting = plugin.validate(attributes)
            if waiting is not None:
                await waiting
