"""From the kind that an ownerReference names to the resource where the owner is: what upstream asks a RESTMapper.

Only kinds that are served count, in the versions in which they are served. What another server has of a group and
version hides what this one has. As upstream's mapper has it, a kind may also be written in lower case, and there is
nothing of the kinds of lists and of those that are never stored: their owners are gone.

Source: client-go/restmapper/discovery.go (NewDiscoveryRESTMapper).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

from quarterdeck.controllers.garbage.graph import Reference
from quarterdeck.controllers.garbage.local import LocalResource
from quarterdeck.controllers.garbage.resources import Known, OwnerKind, OwnerState, Resource
from quarterdeck.registry.builtin.reviews import UNSTORED

_LIST: Final = "List"


class NoObjects:
    """A kind of which there is nothing, though upstream takes it for one that is served."""

    breaker = None

    def __init__(self, *, namespaced: bool) -> None:
        self.namespaced = namespaced

    async def find_owner(self, _namespace: str, _reference: Reference, _known: Known) -> OwnerState | None:
        return None

    async def has(self, _namespace: str, _reference: Reference, _known: Known) -> bool:
        return False


_NAMESPACED: Final = NoObjects(namespaced=True)
_CLUSTER_SCOPED: Final = NoObjects(namespaced=False)
_UNSTORED: Final = {
    (each.api_version, kind): _NAMESPACED if each.namespaced else _CLUSTER_SCOPED
    for each in UNSTORED
    for kind in (each.kind, each.kind.lower(), each.kind + _LIST)
}


class Kinds:
    """`find_builtin` makes resources of built-in kinds when they are first asked for, by kinds in lower case too."""

    __slots__ = ("_lowered", "_remote", "_resources", "_sources", "find_builtin")

    def __init__(self) -> None:
        self.find_builtin: Callable[[str, str], Resource | None] | None = None
        # By apiVersion and kind, as it is written and in lower case; those of other servers in either.
        self._resources: dict[tuple[str, str], Resource] = {}
        self._lowered: dict[tuple[str, str], Resource] = {}
        self._remote: dict[tuple[str, str], Resource] = {}
        self._sources: dict[str, list[tuple[str, str]]] = {}  # what each put into `_resources`

    def find(self, api_version: str, kind: str) -> OwnerKind | None:
        found = self._find_served(api_version, kind)
        if found is not None:
            return found
        if kind.endswith(_LIST) and isinstance(listed := self._find_served(api_version, kind[:-4]), LocalResource):
            return _NAMESPACED if listed.namespaced else _CLUSTER_SCOPED
        return _UNSTORED.get((api_version, kind))

    def _find_served(self, api_version: str, kind: str) -> Resource | None:
        if self._remote:
            found = self._remote.get((api_version, kind))
            if found is not None:
                return found
        found = self._resources.get((api_version, kind)) or self._lowered.get((api_version, kind))
        if found is None and self.find_builtin is not None:
            return self.find_builtin(api_version, kind)
        return found

    def put_remote(self, resources: Iterable[Resource]) -> None:
        """Other servers serve these now, and nothing else; of several with one kind the first counts."""
        self._remote = {}
        known = list(resources)
        for each in known:
            self._remote.setdefault((each.api_version, each.kind), each)
        for each in known:
            self._remote.setdefault((each.api_version, each.kind.lower()), each)

    def put(self, source: str, resources: Iterable[Resource]) -> None:
        """`source` (a definition's name) serves these now, and nothing else."""
        self.remove(source)
        kinds = {(each.api_version, each.kind): each for each in resources}
        self._sources[source] = list(kinds)
        self._resources.update(kinds)
        self._lowered.update((_lower(kind), each) for kind, each in kinds.items())

    def remove(self, source: str) -> None:
        for kind in self._sources.pop(source, ()):
            self._resources.pop(kind, None)
            self._lowered.pop(_lower(kind), None)

    def namespaces(self) -> list[str]:
        """The names of those that there are."""
        resource = self.find("v1", "Namespace")
        if not isinstance(resource, LocalResource):
            return []
        return [entry.name for entry in resource.scope.store.cache.state.all()]


def _lower(kind: tuple[str, str]) -> tuple[str, str]:
    return kind[0], kind[1].lower()
