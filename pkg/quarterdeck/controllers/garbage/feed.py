"""Keeps the graph of owners in step with the watch cache, and says which objects have to be looked at.

One listener at each resource's cache. A write of an object that has no owners and is not under deletion costs one
search in its bytes (0.3 µs at 1.3 KB); the paths of all other objects are remembered. The caches of all resources in
one store are fed in one order, so an owner is always known before its dependents. A large object may have thousands of
owners: it is read beside the event loop and in steps, and later changes wait behind it.

Source: pkg/controller/garbagecollector/graph_builder.go (processGraphChanges, processTransitions).
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, Final, NamedTuple

from quarterdeck._kernels.objectbytes import holds_any, slice_metadata
from quarterdeck.apimachinery import offload
from quarterdeck.apimachinery.codec import json as json_codec
from quarterdeck.controllers.garbage.graph import STEP_REFERENCES, Coordinates, Graph, Node, Steps, build_node, finish
from quarterdeck.controllers.garbage.resources import Resource
from quarterdeck.storage.cacher import Change, Entry, ResourceCache

# Final: compiled code looks up what a module may set anew in a dictionary each time.
_holds_any: Final = holds_any

_OWNERS: Final = b'"ownerReferences":['
_DELETION: Final = b'"deletionTimestamp":'

Enqueue = Callable[[str], None]
Paths = set[str]


class FollowedResource(NamedTuple):
    """`tracked`: the paths of the resource's objects that have owners or are under deletion."""

    cache: ResourceCache
    listener: Callable[[Change], None]
    tracked: Paths


class _Waiting(NamedTuple):
    prefix: str
    tracked: Paths
    change: Change


class Feed:
    """`attempt_delete` and `attempt_orphan` get the UIDs of objects to look at.

    `resources` are those that objects in the graph are of, by the prefix that their nodes name.
    """

    def __init__(self, graph: Graph, attempt_delete: Enqueue, attempt_orphan: Enqueue) -> None:
        self.resources: dict[str, Resource] = {}
        self._graph = graph
        self._attempt_delete = attempt_delete
        self._attempt_orphan = attempt_orphan
        self._followed: dict[str, FollowedResource] = {}
        self._waiting: deque[_Waiting] = deque()
        self._catching_up: asyncio.Task[None] | None = None

    @property
    def is_caught_up(self) -> bool:
        return not self._waiting

    def follow(self, resource: Resource, cache: ResourceCache) -> None:
        """Read what a resource of this server holds, and follow its changes from now on. It may replace an earlier
        one."""
        prefix = cache.prefix
        self.resources[prefix] = resource
        followed = self._followed.get(prefix)
        if followed is not None:
            if followed.cache is cache:
                return
            self._forget(prefix)
        tracked = {entry.path: entry for entry in cache.state.unordered() if _is_tracked(entry)}
        paths = set(tracked)
        listener = partial(self._on_change, prefix, paths)
        self._followed[prefix] = FollowedResource(cache, listener, paths)
        cache.listeners.append(listener)
        for entry in tracked.values():
            finish(self._observe(_read_node(prefix, entry)))

    def unfollow(self, prefix: str) -> None:
        """The resource is not served any more. Its objects are not gone for that, nor are their dependents."""
        self.resources.pop(prefix, None)
        self._forget(prefix)

    def _forget(self, prefix: str) -> None:
        followed = self._followed.pop(prefix, None)
        if followed is None:
            return
        followed.cache.listeners.remove(followed.listener)
        for entry in followed.cache.state.all():
            if entry.path in followed.tracked:
                self._graph.remove(read_metadata(entry).get("uid") or "")

    def _on_change(self, prefix: str, tracked: Paths, change: Change) -> None:
        if self._waiting or _is_large(change):
            self._waiting.append(_Waiting(prefix, tracked, change))
            if self._catching_up is None:
                self._catching_up = asyncio.get_running_loop().create_task(self._catch_up())
            return
        entry = self._entry_to_read(tracked, change)
        if entry is None:
            return
        if change.entry is None:
            finish(self._on_deleted(prefix, entry.namespace, entry.name, read_metadata(entry).get("uid") or ""))
        else:
            finish(self._observe(_read_node(prefix, entry)))

    async def _catch_up(self) -> None:
        try:
            while self._waiting:
                await self._take(self._waiting[0])
                self._waiting.popleft()
        finally:
            self._catching_up = None

    async def _take(self, waiting: _Waiting) -> None:
        entry = self._entry_to_read(waiting.tracked, waiting.change)
        if entry is None:
            return
        if waiting.change.entry is None:
            metadata = await read_metadata_offloaded(entry)
            steps = self._on_deleted(waiting.prefix, entry.namespace, entry.name, metadata.get("uid") or "")
        else:
            steps = self._observe(await offload.run(_read_node, waiting.prefix, entry))
        for _ in steps:
            await asyncio.sleep(0)

    def _entry_to_read(self, tracked: Paths, change: Change) -> Entry | None:
        """The new state of an object that the collector has to look at, or the last state of a deleted one. None if
        the change does not matter to the collector."""
        entry, old = change.entry, change.old
        if entry is None:
            if old is None or not (tracked or self._graph.owners):
                return None
            tracked.discard(old.path)
            return old
        if _is_tracked(entry):
            tracked.add(entry.path)
            return entry
        if tracked and entry.path in tracked:
            tracked.discard(entry.path)
            return entry
        return None

    def _observe(self, node: Node) -> Steps:
        old = self._graph.nodes.get(node.uid)
        yield from self._graph.put_in_steps(node)
        if old is None or old.references != node.references:
            yield from self._release_owners(old)
            if node.references:
                self._attempt_delete(node.uid)
        if node.is_foreground and not (old is not None and old.is_foreground):
            for uid in self._graph.dependents_of(node.uid):
                self._attempt_delete(uid)
            self._attempt_delete(node.uid)
        if node.is_orphaning and not (old is not None and old.is_orphaning):
            self._attempt_orphan(node.uid)

    def _on_deleted(self, prefix: str, namespace: str, name: str, uid: str) -> Steps:
        node = self._graph.nodes.get(uid)
        yield from self._graph.remove_in_steps(uid)
        yield from self._release_owners(node)
        owner = self._graph.owners.get(uid)
        if owner is not None:
            owner.gone = self._coordinates_of(prefix, namespace, name)
            for dependent in owner.dependents:
                self._attempt_delete(dependent)

    # - what other servers hold

    def see(self, node: Node) -> Steps:
        """An object as its server has told of it. UIDs of others' objects are not its own."""
        old = self._graph.nodes.get(node.uid)
        if old is None or old.prefix == node.prefix:
            yield from self._observe(node)

    def on_deleted_remote(self, prefix: str, namespace: str, name: str, uid: str) -> Steps:
        if self._is_of(prefix, uid):
            yield from self._on_deleted(prefix, namespace, name, uid)

    def lose(self, prefix: str, uid: str) -> Steps:
        """The object is not shown any more. Who depends on it has to ask."""
        if not self._is_of(prefix, uid):
            return
        node = self._graph.nodes.get(uid)
        yield from self._graph.remove_in_steps(uid)
        yield from self._release_owners(node)
        for dependent in self._graph.dependents_of(uid):
            self._attempt_delete(dependent)

    def look_for_absent(self, is_absent: Callable[[str, str, str], bool]) -> Steps:
        """Have all objects looked at that refer to an owner (UID, apiVersion and kind) which is absent."""
        for done, node in enumerate(tuple(self._graph.nodes.values()), 1):
            if done % STEP_REFERENCES == 0:
                yield
            if any(is_absent(each.uid, each.api_version, each.kind) for each in node.references):
                self._attempt_delete(node.uid)

    def drop(self, prefix: str, uids: Iterable[str]) -> None:
        """A resource of another server is not followed any more. Its objects are not gone for that."""
        self.resources.pop(prefix, None)
        for uid in uids:
            if self._is_of(prefix, uid):
                self._graph.remove(uid)

    def _is_of(self, prefix: str, uid: str) -> bool:
        node = self._graph.nodes.get(uid)
        return node is None or node.prefix == prefix

    # - both

    def _coordinates_of(self, prefix: str, namespace: str, name: str) -> Coordinates | None:
        """None where the resource is not served any more."""
        resource = self.resources.get(prefix)
        if resource is None:
            return None
        return Coordinates(resource.api_versions, resource.kind, namespace, name)

    def _release_owners(self, old: Node | None) -> Steps:
        """Owners that waited for this object alone have to be looked at."""
        for done, reference in enumerate(old.references if old is not None else (), 1):
            if done % STEP_REFERENCES == 0:
                yield
            owner = self._graph.nodes.get(reference.uid)
            if owner is not None and owner.is_foreground and not self._graph.is_blocked(owner.uid):
                self._attempt_delete(owner.uid)


def _is_tracked(entry: Entry) -> bool:
    return _holds_any(entry.data, _OWNERS, _DELETION)


def _is_large(change: Change) -> bool:
    entry = change.entry if change.entry is not None else change.old
    return entry is not None and len(entry.data) > offload.LARGE_BYTES


def _read_node(prefix: str, entry: Entry) -> Node:
    return build_node(prefix, entry.namespace, entry.name, read_metadata(entry))


async def read_metadata_offloaded(entry: Entry) -> dict[str, Any]:
    """`read_metadata`, of a large object beside the event loop."""
    if len(entry.data) > offload.LARGE_BYTES:
        return await offload.run(read_metadata, entry)
    return read_metadata(entry)


def read_metadata(entry: Entry) -> dict[str, Any]:
    """The metadata of a stored object, without decoding the rest of it."""
    data = slice_metadata(entry.data)
    metadata: dict[str, Any] = json_codec.load(entry.data)["metadata"] if data is None else json_codec.load(data)
    return metadata
