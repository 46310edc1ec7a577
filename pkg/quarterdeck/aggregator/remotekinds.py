"""The kinds that the servers behind APIServices have, as the garbage collector has to know them.

A kind stays known while its server does not answer. Source: client-go/discovery (ServerPreferredResources);
pkg/controller/garbagecollector/garbagecollector.go (GetDeletableResources), graph_builder.go (ignoredResources).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

from quarterdeck.aggregator.apiservices import APIService, APIServices
from quarterdeck.aggregator.discovery import RemoteDiscovery
from quarterdeck.controllers.remoteobjects import RemoteKind
from quarterdeck.discovery import version_order

_FOLLOWED_BY: Final = frozenset(("delete", "list", "watch"))
# Many, short-lived, and owners of nothing.
_IGNORED: Final = frozenset((("events.k8s.io", "events"),))

Listener = Callable[[Sequence[RemoteKind], bool], None]


class RemoteKinds:
    """`listener` is told of all kinds whenever they change, and whether every server has told of its own."""

    def __init__(self, services: APIServices, discovery: RemoteDiscovery) -> None:
        self._services = services
        self._discovery = discovery
        self._told: tuple[Sequence[RemoteKind], bool] = ([], True)
        self.listener: Listener | None = None
        discovery.listeners.append(self._on_change)

    def _on_change(self) -> None:
        found = self.read()
        if found != self._told and self.listener is not None:
            self._told = found
            self.listener(*found)

    def read(self) -> tuple[Sequence[RemoteKind], bool]:
        apis = sorted((api for api in self._services.remote() if api.group), key=by_preference)
        kinds: list[RemoteKind] = []
        taken: set[tuple[str, str]] = set(_IGNORED)
        for api in apis:
            kinds += _read(api, (self._discovery.known_of(api) or {}).get("resources", ()), taken)
        return kinds, all(self._discovery.known_of(api) is not None for api in apis)


def _read(api: APIService, resources: Iterable[dict[str, Any]], taken: set[tuple[str, str]]) -> Iterable[RemoteKind]:
    """`taken`: the resources that are followed in a version that is preferred to this one."""
    for told in resources:
        name, kind = told["resource"], told["responseKind"]["kind"]
        if not name or not kind:
            continue
        is_followed = (api.group, name) not in taken
        taken.add((api.group, name))
        is_followed = is_followed and set(told["verbs"]) >= _FOLLOWED_BY
        namespaced = told["scope"] == "Namespaced"
        yield RemoteKind(api.name, str(api.service), api.group, api.version, name, kind, namespaced, is_followed)


def by_preference(api: APIService) -> tuple[Any, ...]:
    """As versions of one group come in discovery."""
    return api.group, -api.version_priority, version_order.sort_key(api.version)
