"""What the garbage collector asks of the servers behind APIServices. aggregator/remoteobjects.py, which lies above,
answers it."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping
from typing import Any, NamedTuple, Protocol

from quarterdeck.registry.deletion import Options

Metadata = dict[str, Any]


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


class MetadataPage(NamedTuple):
    """Some of the objects' metadata, where the rest of the list is, and the list's revision."""

    items: list[Metadata]
    continue_token: str
    revision: str


class MetadataEvent(NamedTuple):
    type: str
    metadata: Metadata


class RemoteObjects(Protocol):
    """Metadata has a name and a UID, and its members are of the types that they have to be. All raise Unreachable, and
    APIStatus for what the server refuses."""

    async def get(self, kind: RemoteKind, namespace: str, name: str) -> Metadata | None:
        """None: its server says that there is no such object."""

    async def list(self, kind: RemoteKind, continue_token: str) -> MetadataPage: ...

    def watch(self, kind: RemoteKind, revision: str, timeout_s: int) -> AsyncGenerator[MetadataEvent]:
        """Ends when the server ends it, at the latest a while after the time. Raises Expired too."""

    async def delete(self, kind: RemoteKind, namespace: str, name: str, options: Options) -> None:
        """Raises NotFound, Conflict."""

    async def patch(self, kind: RemoteKind, namespace: str, name: str, patch: Mapping[str, Any]) -> None:
        """A merge patch. Raises NotFound, Conflict."""
