"""The admission chain: plugins in a fixed order, a mutating pass and a validating pass.

A plugin answers at once (None) or hands back an awaitable, so that a chain of local plugins costs no task switch.
A refusal is an APIStatus that the plugin raises. One that has to ask another server who may do what raises Unanswered
before it changes anything, and is called again. Source: apiserver/pkg/admission/{chain,interfaces,reinvocation}.go.
"""

from __future__ import annotations

from collections.abc import Awaitable, Mapping
from functools import partial
from typing import NamedTuple, Protocol

from quarterdeck.admission.attributes import Attributes
from quarterdeck.apimachinery import questions
from quarterdeck.apimachinery.questions import Unanswered


class MutatingPlugin(Protocol):
    """`admit` sees the object before it is prepared and validated, and may change it."""

    def admit(self, attributes: Attributes) -> Awaitable[None] | None: ...


class ValidatingPlugin(Protocol):
    """`validate` sees the object as it is to be stored."""

    def validate(self, attributes: Attributes) -> Awaitable[None] | None: ...


class Plugins(NamedTuple):
    """The plugins of both passes. One that does both stands in both."""

    mutating: tuple[MutatingPlugin, ...]
    validating: tuple[ValidatingPlugin, ...]


class Chain:
    """`particular`: the plugins of the resources that more are asked about than about all, by group and name. Where a
    mutating plugin asks for it (Attributes.reinvocation), all of them run once more."""

    def __init__(
        self,
        mutating: tuple[MutatingPlugin, ...],
        validating: tuple[ValidatingPlugin, ...],
        particular: Mapping[tuple[str, str], Plugins] | None = None,
    ) -> None:
        self._general = Plugins(mutating, validating)
        self._particular = dict(particular or {})

    def admit(self, attributes: Attributes) -> Awaitable[None] | None:
        """The mutating pass: done (None) unless a plugin has to be awaited."""
        plugins = self._find(attributes).mutating
        for position, plugin in enumerate(plugins):
            try:
                waiting = plugin.admit(attributes)
            except Unanswered:
                waiting = questions.settle_later(partial(plugin.admit, attributes))
            if waiting is not None:
                return self._admit_on(waiting, attributes, plugins[position + 1 :])
        if attributes.reinvoking is not None:
            return self._reinvoke(attributes)
        return None

    def _find(self, attributes: Attributes) -> Plugins:
        resource = attributes.resource
        found = self._particular.get((resource.group, resource.name))
        return found if found is not None else self._general

    async def _admit_on(
        self, waiting: Awaitable[None], attributes: Attributes, plugins: tuple[MutatingPlugin, ...]
    ) -> None:
        await waiting
        for plugin in plugins:
            await questions.settle_later(partial(plugin.admit, attributes))
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
        plugins = self._find(attributes).validating
        for position, plugin in enumerate(plugins):
            try:
                waiting = plugin.validate(attributes)
            except Unanswered:
                waiting = questions.settle_later(partial(plugin.validate, attributes))
            if waiting is not None:
                return self._validate_on(waiting, attributes, plugins[position + 1 :])
        return None

    async def _validate_on(
        self, waiting: Awaitable[None], attributes: Attributes, plugins: tuple[ValidatingPlugin, ...]
    ) -> None:
        await waiting
        for plugin in plugins:
            await questions.settle_later(partial(plugin.validate, attributes))
