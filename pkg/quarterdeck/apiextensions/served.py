"""What is served of the definitions: frozen values, looked up through one immutable map that is swapped whole.

A request holds the ServedDefinition that it found; a change of the definition makes a new one and leaves the old one
to the requests in flight.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final

from quarterdeck.apis.resource import APIResource
from quarterdeck.registry.scope import Scope
from quarterdeck.registry.store import Store

Scopes = Mapping[str, Scope]


@dataclass(frozen=True, slots=True)
class ServedDefinition:
    """`scopes`: version → subresource → Scope, for the served versions. `storage_scope` is the storage version's,
    served or not: the server itself works through it. `definition` is the object that all was made of."""

    name: str
    group: str
    plural: str
    store: Store
    scopes: Mapping[str, Scopes]
    storage_scope: Scope
    resources: tuple[APIResource, ...]
    definition: Mapping[str, Any]


_NOTHING: Final[Mapping[tuple[str, str], ServedDefinition]] = MappingProxyType({})


class ServedDefinitions:
    """The map in force. `put` and `remove` make a new one: a lookup never sees a half-made change.

    Copying the map costs a few microseconds per thousand definitions and happens only when a definition changes.
    """

    def __init__(self) -> None:
        self._by_resource: Mapping[tuple[str, str], ServedDefinition] = _NOTHING

    def find(self, group: str, version: str, resource: str) -> Scopes | None:
        served = self._by_resource.get((group, resource))
        return served.scopes.get(version) if served is not None else None

    def get(self, group: str, plural: str) -> ServedDefinition | None:
        return self._by_resource.get((group, plural))

    def all(self) -> list[ServedDefinition]:
        return list(self._by_resource.values())

    def put(self, served: ServedDefinition) -> None:
        changed = dict(self._by_resource)
        changed[served.group, served.plural] = served
        self._by_resource = changed

    def remove(self, group: str, plural: str) -> None:
        if (group, plural) in self._by_resource:
            changed = dict(self._by_resource)
            del changed[group, plural]
            self._by_resource = changed
