"""The kinds that parameters of admission policies may be of: everything that is served."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

from quarterdeck.apiextensions.served import ServedDefinitions
from quarterdeck.apimachinery import meta
from quarterdeck.apimachinery.codec import json
from quarterdeck.apimachinery.labels import Selector
from quarterdeck.apis.resource import APIResource
from quarterdeck.registry.builtin.assembly import resources_of
from quarterdeck.registry.scope import Scope

Object = dict[str, Any]
Scopes = Mapping[str, Scope]


class ScopeParams:
    """The objects of one scope."""

    def __init__(self, scope: Scope) -> None:
        self._scope = scope

    @property
    def namespaced(self) -> bool:
        return self._scope.resource.namespaced

    def get(self, namespace: str, name: str) -> Object | None:
        entry = self._scope.store.cache.get(namespace if self.namespaced else "", name)
        return None if entry is None else json.load(self._scope.object_form.encode(entry))

    def select(self, namespace: str, selector: Selector) -> list[Object]:
        prefix = f"{namespace}/" if self.namespaced else ""
        found = []
        for entry in self._scope.store.cache.state.range(prefix):
            obj = json.load(self._scope.object_form.encode(entry))
            if selector.matches(meta.metadata(obj).get("labels") or {}):
                found.append(obj)
        return found


class Params:
    """Looks kinds up among the built-in ones and in the definitions that are served. A kind may be written in lower
    case, as it may be for upstream's mapper (client-go/restmapper/discovery.go)."""

    def __init__(self, builtin: Mapping[tuple[str, str, str], Scopes], definitions: ServedDefinitions) -> None:
        self._builtin = builtin
        self._definitions = definitions
        self._plurals: dict[tuple[str, str], str] = {}  # of kinds that were found; looked at again each time

    def find(self, api_version: str, kind: str) -> ScopeParams | None:
        scope = self._find(api_version, kind)
        return ScopeParams(scope) if scope is not None else None

    def find_resource(self, api_version: str, kind: str) -> APIResource | None:
        scope = self._find(api_version, kind)
        return scope.resource if scope is not None else None

    def _find(self, api_version: str, kind: str) -> Scope | None:
        address = self._addresses.get((api_version, kind))
        return self._builtin[address][""] if address is not None else self._find_custom(api_version, kind)

    @cached_property
    def _addresses(self) -> dict[tuple[str, str], tuple[str, str, str]]:
        """Most clusters have no policy with parameters."""
        found = resources_of(self._builtin)
        addresses = {(each.api_version, each.kind): (each.group, each.version, each.name) for each in found}
        return {(version, kind.lower()): address for (version, kind), address in addresses.items()} | addresses

    def _find_custom(self, api_version: str, kind: str) -> Scope | None:
        group, version = meta.split_api_version(api_version)
        known = self._plurals.get((api_version, kind))
        if known is not None and (found := self._custom(group, version, known, kind)) is not None:
            return found
        for served in self._definitions.all():
            if served.group == group and (found := self._custom(group, version, served.plural, kind)) is not None:
                self._plurals[api_version, kind] = served.plural
                return found
        return None

    def _custom(self, group: str, version: str, plural: str, kind: str) -> Scope | None:
        served = self._definitions.get(group, plural)
        scopes = served.scopes.get(version) if served is not None else None
        if scopes is None:
            return None
        own = scopes[""].resource.kind
        return scopes[""] if kind in (own, own.lower()) else None
