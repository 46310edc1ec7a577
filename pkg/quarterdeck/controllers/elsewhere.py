"""What controllers ask of the servers behind APIServices; the aggregation layer, which lies above, answers."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

from quarterdeck.registry.deletion import Options

Metadata = dict[str, Any]


@dataclass(slots=True)
class Left:
    """What is left of a resource in a namespace: how many objects, and how many of them have each finalizer."""

    count: int = 0
    finalizers: Counter[str] = field(default_factory=Counter)


class RemoteResource(Protocol):
    @property
    def name(self) -> str:
        """With its group (`flunders.wardle.example.com`)."""

    async def empty(self, namespace: str) -> Left:
        """Delete all objects in a namespace. Raises APIStatus where that is not known to be done."""


class Elsewhere(Protocol):
    def resources(self) -> Sequence[RemoteResource]:
        """Those with namespaces whose objects can be deleted, each in one version."""

    def undiscovered(self) -> Sequence[str]:
        """The versions whose servers do not tell what they serve, with why: `GROUP/VERSION: TEXT`, in order."""


class RemoteKind(NamedTuple):
    """A resource in one version. `service` is the name of its APIService, `place` where its server is. `is_followed`:
    it is the version in which the resource's objects can be watched, and are to be."""

    service: str
    place: str
    group: str
    version: str
    resource: str
    kind: str
    namespaced: bool
    is_followed: bool = False

    @property
    def api_version(self) -> str:
        return f"{self.group}/{self.version}"


class Unreachable(Exception):
    """A server does not answer, or has no time: nothing is known of its objects."""


class Page(NamedTuple):
    """Some of the objects' metadata, where the rest of the list is, and the list's revision."""

    items: list[Metadata]
    go_on: str
    revision: str


class Event(NamedTuple):
    type: str
    metadata: Metadata


class RemoteObjects(Protocol):
    """Metadata has a name and a UID, and its members are of the types that they have to be. All raise Unreachable, and
    APIStatus for what the server refuses."""

    async def get(self, kind: RemoteKind, namespace: str, name: str) -> Metadata | None:
        """None: its server says that there is no such object."""

    async def list(self, kind: RemoteKind, go_on: str) -> Page: ...

    def watch(self, kind: RemoteKind, revision: str, timeout_s: int) -> AsyncGenerator[Event]:
        """Ends when the server ends it, at the latest a while after the time. Raises Expired too."""

    async def delete(self, kind: RemoteKind, namespace: str, name: str, options: Options) -> None:
        """Raises NotFound, Conflict."""

    async def patch(self, kind: RemoteKind, namespace: str, name: str, patch: Mapping[str, Any]) -> None:
        """A merge patch. Raises NotFound, Conflict."""
