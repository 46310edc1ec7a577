"""The admission chain: plugins in a fixed order, a mutating pass and a validating pass.

A plugin answers at once (None) or hands back an awaitable, so that a chain of local plugins costs no task switch.
A refusal is an APIStatus that the plugin raises. Source: apiserver/pkg/admission/{chain,interfaces,reinvocation}.go.
"""

from __future__ import annotations

from collections.abc import Awaitable
from typing import Protocol

from quarterdeck.admission.attributes import Attributes


class MutatingPlugin(Protocol):
    """`admit` sees the object before it is prepared and validated, and may change it."""

    def admit(self, attributes: Attributes) -> Awaitable[None] | None: ...


class ValidatingPlugin(Protocol):
    """`validate` sees the object as it is to be stored."""

    def validate(self, attributes: Attributes) -> Awaitable[None] | None: ...


class Chain:
    """A plugin that does both stands in both lists. Where a mutating plugin asks for it (Attributes.reinvocation), all
    of them run once more."""

    def __init__(self, mutating: tuple[MutatingPlugin, ...], validating: tuple[ValidatingPlugin, ...]) -> None:
        self.mutating = mutating
        self.validating = validating

    def admit(self, attributes: Attributes) -> Awaitable[None] | None:
        """The mutating pass: done (None) unless a plugin has to be awaited."""
        for position, plugin in enumerate(self.mutating):
            waiting = plugin.admit(attributes)
            if waiting is not None:
                return self._admit_on(waiting, attributes, position + 1)
        if attributes.reinvoking is not None:
            return self._reinvoke(attributes)
        return None

    async def _admit_on(self, waiting: Awaitable[None], attributes: Attributes, position: int) -> None:
        await waiting
        for plugin in self.mutating[position:]:
            again = plugin.admit(attributes)
            if again is not None:
                await again
        if attributes.reinvoking is not None:
            more = self._reinvoke(attributes)
            if more is not None:
                await more

    def _reinvoke(self, attributes: Attributes) -> Awaitable[None] | None:
        reinvocation = attributes.reinvocation
        if reinvocation.is_reinvoke or not reinvocation.is_requested:
            return None
        reinvocation.is_reinvoke = True
        return self.admit(attributes)

    def validate(self, attributes: Attributes) -> Awaitable[None] | None:
        """The validating pass, likewise."""
        for position, plugin in enumerate(self.validating):
            waiting = plugin.validate(attributes)
            if waiting is not None:
                return self._validate_on(waiting, attributes, position + 1)
        return None

    async def _validate_on(self, waiting: Awaitable[None], attributes: Attributes, position: int) -> None:
        await waiting
        for plugin in self.validating[position:]:
            again = plugin.validate(attributes)
            if again is not None:
                await again
