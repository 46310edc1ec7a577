"""From the kind that an ownerReference names to the resource where the owner is: what upstream asks a RESTMapper.

Only kinds that are served count, in the versions in which they are served.

Differs from upstream: kinds of the servers behind APIServices are not among them. What such an owner owns stays.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from quarterdeck.registry.scope import Scope


@dataclass(slots=True)
class Kinds:
    _scopes: dict[tuple[str, str], Scope] = field(default_factory=dict)
    _sources: dict[str, list[tuple[str, str]]] = field(default_factory=dict)

    def find(self, api_version: str, kind: str) -> Scope | None:
        return self._scopes.get((api_version, kind))

    def put(self, source: str, scopes: Iterable[Scope]) -> None:
        """`source` (a definition's name) serves these now, and nothing else."""
        self.remove(source)
        kinds = {(scope.resource.api_version, scope.resource.kind): scope for scope in scopes}
        self._sources[source] = list(kinds)
        self._scopes.update(kinds)

    def remove(self, source: str) -> None:
        for kind in self._sources.pop(source, ()):
            self._scopes.pop(kind, None)
