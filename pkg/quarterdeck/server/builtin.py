"""Wiring of the built-in resources: their scopes, and which of them clients find."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Final

from quarterdeck.apiextensions.resource import definition_of_definitions
from quarterdeck.apis.enablement import Enablement
from quarterdeck.apis.resource import APIResource
from quarterdeck.endpoints.table.builtin import convertor_for
from quarterdeck.metrics.registry import Registry
from quarterdeck.registry.builtin import further, resources
from quarterdeck.registry.builtin.assembly import Assembly, LateScopes
from quarterdeck.registry.builtin.core.service.allocation import ServiceRanges
from quarterdeck.registry.builtin.reviews import UNSTORED
from quarterdeck.registry.scope import Builtin
from quarterdeck.server.config import Config
from quarterdeck.storage.cacher import Cacher
from quarterdeck.storage.interface import Storage

_LOG: Final = logging.getLogger(__name__)


def service_ranges_of(config: Config) -> ServiceRanges:
    return ServiceRanges(config.service_ranges, config.node_ports)


def build_builtin(storage: Storage, cacher: Cacher, config: Config, metrics: Registry, *, is_late: bool) -> Builtin:
    """`is_late`: each when it is first used, or `metrics` are, which tell of all. That saves time and memory where few
    requests come; all of them at once are found quicker."""
    definitions = [
        *resources.definitions(cacher, service_ranges_of(config), config.enablement),
        definition_of_definitions(),
    ]
    for text in further.off(config.enablement):
        _LOG.warning(text)
    late = LateScopes(Assembly(storage, cacher, convertor_for), definitions)
    if not is_late:
        return dict(late)
    cacher.late_prefixes = frozenset(late.prefixes.values())
    metrics.preparations.append(late.build_all)
    return late


def select_enabled(enablement: Enablement, served: Builtin) -> tuple[Builtin, Sequence[APIResource]]:
    """What clients find of what is stored, and of what is not. The server's own parts use the rest all the same."""
    if enablement.is_usual:
        return served, UNSTORED
    shown = {address: scopes for address, scopes in served.items() if enablement.serves(*address)}
    return shown, [each for each in UNSTORED if enablement.serves(each.group, each.version, each.name)]
