"""A resource whose objects another server holds, as the garbage collector knows it.

That an owner is there is believed of what was seen of the resource; that it is gone, or is being deleted, of nobody but
its server, each time.

Source: pkg/controller/garbagecollector/{operations,patch}.go.
Differs from upstream: references are changed by a merge patch for one revision of the object; a strategic merge patch
is not tried first.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any, Final, NamedTuple, TypeVar

from quarterdeck.apimachinery import errors, offload
from quarterdeck.controllers.garbage.circuitbreaker import CircuitBreaker, ServerUnavailable
from quarterdeck.controllers.garbage.graph import Node, Reference
from quarterdeck.controllers.garbage.resources import Known, Metadata, OwnerState, StoredMetadata, read_state
from quarterdeck.controllers.remoteobjects import RemoteKind, RemoteObjects, Unreachable
from quarterdeck.registry.deletion import Options

# So often a change is tried again that another one was quicker than (client-go's retry.DefaultBackoff).
ATTEMPTS: Final = 4
_CHANGED: Final = ("ownerReferences", "finalizers")
_REFERENCES_MANY: Final = 256

T = TypeVar("T")


class MirroredObject(NamedTuple):
    namespace: str
    name: str
    is_being_deleted: bool


# The objects of a resource that were seen last, by UID.
Mirror = dict[str, MirroredObject]


class RemoteResource:
    """`mirror` is shared by all versions of the resource."""

    def __init__(
        self,
        what: RemoteKind,
        api_versions: frozenset[str],
        objects: RemoteObjects,
        breaker: CircuitBreaker,
        mirror: Mirror,
    ) -> None:
        self.what = what
        self.key = f"{what.service}/{what.resource}"
        self.api_version = what.api_version
        self.api_versions = api_versions
        self.kind = what.kind
        self.namespaced = what.namespaced
        self.breaker = breaker
        self.mirror = mirror
        self.objects = objects

    async def find(self, namespace: str, name: str) -> StoredMetadata | None:
        metadata = await self.call(partial(self.objects.get, self.what, namespace, name))
        if metadata is None:
            return None
        is_large = len(metadata.get("ownerReferences") or ()) > _REFERENCES_MANY
        return StoredMetadata(metadata, metadata.get("resourceVersion") or "", is_large)

    async def find_owner(self, namespace: str, reference: Reference, known: Known) -> OwnerState | None:
        if self.mirror.get(reference.uid) == MirroredObject(namespace, reference.name, is_being_deleted=False):
            return OwnerState(reference.uid, is_foreground=False)
        key = (self.key, namespace, reference.name)
        if key not in known:
            found = await self.find(namespace, reference.name)
            known[key] = None if found is None else read_state(found.metadata)
        state = known[key]
        return state if state is not None and state.uid == reference.uid else None

    async def has(self, namespace: str, reference: Reference, known: Known) -> bool:
        seen = self.mirror.get(reference.uid)
        return seen is not None and (seen.namespace, seen.name) == (namespace, reference.name)

    async def delete(self, node: Node, options: Options) -> None:
        await self.call(partial(self.objects.delete, self.what, node.namespace, node.name, options))

    async def change(self, node: Node, change: Callable[[Metadata], None]) -> None:
        """Raises Conflict where others are quicker again and again."""
        for left in reversed(range(ATTEMPTS)):
            found = await self.find(node.namespace, node.name)
            if found is None or found.metadata["uid"] != node.uid:
                return
            patch = await self._build_patch(found, change)
            if patch is None:
                return
            try:
                await self.call(partial(self.objects.patch, self.what, node.namespace, node.name, patch))
            except errors.NotFound:
                return
            except errors.Conflict:
                if not left:
                    raise
            else:
                return

    async def _build_patch(self, found: StoredMetadata, change: Callable[[Metadata], None]) -> dict[str, Any] | None:
        """None: there is nothing to be changed. Only the object that was read may take it."""
        new = dict(found.metadata)
        if found.is_large:
            await offload.run(change, new)
        else:
            change(new)
        parts = {name: new.get(name) for name in _CHANGED if new.get(name) != found.metadata.get(name)}
        if not parts:
            return None
        return {"metadata": {"uid": found.metadata["uid"], "resourceVersion": found.revision, **parts}}

    async def call(self, ask: Callable[[], Awaitable[T]]) -> T:
        """Raises ServerUnavailable."""
        if self.breaker.is_resting:
            raise ServerUnavailable(self.breaker, "it has not answered")
        try:
            answer = await ask()
        except Unreachable as error:
            self.breaker.fail()
            raise ServerUnavailable(self.breaker, str(error)) from error
        except errors.APIStatus:
            self.breaker.succeed()
            raise
        self.breaker.succeed()
        return answer
