"""Wiring of the built-in resources: their scopes, and which of them clients find."""

from __future__ import annotations

from collections.abc import Sequence

from quarterdeck.apiextensions.resource import definition_of_definitions
from quarterdeck.apis.enablement import Enablement
from quarterdeck.apis.resource import APIResource
from quarterdeck.endpoints.table.builtin import convertor_for
from quarterdeck.registry.builtin import resources
from quarterdeck.registry.builtin.assembly import Assembly
from quarterdeck.registry.builtin.reviews import UNSTORED
from quarterdeck.registry.scope import Scope
from quarterdeck.server.admission import Builtin
from quarterdeck.storage.cacher import Cacher
from quarterdeck.storage.interface import Storage


def build_builtin(storage: Storage, cacher: Cacher, service_range: str) -> Builtin:
    assembly = Assembly(storage, cacher, convertor_for)
    served: dict[tuple[str, str, str], dict[str, Scope]] = {}
    for definition in [*resources.definitions(cacher, service_range), definition_of_definitions()]:
        resource = definition.resource
        served[resource.group, resource.version, resource.name] = assembly.build(definition)
    return served


def select_enabled(enablement: Enablement, served: Builtin) -> tuple[Builtin, Sequence[APIResource]]:
    """What clients find of what is stored, and of what is not. The server's own parts use the rest all the same."""
    if enablement.is_usual:
        return served, UNSTORED
    shown = {address: scopes for address, scopes in served.items() if enablement.serves(*address)}
    return shown, [each for each in UNSTORED if enablement.serves(each.group, each.version, each.name)]
