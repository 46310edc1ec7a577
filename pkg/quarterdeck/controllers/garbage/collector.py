"""The garbage collector: deletes objects whose owners are gone, and finishes foreground and orphan deletions.

Every decision is taken on the newest durable state: of the object, and of each owner that it names. The graph only
says where to look.

Source: pkg/controller/garbagecollector/{garbagecollector,operations,patch}.go.
Differs from upstream: an event reports an owner in another namespace (OwnerRefInvalidNamespace) where kind, name and
UID of the reference all are that owner's; upstream goes by the UID alone.
"""

from __future__ import annotations

import asyncio
from functools import partial
from typing import Final

from quarterdeck.apimachinery import aside, errors
from quarterdeck.controllers.events import EventRecorder
from quarterdeck.controllers.garbage.feed import Feed
from quarterdeck.controllers.garbage.graph import Graph, Node, read_references
from quarterdeck.controllers.garbage.kinds import Kinds
from quarterdeck.controllers.garbage.metadata import drop_finalizer, drop_references, policy_of, unblock_references
from quarterdeck.controllers.garbage.owners import NamespacedOwner, Owners, OwnerSearch
from quarterdeck.controllers.garbage.resources import Found, Known, Resource, UnknownKind
from quarterdeck.controllers.workqueue import Controller
from quarterdeck.registry.deletion import FINALIZER_FOREGROUND, FINALIZER_ORPHAN, Options
from quarterdeck.registry.identity import UNADMITTED

# Deletions that are under way at once: they share the store's commits (upstream: --concurrent-gc-syncs).
WORKERS: Final = 20


class GarbageCollector:
    def __init__(self, kinds: Kinds, events: EventRecorder) -> None:
        self.identity = UNADMITTED
        self.graph = Graph()
        self.deleting = Controller("garbage", self._attempt_delete, WORKERS)
        self.orphaning = Controller("orphaning", self._attempt_orphan, WORKERS)
        self.feed = Feed(self.graph, self.deleting.add, self.orphaning.add)
        self._owners = OwnerSearch(self.graph, kinds, self.feed.resources, events)
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
        resource = self.feed.resources.get(node.prefix)
        found = await self._find(resource, node)
        if resource is None or found is None:
            return
        if node.is_foreground:
            if not self.graph.is_blocked(uid):
                await resource.change(node, partial(drop_finalizer, finalizer=FINALIZER_FOREGROUND))
            return
        metadata = found.metadata
        references = await aside.run(read_references, metadata) if found.is_large else read_references(metadata)
        known: Known = {}
        await self._owners.warn_of_foreign(node, references, known)
        try:
            owners = await self._owners.classify(node, references, known)
        except NamespacedOwner:
            return
        except UnknownKind:
            self._park(uid)
            return
        await self._settle(resource, node, found, owners)

    async def _settle(self, resource: Resource, node: Node, found: Found, owners: Owners) -> None:
        if owners.solid:
            let_go = {reference.uid for reference in (*owners.dangling, *owners.waiting)}
            if let_go:
                await resource.change(node, partial(drop_references, uids=let_go))
            return
        if not (owners.dangling or owners.waiting):
            return
        dependents = self.graph.dependents_of(node.uid)
        if owners.waiting and dependents:
            if any(self._is_foreground(uid) for uid in dependents):
                # A circle would wait for itself: upstream's detection, which sees some circles where there are none.
                await resource.change(node, unblock_references)
                await _delete(resource, node, "", "Foreground")
                return
            await _delete(resource, node, found.revision, "Foreground")
            return
        await _delete(resource, node, found.revision, policy_of(found.metadata))

    def _is_foreground(self, uid: str) -> bool:
        node = self.graph.nodes.get(uid)
        return node is not None and node.is_foreground

    # - orphaning

    async def _attempt_orphan(self, uid: str) -> None:
        node = self.graph.nodes.get(uid)
        if node is None or not node.is_orphaning:
            return
        resource = self.feed.resources.get(node.prefix)
        if resource is None or await self._find(resource, node) is None:
            return
        await asyncio.gather(*(self._orphan_some(part, uid) for part in _parts(self.graph.dependents_of(uid))))
        await resource.change(node, partial(drop_finalizer, finalizer=FINALIZER_ORPHAN))

    async def _orphan_some(self, dependents: list[str], owner: str) -> None:
        for uid in dependents:
            node = self.graph.nodes.get(uid)
            resource = self.feed.resources.get(node.prefix) if node is not None else None
            if node is not None and resource is not None:
                await resource.change(node, partial(drop_references, uids={owner}))

    async def _find(self, resource: Resource | None, node: Node) -> Found | None:
        found = await resource.find(node.namespace, node.name) if resource is not None else None
        return found if found is not None and found.metadata.get("uid") == node.uid else None


async def _delete(resource: Resource, node: Node, revision: str, policy: str) -> None:
    """`revision` "": whatever happened to the object meanwhile."""
    options = Options(
        propagation_policy=policy, precondition_uid=node.uid, precondition_resource_version=revision or None
    )
    try:
        await resource.delete(node, options)
    except errors.NotFound:
        return


def _parts(uids: list[str]) -> list[list[str]]:
    return [uids[start::WORKERS] for start in range(min(WORKERS, len(uids)))]
