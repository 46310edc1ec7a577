"""A garbage collector over a store in memory, with ConfigMaps and Namespaces to own one another."""

from __future__ import annotations

import asyncio
from typing import Any, NoReturn

from quarterdeck.apimachinery import errors
from quarterdeck.apimachinery.codec import json as json_codec
from quarterdeck.controllers.events import EventRecorder
from quarterdeck.controllers.garbage.run import Garbage
from quarterdeck.controllers.workqueue import LoopClock
from quarterdeck.registry.builtin import resources
from quarterdeck.registry.builtin.assembly import Assembly
from quarterdeck.registry.deletion import Options
from quarterdeck.registry.scope import Scope
from quarterdeck.registry.writes import Update, WriteContext
from quarterdeck.storage.cacher import Cacher
from support.memory_store import MemoryStore
from support.waiting import until

SETTLE_TURNS_MAX = 100_000


class World:
    """`await World.start()`; objects are ConfigMaps in "ns" by default."""

    def __init__(self) -> None:
        self.cacher = Cacher(MemoryStore())
        self.garbage: Garbage
        self.scopes: dict[str, Scope] = {}

    async def start(self) -> World:
        await self.cacher.start()
        assembly = Assembly(self.cacher.storage, self.cacher, _no_columns)
        for definition in resources.definitions(self.cacher):
            self.scopes.setdefault(definition.resource.kind, assembly.build(definition)[""])
        self.begin()
        return self

    def begin(self) -> None:
        """A new collector, which knows what the store holds."""
        self.garbage = Garbage(EventRecorder(self.scopes["Event"], self.scopes["Namespace"]))
        for queue in self.garbage.collector.queues():
            queue.steady_clock = LoopClock()  # no pauses
        self.garbage.follow_builtin(self.scopes.values())
        self.garbage.collector.start()

    async def stop(self) -> None:
        await self.garbage.collector.stop()
        for scope in self.scopes.values():
            scope.store.cache.listeners.clear()

    async def create(
        self, name: str, *references: dict[str, Any], kind: str = "ConfigMap", namespace: str = "ns", hold: bool = False
    ) -> dict[str, Any]:
        scope = self.scopes[kind]
        metadata: dict[str, Any] = {"name": name, "ownerReferences": list(references)}
        if hold:
            metadata["finalizers"] = ["example.com/hold"]
        if scope.resource.namespaced:
            metadata["namespace"] = namespace
        obj = {"apiVersion": "v1", "kind": kind, "metadata": metadata}
        scope.codec.normalize(obj, report_unknown=False)
        stored = await scope.store.create(scope, obj, context())
        created: dict[str, Any] = json_codec.load(stored.data)
        return created

    async def delete(self, name: str, policy: str, *, kind: str = "ConfigMap", namespace: str = "ns") -> None:
        scope = self.scopes[kind]
        namespace = namespace if scope.resource.namespaced else ""
        try:
            await scope.store.delete(scope, namespace, name, Options(propagation_policy=policy), context())
        except errors.NotFound:
            return

    async def release(self, name: str) -> None:
        """Take the test's own finalizer away."""
        scope = self.scopes["ConfigMap"]

        async def transform(live: dict[str, Any] | None) -> dict[str, Any]:
            assert live is not None
            held = [one for one in live["metadata"]["finalizers"] if one != "example.com/hold"]
            return {**live, "metadata": {**live["metadata"], "finalizers": held}}

        await scope.store.update(scope, "ns", name, Update(transform), context())

    async def settle(self) -> None:
        """Let the collector finish all that it has to do."""
        for _ in range(SETTLE_TURNS_MAX):
            if all(queue.is_idle for queue in self.garbage.collector.queues()):
                return
            await asyncio.sleep(0)
        raise AssertionError("the collector does not come to rest")

    async def catch_up(self) -> None:
        """Let the collector take in large objects."""
        await until(lambda: self.garbage.collector.feed.is_caught_up)

    def metadata(self, name: str, namespace: str = "ns") -> dict[str, Any] | None:
        entry = self.scopes["ConfigMap"].store.cache.get(namespace, name)
        found: dict[str, Any] | None = json_codec.load(entry.data)["metadata"] if entry is not None else None
        return found

    def events(self) -> list[dict[str, Any]]:
        return [json_codec.load(entry.data) for entry in self.scopes["Event"].store.cache.state.all()]

    def owners(self) -> dict[str, list[str]]:
        """Every ConfigMap, with the names of its owners."""
        return {
            entry.name: [one["name"] for one in json_codec.load(entry.data)["metadata"].get("ownerReferences", ())]
            for entry in self.scopes["ConfigMap"].store.cache.state.all()
        }


def refer(owner: dict[str, Any], *, blocks: bool = False, **changed: str) -> dict[str, Any]:
    metadata = owner["metadata"]
    reference = {"apiVersion": "v1", "kind": owner["kind"], "name": metadata["name"], "uid": metadata["uid"], **changed}
    return {**reference, "blockOwnerDeletion": True} if blocks else reference


def context() -> WriteContext:
    return WriteContext(dry_run=False, warnings=[])


def _no_columns(_group: str, _kind: str) -> NoReturn:
    raise AssertionError("nobody asks for tables here")
