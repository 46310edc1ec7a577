"""All controllers of definitions and namespaces over a store in memory, with a clock of the test's, as the server wires
them. Nothing runs by itself: `settle` works the queues, or a test does, one key at a time in an order of its own.

A restart keeps what the store holds and nothing else.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Any

from quarterdeck.apiextensions.build import Builder
from quarterdeck.apiextensions.resource import definition_of_definitions
from quarterdeck.apiextensions.ruletimes import RuleTimes
from quarterdeck.apiextensions.served import ServedDefinition, ServedDefinitions
from quarterdeck.apimachinery import errors
from quarterdeck.apimachinery.codec import json as json_codec
from quarterdeck.apimachinery.user import User
from quarterdeck.authentication.serviceaccounts.keys import Keys
from quarterdeck.authorization.authorizer import Attributes
from quarterdeck.controllers.clocks import Clocks
from quarterdeck.controllers.optional.context import Dependencies
from quarterdeck.controllers.optional.issuing import Authority
from quarterdeck.controllers.run import Controllers
from quarterdeck.controllers.workqueue import Controller
from quarterdeck.discovery.served import DiscoveryDocuments
from quarterdeck.endpoints.table.builtin import convertor_for
from quarterdeck.endpoints.table.custom import compile_columns
from quarterdeck.metrics.registry import Registry
from quarterdeck.registry.builtin import resources
from quarterdeck.registry.builtin.assembly import Assembly
from quarterdeck.registry.builtin.core.service.allocation import DEFAULT_RANGES, ServiceRanges
from quarterdeck.registry.deletion import Options
from quarterdeck.registry.scope import Scope
from quarterdeck.registry.store import Store
from quarterdeck.registry.strategy import copy_value
from quarterdeck.registry.writes import Update, WriteContext
from quarterdeck.server import quotas
from quarterdeck.storage.cacher import Cacher
from quarterdeck.storage.interface import Sink, StorageError
from support.fake_clock import FakeClock
from support.memory_store import MemoryStore
from support.webhooks import NoWebhooks, converting

GROUP = "example.com"
STEPS_MAX = 20_000
Object = dict[str, Any]


class FailingStore(MemoryStore):
    """`fail(key)` is asked before each write; whether it is refused as one of an unavailable store is."""

    def __init__(self) -> None:
        super().__init__()
        self.fail: Callable[[str], bool] = lambda _key: False

    def subscribe(self, sink: Sink) -> None:
        self._sink = sink

    def _check_health(self, key: str) -> None:
        if self.fail(key):
            raise StorageError("injected")

    async def create(self, key: str, value: bytes, hint: object = None) -> int:
        self._check_health(key)
        return await super().create(key, value, hint)

    async def update(self, key: str, value: bytes, expected_revision: int, hint: object = None) -> int:
        self._check_health(key)
        return await super().update(key, value, expected_revision, hint)

    async def delete(self, key: str, expected_revision: int, hint: object = None) -> int:
        self._check_health(key)
        return await super().delete(key, expected_revision, hint)


class World:
    """`await World().start()`."""

    def __init__(self, store: FailingStore | None = None, *optional: str) -> None:
        """`optional`: names of controllers that do not run by themselves."""
        self._optional = optional
        self.store = store or FailingStore()
        self.clock = FakeClock()
        self.keys: Keys | None = None
        self.builtin: dict[tuple[str, str, str], dict[str, Scope]] = {}
        self.service_ranges: Sequence[str] = DEFAULT_RANGES

    def load_authority(self) -> Authority:
        """What certificates are issued with; a test gives one."""
        raise NotImplementedError

    def allows(self, user: User, attributes: Attributes) -> bool:
        """What users may do; a test says."""
        raise NotImplementedError

    async def start(self) -> World:
        """Start, also after a crash: everything is built again from what the store holds."""
        self.cacher = Cacher(self.store)
        await self.cacher.start()
        assembly = Assembly(self.store, self.cacher, convertor_for)
        for definition in [
            *resources.definitions(self.cacher, ServiceRanges(self.service_ranges)),
            definition_of_definitions(),
        ]:
            resource = definition.resource
            self.builtin[resource.group, resource.version, resource.name] = assembly.build(definition)
        self.served = ServedDefinitions()
        self.discovery = DiscoveryDocuments("localhost:6443")
        self.published: dict[str, ServedDefinition | None] = {}
        self.builder = Builder(
            self._store_of,
            lambda _resource, columns: compile_columns(columns),
            converting(NoWebhooks()),
            RuleTimes(Registry()),
        )
        self.controllers = Controllers(
            self.builtin,
            self.served,
            self.builder,
            self.discovery,
            self.cacher,
            self.published.__setitem__,
            Clocks(self.clock, self.clock),
        )
        dependencies = Dependencies(
            b"root",
            self.load_authority,
            self.keys,
            self.allows,
            partial(quotas.build_evaluators, self.builtin),
            tls_wall_s=self.clock.wall_s,
        )
        self.controllers.set_address("127.0.0.1", 6443, self.service_ranges)
        self.controllers.choose(("namespace-controller", *self._optional), dependencies)
        self.controllers.nonstructural.pause_s = 0
        self.controllers.finalizer.controller.steady_clock = self.clock  # no pauses
        await self.controllers.take_up()
        return self

    def _store_of(self, group: str, plural: str, namespaced: bool, attributes: Any, fields: Any = None) -> Store:
        cache = self.cacher.resource(group, plural, fields or (lambda obj: attributes(obj).fields))
        return Store(
            group,
            plural,
            namespaced=namespaced,
            key_prefix=cache.prefix,
            storage=self.store,
            cache=cache,
            attributes=attributes,
        )

    # - the controllers' work

    def queues(self) -> list[Controller]:
        return [queue for queue in self.controllers.queues() if queue.name not in ("garbage", "orphaning")]

    def waiting(self) -> list[Controller]:
        return [queue for queue in self.queues() if queue.depth]

    async def settle(self, seconds: float = 0) -> None:
        """Work until nothing waits; then let so much time pass, working on what becomes due."""
        end_s = self.clock.now_s() + seconds
        for _ in range(STEPS_MAX):
            if waiting := self.waiting():
                await waiting[0].work_on_next()
                continue
            due = self.clock.due_s()
            if not due or self.clock.now_s() + due[0] > end_s:
                self.clock.advance(max(0.0, end_s - self.clock.now_s()))
                return
            self.clock.advance(due[0])
        raise AssertionError("the controllers do not come to rest")

    # - a client's work

    @property
    def definitions(self) -> dict[str, Scope]:
        return self.builtin["apiextensions.k8s.io", "v1", "customresourcedefinitions"]

    @property
    def namespaces(self) -> dict[str, Scope]:
        return self.builtin["", "v1", "namespaces"]

    async def create(self, scope: Scope, obj: Object) -> Object:
        scope.codec.normalize(obj, report_unknown=False)
        created: Object = json_codec.load((await scope.store.create(scope, obj, context())).data)
        return created

    async def define(self, plural: str, kind: str = "", **changed: Any) -> Object:
        return await self.create(self.definitions[""], build_definition(plural, kind, **changed))

    async def change(self, scope: Scope, namespace: str, name: str, change: Callable[[Object], None]) -> None:
        async def transform(live: Object | None) -> Object:
            assert live is not None
            new: Object = copy_value(live)
            change(new)
            return new

        await scope.store.update(scope, namespace, name, Update(transform), context())

    async def delete(self, scope: Scope, namespace: str, name: str, grace_period_s: int | None = None) -> None:
        try:
            await scope.store.delete(scope, namespace, name, Options(grace_period_s=grace_period_s), context())
        except errors.NotFound:
            return

    def scope_of(self, plural: str) -> Scope:
        served = self.served.get(GROUP, plural)
        assert served is not None
        return served.storage_scope

    async def add_object(self, plural: str, name: str, namespace: str = "ns", *, hold: bool = False) -> None:
        scope = self.scope_of(plural)
        metadata: Object = {"name": name, "namespace": namespace}
        if hold:
            metadata["finalizers"] = ["example.com/hold"]
        await self.create(scope, {"apiVersion": f"{GROUP}/v1", "kind": scope.resource.kind, "metadata": metadata})

    async def release(self, plural: str, name: str, namespace: str = "ns") -> None:
        def change(obj: Object) -> None:
            obj["metadata"].pop("finalizers", None)

        await self.change(self.scope_of(plural), namespace, name, change)

    # - what there is

    def definition(self, plural: str) -> Object | None:
        entry = self.definitions[""].store.cache.get("", f"{plural}.{GROUP}")
        return json_codec.load(entry.data) if entry is not None else None

    def condition(self, plural: str, kind: str) -> tuple[str, str, str] | None:
        """Status, reason and message."""
        found = self.definition(plural)
        assert found is not None
        for each in found["status"]["conditions"] or ():
            if each["type"] == kind:
                return each["status"], each.get("reason", ""), each.get("message", "")
        return None

    def objects(self) -> list[str]:
        """The keys of all objects of definitions, served or not."""
        prefix = f"/registry/{GROUP}/"
        return sorted(
            f"{cache.prefix.removeprefix(prefix)}{entry.path}"
            for cache in self.cacher.caches()
            if cache.prefix.startswith(prefix)
            for entry in cache.state.all()
        )


def build_definition(plural: str, kind: str = "", **changed: Any) -> Object:
    """`changed`: group, names, versions, annotations, conversion."""
    group = changed.get("group", GROUP)
    version = {"served": True, "storage": True, "schema": {"openAPIV3Schema": {"type": "object"}}}
    spec = {
        "group": group,
        "scope": "Namespaced",
        "names": {"plural": plural, "kind": kind or plural.removesuffix("s").title(), **changed.get("names", {})},
        "versions": changed.get("versions", [{"name": "v1", **version}]),
    }
    metadata = {"name": f"{plural}.{group}", "annotations": changed.get("annotations", {})}
    kind_of = {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition"}
    return {**kind_of, "metadata": metadata, "spec": spec}


def context() -> WriteContext:
    return WriteContext(dry_run=False, warnings=[])


def run(work: Callable[[], Awaitable[None]]) -> None:
    asyncio.run(partial(_await, work)())


async def _await(work: Callable[[], Awaitable[None]]) -> None:
    await work()
