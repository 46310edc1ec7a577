"""How the chain is put together from its plugins: each resource has those that can have to say something of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from quarterdeck.admission.chain import Chain, MutatingPlugin, Plugins, ValidatingPlugin


class Plugin(NamedTuple):
    """`resources`: the only ones that it is asked about, by group and name; None for all."""

    name: str
    resources: frozenset[tuple[str, str]] | None
    mutating: MutatingPlugin | None = None
    validating: ValidatingPlugin | None = None


def assemble(plugins: Sequence[Plugin]) -> Chain:
    """`plugins` in upstream's order."""
    named = {resource for plugin in plugins for resource in plugin.resources or ()}
    general = _choose([plugin for plugin in plugins if plugin.resources is None])
    particular = {
        resource: _choose([plugin for plugin in plugins if plugin.resources is None or resource in plugin.resources])
        for resource in named
    }
    return Chain(general.mutating, general.validating, particular)


def _choose(plugins: Sequence[Plugin]) -> Plugins:
    return Plugins(
        tuple(plugin.mutating for plugin in plugins if plugin.mutating is not None),
        tuple(plugin.validating for plugin in plugins if plugin.validating is not None),
    )
