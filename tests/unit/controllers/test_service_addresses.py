"""Addresses of services are shown as objects, from before a write is answered."""

from __future__ import annotations

import asyncio
from typing import Any

from quarterdeck.apimachinery.codec import json as json_codec
from quarterdeck.controllers.serviceaddresses import ServiceAddresses
from quarterdeck.endpoints.table.builtin import convertor_for
from quarterdeck.registry.builtin.assembly import Assembly
from quarterdeck.registry.builtin.core.service import resource
from quarterdeck.registry.builtin.core.service.allocation import ServiceRanges
from quarterdeck.registry.builtin.networking import resources as networking
from quarterdeck.registry.deletion import Options
from quarterdeck.registry.scope import Scope
from quarterdeck.registry.writes import Update, WriteContext
from quarterdeck.storage.cacher import Cacher
from support.control import FailingStore

Object = dict[str, Any]


class Shown:
    async def start(self) -> Shown:
        storage = FailingStore()
        cacher = Cacher(storage)
        await cacher.start()
        assembly = Assembly(storage, cacher, convertor_for)
        self.services = assembly.build(resource.definition(cacher, ServiceRanges()))[""]
        built = {each.resource.name: assembly.build(each) for each in networking.definitions()}
        self.addresses: Scope = built["ipaddresses"][""]
        self.ranges = built["servicecidrs"]
        ServiceAddresses(self.services, self.addresses)
        return self

    async def create(self, name: str, *, dry_run: bool = False, **spec: Any) -> None:
        obj: Object = {"metadata": {"name": name, "namespace": "ns"}, "spec": {"ports": [{"port": 80}], **spec}}
        self.services.codec.normalize(obj, report_unknown=False)
        await self.services.store.create(self.services, obj, WriteContext(dry_run, []))

    async def change(self, name: str, spec: Object) -> None:
        def transform(live: Object | None) -> Object:
            assert live is not None
            new = {**live, "spec": {**live["spec"], **spec}}
            self.services.codec.normalize(new, report_unknown=False)
            return new

        await self.services.store.update(self.services, "ns", name, Update(transform), WriteContext(False, []))

    async def delete(self, name: str) -> None:
        await self.services.store.delete(self.services, "ns", name, Options(), WriteContext(False, []))

    def shown(self) -> dict[str, Object]:
        found = self.addresses.store.cache.state.all()
        return {entry.name: json_codec.load(entry.data)["spec"]["parentRef"] for entry in found}


def test_objects_follow_the_addresses_of_services() -> None:
    async def body() -> None:
        shown = await Shown().start()
        await shown.create("s", clusterIP="10.0.0.7")
        assert shown.shown() == {"10.0.0.7": {"resource": "services", "namespace": "ns", "name": "s"}}
        await shown.create("d", dry_run=True, clusterIP="10.0.0.8")
        await shown.create("h", clusterIP="None", selector={"a": "b"})
        await shown.change("s", {"selector": {"a": "b"}})
        assert set(shown.shown()) == {"10.0.0.7"}
        await shown.change("s", {"type": "ExternalName", "externalName": "x.dev"})
        assert shown.shown() == {}
        await shown.change("s", {"type": "ClusterIP", "clusterIP": "10.0.0.9"})
        assert set(shown.shown()) == {"10.0.0.9"}
        await shown.delete("s")
        assert shown.shown() == {}

    asyncio.run(body())


def test_an_address_goes_with_its_service_whatever_its_object_says() -> None:
    def without_labels(live: Object | None) -> Object:
        assert live is not None
        return {**live, "metadata": {**live["metadata"], "labels": {"a": "b"}}}

    async def body() -> None:
        shown = await Shown().start()
        addresses = shown.addresses
        for number, spec in enumerate(({"type": "ExternalName", "externalName": "x.dev"}, None)):
            address = f"10.0.0.{number + 7}"
            await shown.create(f"s{number}", clusterIP=address)
            await addresses.store.update(addresses, "", address, Update(without_labels), WriteContext(False, []))
            if spec is None:
                await shown.delete(f"s{number}")
            else:
                await shown.change(f"s{number}", spec)
            assert shown.shown() == {}

    asyncio.run(body())
