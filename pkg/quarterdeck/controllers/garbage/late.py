"""The built-in resources as the garbage collector knows them, each made when it is first asked for."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, partial
from typing import Final

from quarterdeck.apis.resource import APIResource
from quarterdeck.controllers.garbage.local import LocalResource
from quarterdeck.registry.builtin.assembly import LateScopes
from quarterdeck.registry.identity import Identity
from quarterdeck.registry.scope import Scope

# Many, short-lived, and owners of nothing: they are collected by their age.
_IGNORED: Final = frozenset((("", "events"), ("events.k8s.io", "events")))

_Address = tuple[str, str, str]


class LateResources:
    """`identity()`: as whom their objects are written."""

    def __init__(self, builtin: LateScopes, identity: Callable[[], Identity]) -> None:
        self._builtin = builtin
        self._identity = identity
        # Of a resource's versions the last one stands for its objects, as where all are followed one after the other.
        self._by_prefix = {prefix: address for address, prefix in builtin.prefixes.items()}
        self._made: dict[_Address, LocalResource] = {}

    def of(self, prefix: str) -> LocalResource | None:
        """That whose objects are stored there; None: it is none of them, or the collector ignores it."""
        address = self._by_prefix.get(prefix)
        if address is None or is_ignored(self._builtin.resource(address)):
            return None
        return self._find(address)

    def find(self, api_version: str, kind: str) -> LocalResource | None:
        address = self._by_kind.get((api_version, kind))
        return None if address is None else self._find(address)

    @cached_property
    def _by_kind(self) -> dict[tuple[str, str], _Address]:
        """By kinds as they are and in lower case."""
        return {
            (each.api_version, kind): (each.group, each.version, each.name)
            for each in self._builtin.resources()
            for kind in (each.kind, each.kind.lower())
        }

    def _find(self, address: _Address) -> LocalResource:
        made = self._made.get(address)
        if made is None:
            resource = self._builtin.resource(address)
            find_scope = partial(_scope_of, self._builtin, address)
            versions = frozenset((resource.api_version,))
            made = self._made[address] = LocalResource(resource, find_scope, versions, self._identity)
        return made


def _scope_of(builtin: LateScopes, address: _Address) -> Scope:
    return builtin[address][""]


def is_ignored(resource: APIResource) -> bool:
    """Whether the collector does not follow its objects."""
    return (resource.group, resource.name) in _IGNORED
