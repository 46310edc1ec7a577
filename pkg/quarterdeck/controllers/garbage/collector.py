"""The garbage collector: deletes objects whose owners are gone, and finishes foreground and orphan deletions.

Every decision is taken on the newest durable state: of the object, and of each owner that it names. The graph only
says where to look. What needs another server is done by workers of its own, so that nothing else waits for that server.

Source: pkg/controller/garbagecollector/{garbagecollector,operations,patch}.go.
Differs from upstream: an event reports an owner in another namespace (OwnerRefInvalidNamespace) where kind, name and
UID of the reference all are that owner's; upstream goes by the UID alone.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Final

from quarterdeck.apimachinery import errors, offload
from quarterdeck.controllers.events import EventRecorder
from quarterdeck.controllers.garbage.circuitbreaker import TURNS_MAX, CircuitBreaker, ServerUnavailable
from quarterdeck.controllers.garbage.feed import Feed
from quarterdeck.controllers.garbage.following import RemoteFollower
from quarterdeck.controllers.garbage.graph import Graph, Node, Reference, read_references
from quarterdeck.controllers.garbage.kinds import Kinds
from quarterdeck.controllers.garbage.metadata import drop_finalizer, drop_references, policy_of, unblock_references
from quarterdeck.controllers.garbage.owners import NamespacedOwner, Owners, OwnerSearch
from quarterdeck.controllers.garbage.resources import Known, Resource, StoredMetadata, UnknownKind
from quarterdeck.controllers.workqueue import Controller
from quarterdeck.registry.deletion import FINALIZER_FOREGROUND, FINALIZER_ORPHAN, Options
from quarterdeck.registry.identity import UNADMITTED

# Deletions that are under way at once: they share the store's commits (upstream: --concurrent-gc-syncs).
WORKERS: Final = 20
# Objects pause before they are looked at: upstream acts two or three requests later.
PAUSE_S: Final = 0.004
# How often what is final looks whether other servers have told of their objects.
SETTLING_LOOK_S: Final = 0.5


CatchUp = Callable[[], Awaitable[None]]


class GarbageCollector:
    def __init__(self, kinds: Kinds, events: EventRecorder) -> None:
        self.identity = UNADMITTED
        self.graph = Graph()
        self.deleting = Controller("garbage", self._attempt_delete, WORKERS, pause_s=PAUSE_S)
        self.orphaning = Controller("orphaning", self._attempt_orphan, WORKERS, pause_s=PAUSE_S)
        self.feed = Feed(self.graph, self.deleting.add_paused, self.orphaning.add_paused)
        self.deleting_remote = Controller("garbage-elsewhere", self._delete_remote, WORKERS)
        self.orphaning_remote = Controller("orphaning-elsewhere", self._orphan_remote, WORKERS)
        self.remote = RemoteFollower(self.feed, kinds, self._on_more_remote)
        # Where resources are in several stores: waits until all dependents are known that there were.
        self.catch_up: CatchUp | None = None
        self._kinds = kinds
        self._owners = OwnerSearch(self.graph, kinds, self.feed.resources, events)
        # Dependents whose owner's kind is not known, until it is.
        self._parked: dict[str, None] = {}

    def queues(self) -> tuple[Controller, ...]:
        return self.deleting, self.orphaning, self.deleting_remote, self.orphaning_remote

    def start(self) -> None:
        self.deleting.start()
        self.orphaning.start()
        self.remote.start()

    def _on_more_remote(self) -> None:
        if not self.deleting_remote.is_running:
            self.deleting_remote.start()
            self.orphaning_remote.start()
        self.retry_parked()

    async def stop(self) -> None:
        await self.remote.stop()
        for queue in self.queues():
            await queue.stop()

    async def hold(self) -> None:
        """Delete nothing until it resumes. What there is to know is followed all the time."""
        self.remote.hold()
        for queue in self.queues():
            await queue.hold()

    def resume(self) -> None:
        """Have all that may be waiting looked at; `start` is still to be called."""
        for queue in self.queues():
            queue.resume()
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
        if node is not None and self._breaker_of(node, node.references) is not None:
            self.deleting_remote.add(uid)
        else:
            await self._look(uid, is_turn=False)

    async def _delete_remote(self, uid: str) -> None:
        node = self.graph.nodes.get(uid)
        breaker = self._breaker_of(node, node.references) if node is not None else None
        await _in_turn(breaker, self.deleting_remote, uid, partial(self._look, uid, is_turn=True))

    async def _look(self, uid: str, *, is_turn: bool) -> None:
        node = self.graph.nodes.get(uid)
        resource = self.feed.resources.get(node.prefix) if node is not None else None
        if node is None or resource is None or (node.is_being_deleted and not node.is_foreground):
            return
        if node.is_foreground:
            await self._finish_foreground(resource, node)
            return
        known: Known = {}
        try:
            if (
                resource.breaker is not None
                and not (await self._owners.classify(node, node.references, known)).are_news
            ):
                return  # as nearly all that another server tells of
            found = await self._find(resource, node)
            if found is None:
                return
            metadata = found.metadata
            references = await offload.run(read_references, metadata) if found.is_large else read_references(metadata)
            if not is_turn and self._breaker_of(node, references) is not None:
                self.deleting_remote.add(uid)
                return
            await self._owners.warn_of_foreign(node, references, known)
            owners = await self._owners.classify(node, references, known)
        except NamespacedOwner:
            return
        except UnknownKind:
            self._park(uid)
            return
        await self._settle(resource, node, found, owners)

    async def _finish_foreground(self, resource: Resource, node: Node) -> None:
        if self.remote.is_settling:
            self.deleting.add_after(node.uid, SETTLING_LOOK_S)
            return
        if self.catch_up is not None:
            await self.catch_up()
        if not self.graph.is_blocked(node.uid):
            await resource.change(node, partial(drop_finalizer, finalizer=FINALIZER_FOREGROUND))

    def _breaker_of(self, node: Node, references: Sequence[Reference]) -> CircuitBreaker | None:
        """To the server that has to be asked first; None: this one knows all that there is to know."""
        if not self.remote.has_any:
            return None
        resource = self.feed.resources.get(node.prefix)
        if resource is not None and resource.breaker is not None:
            return resource.breaker
        for reference in references if not node.is_foreground else ():
            kind = self._kinds.find(reference.api_version, reference.kind)
            if kind is not None and kind.breaker is not None:
                return kind.breaker
        return None

    async def _settle(self, resource: Resource, node: Node, found: StoredMetadata, owners: Owners) -> None:
        if owners.solid:
            let_go = {reference.uid for reference in (*owners.dangling, *owners.waiting)}
            if let_go:
                await resource.change(node, partial(drop_references, uids=let_go))
            return
        if not owners.are_news:
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
        if self.remote.is_settling:
            self.orphaning.add_after(uid, SETTLING_LOOK_S)
        elif self._breaker_of_family(node) is not None:
            self.orphaning_remote.add(uid)
        else:
            await self._orphan(uid, WORKERS)

    async def _orphan_remote(self, uid: str) -> None:
        node = self.graph.nodes.get(uid)
        breaker = self._breaker_of_family(node) if node is not None else None
        await _in_turn(breaker, self.orphaning_remote, uid, partial(self._orphan, uid, TURNS_MAX))

    def _breaker_of_family(self, node: Node) -> CircuitBreaker | None:
        """To the server that has the object, or one of its dependents."""
        if not self.remote.has_any:
            return None
        members = (node, *(self.graph.nodes.get(uid) for uid in self.graph.dependents_of(node.uid)))
        resources = (self.feed.resources.get(each.prefix) for each in members if each is not None)
        return next((each.breaker for each in resources if each is not None and each.breaker is not None), None)

    async def _orphan(self, uid: str, at_once: int) -> None:
        node = self.graph.nodes.get(uid)
        resource = self.feed.resources.get(node.prefix) if node is not None else None
        if node is None or resource is None or await self._find(resource, node) is None:
            return
        if self.catch_up is not None:
            await self.catch_up()
        parts = _parts(self.graph.dependents_of(uid), at_once)
        results = await asyncio.gather(*(self._orphan_some(part, uid) for part in parts), return_exceptions=True)
        for result in results:
            if result is not None:
                raise result
        await resource.change(node, partial(drop_finalizer, finalizer=FINALIZER_ORPHAN))

    async def _orphan_some(self, dependents: list[str], owner: str) -> None:
        for uid in dependents:
            node = self.graph.nodes.get(uid)
            resource = self.feed.resources.get(node.prefix) if node is not None else None
            if node is not None and resource is not None:
                await resource.change(node, partial(drop_references, uids={owner}))

    @staticmethod
    async def _find(resource: Resource, node: Node) -> StoredMetadata | None:
        found = await resource.find(node.namespace, node.name)
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


async def _in_turn(
    breaker: CircuitBreaker | None, queue: Controller, uid: str, work: Callable[[], Awaitable[None]]
) -> None:
    """Work that needs the server of `breaker`, when that may be called."""
    if breaker is not None and not breaker.begin(queue, uid):
        return
    try:
        await work()
    except ServerUnavailable as down:
        down.breaker.defer(queue, uid)
    finally:
        if breaker is not None:
            breaker.end()


def _parts(uids: list[str], count: int) -> list[list[str]]:
    return [uids[start::count] for start in range(min(count, len(uids)))]
