"""The admission chain: plugins in a fixed order, a mutating pass and a validating pass.

A plugin answers at once (None) or hands back an awaitable, so that a chain of local plugins costs no task switch.
A refusal is an APIStatus that the plugin raises. Source: apiserver/pkg/admission/{chain,interfaces}.go.
"""

from __future__ import annotations

from collections.abc import Awaitable
from typing import Any, Final, Protocol

from quarterdeck.apimachinery.user import User
from quarterdeck.apis.resource import APIResource

CREATE: Final = "CREATE"
UPDATE: Final = "UPDATE"
DELETE: Final = "DELETE"


class Attributes:
    """What admission knows of a request. `obj` is None at a DELETE, `old` at a CREATE; a mutating plugin changes
    `obj` in place, but nothing below its first level and that of its metadata, which `old` may share: it puts new
    values there. `name` is "" where it is still to be generated."""

    __slots__ = (
        "dry_run",
        "name",
        "namespace",
        "obj",
        "old",
        "operation",
        "resource",
        "subresource",
        "user",
        "warnings",
    )

    def __init__(  # noqa: PLR0913 - admission knows this much
        self,
        *,
        operation: str,
        resource: APIResource,
        subresource: str,
        namespace: str,
        name: str,
        obj: dict[str, Any] | None,
        old: dict[str, Any] | None,
        user: User,
        dry_run: bool,
        warnings: list[str],
    ) -> None:
        self.operation = operation
        self.resource = resource
        self.subresource = subresource
        self.namespace = namespace
        self.name = name
        self.obj = obj
        self.old = old
        self.user = user
        self.dry_run = dry_run
        self.warnings = warnings


class Plugin(Protocol):
    """`admit` is the mutating pass, `validate` the one after the object is complete and valid."""

    def admit(self, attributes: Attributes) -> Awaitable[None] | None: ...

    def validate(self, attributes: Attributes) -> Awaitable[None] | None: ...


class Chain:
    def __init__(self, plugins: tuple[Plugin, ...]) -> None:
        self._plugins = plugins

    def admit(self, attributes: Attributes) -> Awaitable[None] | None:
        """The mutating pass: done (None) unless a plugin has to be awaited."""
        for position, plugin in enumerate(self._plugins):
            waiting = plugin.admit(attributes)
            if waiting is not None:
                return self._admit_on(waiting, attributes, position + 1)
        return None

    async def _admit_on(self, waiting: Awaitable[None], attributes: Attributes, position: int) -> None:
        await waiting
        for plugin in self._plugins[position:]:
            again = plugin.admit(attributes)
            if again is not None:
                await again

    def validate(self, attributes: Attributes) -> Awaitable[None] | None:
        """The validating pass, likewise."""
        for position, plugin in enumerate(self._plugins):
            waiting = plugin.validate(attributes)
            if waiting is not None:
                return self._validate_on(waiting, attributes, position + 1)
        return None

    async def _validate_on(self, waiting: Awaitable[None], attributes: Attributes, position: int) -> None:
        await waiting
        for plugin in self._plugins[position:]:
            again = plugin.validate(attributes)
            if again is not None:
                await again
