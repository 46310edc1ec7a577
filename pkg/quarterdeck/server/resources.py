"""The resources that the router finds: the built-in ones, which never change, and those of definitions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from quarterdeck.apiextensions.served import ServedDefinitions
from quarterdeck.apis.resource import APIResource
from quarterdeck.registry.scope import Scope

Scopes = Mapping[str, Scope]


class ServedResources:
    """`unstored` are built-in resources without a store."""

    def __init__(
        self,
        builtin: Mapping[tuple[str, str, str], Scopes],
        definitions: ServedDefinitions,
        unstored: Sequence[APIResource] = (),
    ) -> None:
        self._builtin = builtin
        self._builtin_groups = frozenset((*(group for group, _, _ in builtin), *(each.group for each in unstored)))
        self._definitions = definitions

    def find(self, group: str, version: str, resource: str) -> Scopes | None:
        """A definition in a group that is built in is accepted, listed and not served, as upstream: its requests end at
        those who serve the group."""
        if group in self._builtin_groups:
            return self._builtin.get((group, version, resource))
        return self._definitions.find(group, version, resource)

    def is_builtin_group(self, group: str) -> bool:
        return group in self._builtin_groups
