"""From the kind that an ownerReference names to the resource where the owner is: what upstream asks a RESTMapper.

Only kinds that are served count, in the versions in which they are served. What another server has of a group and
version hides what this one has.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from quarterdeck.controllers.garbage.local import LocalResource
from quarterdeck.controllers.garbage.resources import Resource


@dataclass(slots=True)
class Kinds:
    _resources: dict[tuple[str, str], Resource] = field(default_factory=dict)
    _sources: dict[str, list[tuple[str, str]]] = field(default_factory=dict)

    _remote: dict[tuple[str, str], Resource] = field(default_factory=dict)
    find_builtin: Callable[[str, str], Resource | None] | None = None
    """Where those of built-in resources are made when they are first asked for."""

    def find(self, api_version: str, kind: str) -> Resource | None:
        if self._remote:
            found = self._remote.get((api_version, kind))
            if found is not None:
                return found
        found = self._resources.get((api_version, kind))
        if found is None and self.find_builtin is not None:
            return self.find_builtin(api_version, kind)
        return found

    def put_remote(self, resources: Iterable[Resource]) -> None:
        """Other servers serve these now, and nothing else; of several with one kind the first counts."""
        self._remote = {}
        for each in resources:
            self._remote.setdefault((each.api_version, each.kind), each)

    def put(self, source: str, resources: Iterable[Resource]) -> None:
        """`source` (a definition's name) serves these now, and nothing else."""
        self.remove(source)
        kinds = {(each.api_version, each.kind): each for each in resources}
        self._sources[source] = list(kinds)
        self._resources.update(kinds)

    def remove(self, source: str) -> None:
        for kind in self._sources.pop(source, ()):
            self._resources.pop(kind, None)

    def namespaces(self) -> list[str]:
        """The names of those that there are."""
        resource = self.find("v1", "Namespace")
        if not isinstance(resource, LocalResource):
            return []
        return [entry.name for entry in resource.scope.store.cache.state.all()]
