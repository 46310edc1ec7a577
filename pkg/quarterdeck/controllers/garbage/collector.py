"""The garbage collector: deletes objects whose owners are gone, and finishes foreground and orphan deletions.

Every decision is taken on the newest durable state: of the object, and of each owner that it names. The graph only
says where to look.

Source: pkg/controller/garbagecollector/{garbagecollector,operations,patch}.go.
Differs from upstream: an event reports an owner in another namespace (OwnerRefInvalidNamespace) where kind, name and
UID of the reference all are that owner's; upstream goes by the UID alone.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final

from quarterdeck.apimachinery import aside, errors
from quarterdeck.controllers.events import EventRecorder, ObjectWarning
from quarterdeck.controllers.garbage.feed import Feed, read_metadata_aside
from quarterdeck.controllers.garbage.graph import STEP_REFERENCES, Graph, Node, Reference, is_at, read_references
from quarterdeck.controllers.garbage.kinds import Kinds
from quarterdeck.controllers.garbage.metadata import (
    Metadata,
    changed,
    drop_finalizer,
    drop_references,
    policy_of,
    unblock_references,
)
from quarterdeck.controllers.garbage.owners import Known, Owners, OwnerState, is_there, state_of
from quarterdeck.controllers.workqueue import Controller
from quarterdeck.registry.deletion import FINALIZER_FOREGROUND, FINALIZER_ORPHAN, Options
from quarterdeck.registry.identity import UNADMITTED
from quarterdeck.registry.scope import Scope
from quarterdeck.registry.strategy import Object
from quarterdeck.storage.cacher import Entry

COMPONENT: Final = "garbage-collector-controller"
# Deletions that are under way at once: they share the store's commits (upstream: --concurrent-gc-syncs).
WORKERS: Final = 20


class UnknownKind(Exception):
    """An owner's kind is not served, or its record cannot be read: nothing can be said of the owner."""


class NamespacedOwner(Exception):
    """A cluster-scoped object names an owner in a namespace: it is left alone."""


class GarbageCollector:
    def __init__(self, kinds: Kinds, events: EventRecorder) -> None:
        self.identity = UNADMITTED
        self.graph = Graph()
        self.deleting = Controller("garbage", self._attempt_delete, WORKERS)
        self.orphaning = Controller("orphaning", self._attempt_orphan, WORKERS)
        self.feed = Feed(self.graph, self.deleting.add, self.orphaning.add)
        self._kinds = kinds
        self._events = events
        # Dependents whose owner's kind is not known, until it is.
        self._parked: dict[str, None] = {}

    def start(self) -> None:
        self.deleting.start()
        self.orphaning.start()

    async def stop(self) -> None:
        await self.deleting.stop()
        await self.orphaning.stop()

    async def hold(self) -> None:
        """Delete nothing until it resumes. What there is to know is followed all the time."""
        await self.deleting.hold()
        await self.orphaning.hold()

    def resume(self) -> None:
        """Have all that may be waiting looked at; `start` is still to be called."""
        self.deleting.resume()
        self.orphaning.resume()
        for uid, node in self.graph.nodes.items():
            self.deleting.add(uid)
            if node.is_orphaning:
                self.orphaning.add(uid)

    def retry_parked(self) -> None:
        """More kinds are known than before."""
        parked, self._parked = self._parked, {}
        for uid in parked:
            self.deleting.add(uid)

    def _park(self, uid: str) -> None:
        self._parked[uid] = None
        if len(self._parked) > 2 * len(self.graph.nodes):
            self._parked = {parked: None for parked in self._parked if parked in self.graph.nodes}

    # - deletion

    async def _attempt_delete(self, uid: str) -> None:
        await asyncio.sleep(0)  # many objects that need nothing must not keep requests waiting
        node = self.graph.nodes.get(uid)
        if node is None or (node.is_being_deleted and not node.is_foreground):
            return
        found = await self._find(node)
        if found is None:
            return
        scope, entry, metadata = found
        if node.is_foreground:
            if not self.graph.is_blocked(uid):
                await self._remove_finalizer(scope, node, FINALIZER_FOREGROUND)
            return
        is_large = len(entry.data) > aside.LARGE_BYTES
        references = await aside.run(read_references, metadata) if is_large else read_references(metadata)
        known: Known = {}
        await self._warn_of_foreign_owners(node, references, known)
        try:
            owners = await self._classify(node, references, known)
        except NamespacedOwner:
            return
        except UnknownKind:
            self._park(uid)
            return
        await self._settle(scope, node, entry, metadata, owners)

    async def _settle(self, scope: Scope, node: Node, entry: Entry, metadata: Metadata, owners: Owners) -> None:
        if owners.solid:
            let_go = {reference.uid for reference in (*owners.dangling, *owners.waiting)}
            if let_go:
                await self._change(scope, node, lambda live: drop_references(live, let_go))
            return
        if not (owners.dangling or owners.waiting):
            return
        dependents = self.graph.dependents_of(node.uid)
        if owners.waiting and dependents:
            if any(self._is_foreground(uid) for uid in dependents):
                # A circle would wait for itself: upstream's detection, which sees some circles where there are none.
                await self._change(scope, node, unblock_references)
                await self._delete(scope, node, 0, "Foreground")
                return
            await self._delete(scope, node, entry.revision, "Foreground")
            return
        await self._delete(scope, node, entry.revision, policy_of(metadata))

    def _is_foreground(self, uid: str) -> bool:
        node = self.graph.nodes.get(uid)
        return node is not None and node.is_foreground

    async def _delete(self, scope: Scope, node: Node, revision: int, policy: str) -> None:
        """`revision` 0: whatever happened to the object meanwhile."""
        options = Options(
            propagation_policy=policy,
            precondition_uid=node.uid,
            precondition_resource_version=str(revision) if revision else None,
        )
        try:
            await self.identity.delete(scope, node.namespace, node.name, options)
        except errors.NotFound:
            return

    # - owners

    async def _classify(self, node: Node, references: tuple[Reference, ...], known: Known) -> Owners:
        owners = Owners()
        for done, reference in enumerate(references, 1):
            if done % STEP_REFERENCES == 0:
                await asyncio.sleep(0)
            owner = await self._find_owner(node, reference, known)
            if owner is None:
                owners.dangling.append(reference)
            elif owner.is_foreground:
                owners.waiting.append(reference)
            else:
                owners.solid.append(reference)
        return owners

    async def _find_owner(self, node: Node, reference: Reference, known: Known) -> OwnerState | None:
        """The state of the owner; None where it is gone, or another object has its name. An owner in a namespace is
        looked for in the dependent's. Raises UnknownKind and NamespacedOwner."""
        record = self.graph.owners.get(reference.uid)
        if record is not None and record.gone is not None and is_at(reference, record.gone, node.namespace):
            return None
        scope = self._kinds.find(reference.api_version, reference.kind)
        if scope is None:
            raise UnknownKind(reference.kind)
        namespaced = scope.resource.namespaced
        if namespaced and not node.namespace:
            raise NamespacedOwner(reference.kind)
        cache = scope.store.cache
        entry = cache.get(node.namespace if namespaced else "", reference.name)
        if entry is None:
            if (f"{node.namespace}/{reference.name}" if namespaced else reference.name) in cache.damaged:
                raise UnknownKind(reference.kind)  # it is there, and what it is cannot be told
            return None
        state = await state_of(entry, known)
        return state if state.uid == reference.uid else None

    async def _warn_of_foreign_owners(self, node: Node, references: tuple[Reference, ...], known: Known) -> None:
        """Report the references whose owners are in other namespaces, which own nothing here."""
        for done, reference in enumerate(references, 1):
            if done % STEP_REFERENCES == 0:
                await asyncio.sleep(0)
            scope = self._kinds.find(reference.api_version, reference.kind)
            if scope is None or not scope.resource.namespaced:
                continue
            if await is_there(scope, node.namespace, reference, known):
                continue
            record = self.graph.owners.get(reference.uid)
            if record is None or record.gone is not None or record.found_nowhere == reference:
                continue
            if await self._is_in_another_namespace(scope, reference, known):
                await self._events.warn(self._build_warning(node, reference))
            else:
                record.found_nowhere = reference

    async def _is_in_another_namespace(self, scope: Scope, reference: Reference, known: Known) -> bool:
        for done, namespace in enumerate(self._namespaces(), 1):
            if done % STEP_REFERENCES == 0:
                await asyncio.sleep(0)
            if await is_there(scope, namespace, reference, known):
                return True
        return False

    def _namespaces(self) -> list[str]:
        scope = self._kinds.find("v1", "Namespace")
        return [entry.name for entry in scope.store.cache.state.all()] if scope is not None else []

    def _build_warning(self, node: Node, reference: Reference) -> ObjectWarning:
        resource = self.feed.scopes[node.prefix].resource
        owner = (
            f"[{reference.api_version}/{reference.kind}, namespace: {node.namespace}, name: {reference.name}, "
            f"uid: {reference.uid}]"
        )
        involved = {
            "kind": resource.kind,
            "namespace": node.namespace,
            "name": node.name,
            "uid": node.uid,
            "apiVersion": resource.api_version,
        }
        message = f'ownerRef {owner} does not exist in namespace "{node.namespace}"'
        return ObjectWarning(COMPONENT, involved, "OwnerRefInvalidNamespace", message)

    # - orphaning

    async def _attempt_orphan(self, uid: str) -> None:
        node = self.graph.nodes.get(uid)
        if node is None or not node.is_orphaning:
            return
        found = await self._find(node)
        if found is None:
            return
        await asyncio.gather(*(self._orphan_some(part, uid) for part in _parts(self.graph.dependents_of(uid))))
        await self._remove_finalizer(found[0], node, FINALIZER_ORPHAN)

    async def _orphan_some(self, dependents: list[str], owner: str) -> None:
        for uid in dependents:
            node = self.graph.nodes.get(uid)
            scope = self.feed.scopes.get(node.prefix) if node is not None else None
            if node is not None and scope is not None:
                await self._change(scope, node, lambda live: drop_references(live, {owner}))

    # - the store

    async def _find(self, node: Node) -> tuple[Scope, Entry, Metadata] | None:
        scope = self.feed.scopes.get(node.prefix)
        entry = scope.store.cache.get(node.namespace, node.name) if scope is not None else None
        if scope is None or entry is None:
            return None
        metadata = await read_metadata_aside(entry)
        return (scope, entry, metadata) if metadata.get("uid") == node.uid else None

    async def _remove_finalizer(self, scope: Scope, node: Node, finalizer: str) -> None:
        await self._change(scope, node, lambda live: drop_finalizer(live, finalizer))

    async def _change(self, scope: Scope, node: Node, change: Callable[[Metadata], None]) -> None:
        """Store what `change` makes of the newest metadata. An object that is gone is fine."""

        async def transform(live: Object | None) -> Object:
            assert live is not None
            entry = scope.store.cache.get(node.namespace, node.name)
            if entry is not None and len(entry.data) > aside.LARGE_BYTES:
                return await aside.run(changed, scope, live, change)
            return changed(scope, live, change)

        try:
            await self.identity.update(scope, node.namespace, node.name, transform, precondition_uid=node.uid)
        except errors.NotFound:
            return
        except errors.Conflict:
            if await self._find(node) is not None:
                raise


def _parts(uids: list[str]) -> list[list[str]]:
    return [uids[start::WORKERS] for start in range(min(WORKERS, len(uids)))]
