"""A resource whose objects this server stores, as the garbage collector knows it: reads are from the watch cache, which
is never behind what its controllers have written.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from quarterdeck.apimachinery import errors, offload
from quarterdeck.apis.resource import APIResource
from quarterdeck.controllers.garbage.feed import read_metadata_offloaded
from quarterdeck.controllers.garbage.graph import Node, Reference
from quarterdeck.controllers.garbage.metadata import changed
from quarterdeck.controllers.garbage.resources import (
    Known,
    Metadata,
    OwnerState,
    StoredMetadata,
    UnknownKind,
    read_state,
)
from quarterdeck.registry.deletion import Options
from quarterdeck.registry.identity import Identity
from quarterdeck.registry.scope import Scope
from quarterdeck.registry.strategy import Object
from quarterdeck.storage.cacher import Entry, build_prefix


class LocalResource:
    """`identity()`: as whom its objects are written. `find_scope()` may build the scope."""

    breaker = None

    def __init__(
        self,
        resource: APIResource,
        find_scope: Callable[[], Scope],
        api_versions: frozenset[str],
        identity: Callable[[], Identity],
    ) -> None:
        self.key = build_prefix(resource.group, resource.name)
        self.api_version = resource.api_version
        self.api_versions = api_versions
        self.kind = resource.kind
        self.namespaced = resource.namespaced
        self._find_scope = find_scope
        self._identity = identity

    @property
    def scope(self) -> Scope:
        return self._find_scope()

    async def find(self, namespace: str, name: str) -> StoredMetadata | None:
        entry = self.scope.store.cache.get(namespace, name)
        if entry is None:
            return None
        metadata = await read_metadata_offloaded(entry)
        return StoredMetadata(metadata, str(entry.revision), len(entry.data) > offload.LARGE_BYTES)

    async def find_owner(self, namespace: str, reference: Reference, known: Known) -> OwnerState | None:
        state = await self._find_state(namespace, reference, known)
        if state is not None:
            return state
        shared = self.scope.store.cache.shared
        if not shared.is_alone:
            await shared.catch_up()  # its store may have told less than that of the dependent
            state = await self._find_state(namespace, reference, known)
        return state

    async def _find_state(self, namespace: str, reference: Reference, known: Known) -> OwnerState | None:
        cache = self.scope.store.cache
        entry = cache.get(namespace, reference.name)
        if entry is None:
            path = f"{namespace}/{reference.name}" if self.namespaced else reference.name
            if path in cache.damaged or "%" in path:
                # It is there, and what it is cannot be told; or it is no name, and upstream's question is refused.
                raise UnknownKind(reference.kind)
            return None
        state = await _state_of(entry, known)
        return state if state.uid == reference.uid else None

    async def has(self, namespace: str, reference: Reference, known: Known) -> bool:
        entry = self.scope.store.cache.get(namespace, reference.name) if namespace else None
        return entry is not None and (await _state_of(entry, known)).uid == reference.uid

    async def delete(self, node: Node, options: Options) -> None:
        await self._identity().delete(self.scope, node.namespace, node.name, options)

    async def change(self, node: Node, change: Callable[[Metadata], None]) -> None:
        try:
            await self._identity().update(
                self.scope, node.namespace, node.name, partial(self._transform, node, change), precondition_uid=node.uid
            )
        except errors.NotFound:
            return
        except errors.Conflict:
            found = await self.find(node.namespace, node.name)
            if found is not None and found.metadata.get("uid") == node.uid:
                raise

    async def _transform(self, node: Node, change: Callable[[Metadata], None], live: Object | None) -> Object:
        assert live is not None
        entry = self.scope.store.cache.get(node.namespace, node.name)
        if entry is not None and len(entry.data) > offload.LARGE_BYTES:
            return await offload.run(changed, self.scope, live, change)
        return changed(self.scope, live, change)


async def _state_of(entry: Entry, known: Known) -> OwnerState:
    state = known.get(entry)
    if state is None:
        state = known[entry] = read_state(await read_metadata_offloaded(entry))
    return state
