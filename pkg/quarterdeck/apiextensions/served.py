"""What is served of the definitions: frozen values, looked up through one immutable map that is swapped whole.

A request holds the ServedDefinition that it found; a change of the definition makes a new one and leaves the old one
to the requests in flight.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from quarterdeck.apiextensions.schemas import StoredSchemas
from quarterdeck.apimachinery import errors
from quarterdeck.apis.resource import APIResource
from quarterdeck.openapi.publication import Published
from quarterdeck.registry.filling import Filling
from quarterdeck.registry.inflight import InFlight
from quarterdeck.registry.scope import Scope
from quarterdeck.registry.store import Store

Scopes = Mapping[str, Scope]


@dataclass(frozen=True, slots=True)
class ServedDefinition:
    """`scopes`: version → subresource → Scope, for the served versions. `storage_scope` is the storage version's,
    served or not: the server itself works through it. `published` tells of each served version what OpenAPI shows.
    `in_flight` counts the requests to all of it, `fillings` are the served versions' as long as upstream keeps their
    caches."""

    name: str
    group: str
    plural: str
    store: Store
    scopes: dict[str, dict[str, Scope]]
    storage_scope: Scope
    published: tuple[Published, ...]
    schemas: StoredSchemas
    in_flight: InFlight
    fillings: Mapping[str, Filling]

    @property
    def resources(self) -> tuple[APIResource, ...]:
        return tuple(part.resource for part in self.published)


class ServedDefinitions:
    """The map in force. `put` and `remove` make a new one: a lookup never sees a half-made change.

    Copying the map costs a few microseconds per thousand definitions and happens only when a definition changes.
    """

    def __init__(self) -> None:
        self._by_resource: dict[tuple[str, str], ServedDefinition] = {}  # never changed in place
        self._unusable: Mapping[tuple[str, str], frozenset[str]] = MappingProxyType({})

    def find(self, group: str, version: str, resource: str) -> Scopes | None:
        """Raises InternalError for a version of a definition that is accepted and cannot be served."""
        served = self._by_resource.get((group, resource))
        if served is not None:
            return served.scopes.get(version)
        if version in self._unusable.get((group, resource), ()):
            raise errors.InternalError.of("error resolving resource")
        return None

    def get(self, group: str, plural: str) -> ServedDefinition | None:
        return self._by_resource.get((group, plural))

    def all(self) -> list[ServedDefinition]:
        return list(self._by_resource.values())

    def put(self, served: ServedDefinition) -> None:
        changed = dict(self._by_resource)
        changed[served.group, served.plural] = served
        self._by_resource = changed
        self._set_unusable(served.group, served.plural, frozenset())

    def refuse(self, group: str, plural: str, versions: frozenset[str]) -> None:
        """Instead of `put` for a definition that is accepted and cannot be served."""
        self.remove(group, plural)
        self._set_unusable(group, plural, versions)

    def _set_unusable(self, group: str, plural: str, versions: frozenset[str]) -> None:
        if versions or (group, plural) in self._unusable:
            others = {key: value for key, value in self._unusable.items() if key != (group, plural)}
            self._unusable = {**others, (group, plural): versions} if versions else others

    def remove(self, group: str, plural: str) -> None:
        self._set_unusable(group, plural, frozenset())
        if (group, plural) in self._by_resource:
            changed = dict(self._by_resource)
            del changed[group, plural]
            self._by_resource = changed
