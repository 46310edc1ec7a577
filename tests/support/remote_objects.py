"""What another server holds, in memory, for a garbage collector: Flunders of wardle.example.com/v1 in namespaces.

It can be away, hang, or lie about what it has.
"""

from __future__ import annotations

import asyncio
import copy
from collections.abc import AsyncGenerator, Mapping
from typing import Any

from quarterdeck.apimachinery import errors
from quarterdeck.controllers.remoteobjects import Metadata, MetadataEvent, MetadataPage, RemoteKind, Unreachable
from quarterdeck.registry.deletion import Options, mark

GROUP = "wardle.example.com"
FLUNDERS = RemoteKind(f"v1.{GROUP}", "wardle/api:443", GROUP, "v1", "flunders", "Flunder", True, True)
PAGE = 2


class RemoteStore:
    """`calls` are those of one object and of lists. `lists_nothing`: as one that has not read its store yet."""

    def __init__(self) -> None:
        self.objects: dict[tuple[str, str], Metadata] = {}
        self.calls: list[tuple[str, str]] = []
        self.lists_nothing = False
        self.may_answer = asyncio.Event()
        self.may_answer.set()
        self.under_way = self.most_under_way = 0
        self._is_away = False
        self._events: list[MetadataEvent] = []
        self._oldest = 0
        self._revision = 0
        self._uids = 0
        self._changed = asyncio.Event()
        self._cursors: dict[object, int] = {}

    # - what a test does

    def create(self, name: str, *references: Mapping[str, Any], namespace: str = "ns", hold: bool = False) -> Any:
        self._uids += 1
        metadata = {"name": name, "namespace": namespace, "uid": f"remote-{self._uids}"}
        metadata |= {"ownerReferences": [dict(each) for each in references]} if references else {}
        metadata |= {"finalizers": ["example.com/hold"]} if hold else {}
        self._store("ADDED", metadata)
        return {"kind": "Flunder", "metadata": metadata}

    def remove(self, name: str, policy: str = "Background", namespace: str = "ns") -> None:
        live = self.objects.get((namespace, name))
        if live is not None:
            self._delete(live, Options(propagation_policy=policy))

    def release(self, name: str, namespace: str = "ns") -> None:
        live = self.objects[namespace, name]
        self._put({**live, "finalizers": [each for each in live["finalizers"] if each != "example.com/hold"]})

    def forget_history(self) -> None:
        """Watches have to list again."""
        self._oldest = len(self._events)
        for cursor in self._cursors:
            self._cursors[cursor] = -1
        self._wake()

    @property
    def is_away(self) -> bool:
        return self._is_away

    @is_away.setter
    def is_away(self, is_away: bool) -> None:
        self._is_away = is_away
        self._wake()

    @property
    def is_delivered(self) -> bool:
        return all(cursor == len(self._events) for cursor in self._cursors.values())

    @property
    def is_followed(self) -> bool:
        return bool(self._cursors)

    # - RemoteObjects

    async def get(self, kind: RemoteKind, namespace: str, name: str) -> Metadata | None:
        await self._call("get", name)
        return copy.deepcopy(self.objects.get((namespace, name)))

    async def list(self, kind: RemoteKind, continue_token: str) -> MetadataPage:
        await self._call("list", continue_token)
        found = [] if self.lists_nothing else list(self.objects.values())
        begin = int(continue_token or 0)
        end = begin + PAGE
        items = copy.deepcopy(found[begin:end])
        return MetadataPage(items, str(end) if end < len(found) else "", str(len(self._events)))

    async def watch(self, kind: RemoteKind, revision: str, timeout_s: int) -> AsyncGenerator[MetadataEvent]:
        self._check()
        me = object()
        self._cursors[me] = int(revision)
        if self._cursors[me] < self._oldest:
            self._cursors[me] = -1
        try:
            while True:
                self._check()
                if self._cursors[me] < 0:
                    raise errors.Expired("too old")
                if self._cursors[me] < len(self._events):
                    event = self._events[self._cursors[me]]
                    self._cursors[me] += 1
                    yield copy.deepcopy(event)
                else:
                    await self._changed.wait()
        finally:
            del self._cursors[me]

    async def delete(self, kind: RemoteKind, namespace: str, name: str, options: Options) -> None:
        await self._call("delete", name)
        live = self._find(namespace, name, options.precondition_uid, options.precondition_resource_version)
        self._delete(live, options)

    async def patch(self, kind: RemoteKind, namespace: str, name: str, patch: Mapping[str, Any]) -> None:
        await self._call("patch", name)
        changed = dict(patch["metadata"])
        live = self._find(namespace, name, changed.pop("uid"), changed.pop("resourceVersion"))
        self._put({**live, **changed})

    # - how

    async def _call(self, verb: str, name: str) -> None:
        self.calls.append((verb, name))
        self.under_way += 1
        self.most_under_way = max(self.most_under_way, self.under_way)
        try:
            await asyncio.sleep(0)
            if not self.may_answer.is_set():
                await asyncio.sleep(0.05)  # as long as anybody waits
                raise Unreachable("context deadline exceeded")
            self._check()
        finally:
            self.under_way -= 1

    def _check(self) -> None:
        if self._is_away:
            raise Unreachable("EOF")

    def _find(self, namespace: str, name: str, uid: str | None, revision: str | None) -> Metadata:
        live = self.objects.get((namespace, name))
        if live is None:
            raise errors.NotFound(name)
        if uid not in (None, live["uid"]) or revision not in (None, live["resourceVersion"]):
            raise errors.Conflict(name)
        return live

    def _delete(self, live: Metadata, options: Options) -> None:
        marked = mark({"metadata": live}, options)
        if marked is None:
            del self.objects[live["namespace"], live["name"]]
            self._tell("DELETED", live)
        else:
            self._put(marked["metadata"])

    def _put(self, metadata: Metadata) -> None:
        if metadata.get("deletionTimestamp") and not metadata.get("finalizers"):
            del self.objects[metadata["namespace"], metadata["name"]]
            self._tell("DELETED", metadata)
        else:
            self._store("MODIFIED", {name: value for name, value in metadata.items() if value not in (None, [])})

    def _store(self, kind: str, metadata: Metadata) -> None:
        self._revision += 1
        stored = {**metadata, "resourceVersion": str(self._revision)}
        self.objects[metadata["namespace"], metadata["name"]] = stored
        self._tell(kind, stored)

    def _tell(self, kind: str, metadata: Metadata) -> None:
        self._events.append(
            MetadataEvent(kind, {**copy.deepcopy(metadata), "resourceVersion": str(len(self._events) + 1)})
        )
        self._wake()

    def _wake(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()


def refer(owner: Mapping[str, Any], *, blocks: bool = False, **changed: str) -> dict[str, Any]:
    """To one of either server."""
    metadata = owner["metadata"]
    api_version = f"{GROUP}/v1" if owner["kind"] == "Flunder" else "v1"
    reference = {"apiVersion": api_version, "kind": owner["kind"], "name": metadata["name"], "uid": metadata["uid"]}
    return {**reference, **changed, **({"blockOwnerDeletion": True} if blocks else {})}
