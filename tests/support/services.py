"""Services in a store of their own, for tests of what they are given."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import pytest

from quarterdeck.apimachinery import errors
from quarterdeck.apimachinery.codec import json as json_codec
from quarterdeck.endpoints.table.builtin import convertor_for
from quarterdeck.registry.builtin.assembly import Assembly
from quarterdeck.registry.builtin.core.service import resource
from quarterdeck.registry.builtin.core.service.allocation import DEFAULT_RANGES, NODE_PORTS, Allocators, ServiceRanges
from quarterdeck.registry.deletion import Options
from quarterdeck.registry.scope import Scope
from quarterdeck.registry.writes import Update, WriteContext, WriteResult
from quarterdeck.storage.cacher import Cacher
from support.control import FailingStore

Object = dict[str, Any]
ADDRESS = "10.0.0.7"
PORTS = [{"port": 80}]


class Services:
    """The store of services over a storage in memory."""

    async def start(self, monkeypatch: pytest.MonkeyPatch, ranges: ServiceRanges) -> Services:
        self.storage = FailingStore()
        self.cacher = Cacher(self.storage)
        await self.cacher.start()
        made: list[Allocators] = []

        def make(*caches: Any) -> Allocators:
            made.append(Allocators(*caches))
            return made[-1]

        monkeypatch.setattr(resource, "Allocators", make)
        definition = resource.definition(self.cacher, ranges)
        scopes = Assembly(self.storage, self.cacher, convertor_for).build(definition)
        self.scope: Scope = scopes[""]
        self.status: Scope = scopes["status"]
        (self.allocators,) = made
        return self

    async def create(self, name: str, *, dry_run: bool = False, **spec: Any) -> Object:
        obj: Object = {
            "apiVersion": "v1",
            "kind": "Service",
            "metadata": {"name": name, "namespace": "ns"},
            "spec": spec,
        }
        self.scope.codec.normalize(obj, report_unknown=False)
        return shown(await self.scope.store.create(self.scope, obj, WriteContext(dry_run, [])))

    async def change(self, name: str, *, dry_run: bool = False, **spec: Any) -> Object:
        def transform(live: Object | None) -> Object:
            assert live is not None
            new = {**live, "spec": {key: value for key, value in {**live["spec"], **spec}.items() if value is not None}}
            self.scope.codec.normalize(new, report_unknown=False)
            return new

        context = WriteContext(dry_run, [])
        return shown(await self.scope.store.update(self.scope, "ns", name, Update(transform), context))

    async def delete(self, name: str, *, dry_run: bool = False) -> None:
        await self.scope.store.delete(self.scope, "ns", name, Options(), WriteContext(dry_run, []))

    async def put(self, resource_name: str, name: str, obj: Object) -> None:
        """An object of networking."""
        prefix = self.cacher.resource("networking.k8s.io", resource_name).prefix
        await self.storage.create(f"{prefix}{name}", json_codec.encode(obj))

    def held(self) -> set[str]:
        addresses, node_ports = self.allocators.addresses, self.allocators.node_ports
        return {value for pool in (addresses, node_ports) for value in (*pool._held, *pool._reserved)}


def shown(stored: WriteResult) -> Object:
    return json_codec.load(stored.data)


def with_services(
    monkeypatch: pytest.MonkeyPatch,
    body: Callable[[Services], Awaitable[None]],
    ranges: Sequence[str] = DEFAULT_RANGES,
    node_ports: range = NODE_PORTS,
) -> None:
    async def run() -> None:
        await body(await Services().start(monkeypatch, ServiceRanges(ranges, node_ports)))

    asyncio.run(run())


def messages(error: errors.APIStatus) -> list[str]:
    assert error.details is not None
    return [f"{cause['field']}: {cause['message']}" for cause in error.details["causes"]]
