"""How the chain is put together from its plugins: each resource has those that can have to say something of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from quarterdeck.admission.chain import Chain, MutatingPlugin, Plugins, ValidatingPlugin
from quarterdeck.admission.timings import ADMIT, VALIDATE, Timing, Timings


class Plugin(NamedTuple):
    """`resources`: the only ones that it is asked about, by group and name; None for all."""

    name: str
    resources: frozenset[tuple[str, str]] | None
    mutating: MutatingPlugin | None = None
    validating: ValidatingPlugin | None = None


def assemble(plugins: Sequence[Plugin], timings: Timings | None = None) -> Chain:
    """`plugins` in upstream's order."""
    named = {resource for plugin in plugins for resource in plugin.resources or ()}
    timed = {plugin.name: _time(plugin, timings) for plugin in plugins}
    general = _choose([plugin for plugin in plugins if plugin.resources is None], timed)
    particular = {
        resource: _choose(
            [plugin for plugin in plugins if plugin.resources is None or resource in plugin.resources], timed
        )
        for resource in named
    }
    return Chain(general, particular, timings)


_Timed = tuple[Timing | None, Timing | None]


def _time(plugin: Plugin, timings: Timings | None) -> _Timed:
    """Of both passes."""
    if timings is None:
        return None, None
    return timings.of_plugin(plugin.name, ADMIT), timings.of_plugin(plugin.name, VALIDATE)


def _choose(plugins: Sequence[Plugin], timed: Mapping[str, _Timed]) -> Plugins:
    mutating = [plugin for plugin in plugins if plugin.mutating is not None]
    validating = [plugin for plugin in plugins if plugin.validating is not None]
    return Plugins(
        tuple(plugin.mutating for plugin in mutating if plugin.mutating is not None),
        tuple(plugin.validating for plugin in validating if plugin.validating is not None),
        tuple(timed[plugin.name][0] for plugin in mutating),
        tuple(timed[plugin.name][1] for plugin in validating),
    )
