"""Looks, at the start and from time to time, whether services and the objects of their addresses agree.

An object that is missing or says something else is made again, one that belongs to no service goes; what cannot be
repaired is reported: addresses and node ports outside of their range, or of several services.

Source: pkg/registry/core/service/ipallocator/controller/repairip.go, portallocator/controller/repair.go. Ports of a
server that is alone need no repair: the services themselves tell which are taken.
"""

from __future__ import annotations

import asyncio
import ipaddress
import logging
from contextlib import suppress
from typing import Any, Final

from quarterdeck.apimachinery import errors
from quarterdeck.apimachinery.codec import json as json_codec
from quarterdeck.apimachinery.time import parse_rfc3339
from quarterdeck.controllers import ownwrites
from quarterdeck.controllers.actionevents import ActionEvents
from quarterdeck.controllers.serviceaddresses import build_address
from quarterdeck.controllers.settling import Settling
from quarterdeck.controllers.workqueue import Clock, Controller, LoopClock
from quarterdeck.registry.builtin.core.service.allocation import MANAGED_BY, MANAGER, addresses_of, show_ports
from quarterdeck.registry.builtin.core.service.portrange import PortRange
from quarterdeck.registry.builtin.core.service.ranges import family_of
from quarterdeck.registry.deletion import Options
from quarterdeck.registry.identity import UNADMITTED, Identity
from quarterdeck.registry.scope import Scope
from quarterdeck.registry.strategy import Object
from quarterdeck.storage.cacher import Change, Entry, ResourceCache

INTERVAL_S: Final = 180.0
LEAK_S: Final = 60.0  # an object may be there before its service is
SETTLING_S: Final = 1.0  # a write of a service shows its addresses in that time
_ALL: Final = ""
_SERVICE: Final = "service:"
_ADDRESS: Final = "address:"
_ALLOCATION: Final = "ClusterIPAllocation"
_OF_SERVICE: Final = f'"{MANAGER}"'.encode()
_LOG: Final = logging.getLogger(__name__)


class AddressRepairController(Settling):
    """`ranges` is the cache of ServiceCIDRs, `events` the scope of events.k8s.io. `port_range`: the node ports that are
    given; `ports`: what servers agree on them by, None where nobody else gives them away."""

    returning = (_ALL,)

    def __init__(
        self,
        services: Scope,
        addresses: Scope,
        ranges: ResourceCache,
        events: Scope,
        port_range: range,
        ports: PortRange | None = None,
        clock: Clock | None = None,
    ) -> None:
        self._services = services.store.cache
        self._addresses = addresses
        self._ranges = ranges
        self._port_range = port_range
        self._ports = ports
        self._clock = clock or LoopClock()
        self._identity: Identity = UNADMITTED
        self._events = ActionEvents(events, "ipallocator-repair-controller")
        self._port_events = ActionEvents(events, "portallocator-repair-controller")
        # Keys of what did not agree when it was looked at last, and since when.
        self._suspects: dict[str, float] = {}
        self.controller = Controller("ipallocator-repair-controller", self.sync, clock=clock)

    @property
    def identity(self) -> Identity:
        return self._identity

    @identity.setter
    def identity(self, identity: Identity) -> None:
        self._identity = self._events.identity = self._port_events.identity = identity

    def take_up(self) -> None:
        self._addresses.store.cache.listeners.append(self._on_address)
        if self._ports is not None:
            self._services.listeners.append(self._on_service)
        self.controller.add_after(_ALL, INTERVAL_S if self.is_settled else 0)

    def _on_service(self, change: Change) -> None:
        """Somebody else may have written it, who makes no objects of addresses."""
        if change.entry is not None:
            self.controller.add(f"{_SERVICE}{change.entry.path}")

    def _on_address(self, change: Change) -> None:
        entry = change.entry or change.old
        if entry is None or _OF_SERVICE not in entry.data:
            return
        if change.entry is not None:
            self.controller.add(_ADDRESS + entry.name)
        elif parent := _parent_of(json_codec.load(entry.data)):
            self.controller.add(f"{_SERVICE}{parent['namespace']}/{parent['name']}")

    async def sync(self, key: str) -> None:
        await asyncio.sleep(0)  # there may be many, and none to wait for
        if key == _ALL:
            await self._look_at_all()
        elif key.startswith(_SERVICE):
            await self._sync_service(key)
        else:
            await self._sync_address(key)

    async def _look_at_all(self) -> None:
        unknown = await self._ports.repair() if self._ports is not None else []
        ports: dict[int, str] = {}
        for entry in self._services.state.all():
            await asyncio.sleep(0)
            self.controller.add(f"{_SERVICE}{entry.path}")
            await self._check_ports(_read(entry), ports)
        for entry in self._addresses.store.cache.state.all():
            if _OF_SERVICE in entry.data:
                self.controller.add(_ADDRESS + entry.name)
        for port in unknown:
            await self._report_unknown(port, ports.get(port, ""))
        self.controller.add_after(_ALL, INTERVAL_S)

    async def _report_unknown(self, port: int, path: str) -> None:
        namespace, _, name = path.partition("/")
        entry = self._services.get(namespace, name)
        if entry is not None:
            note = f"Port {port} is not allocated; repairing"
            await self._port_events.warn(_read(entry), "PortNotAllocated", "PortAllocation", note)

    async def _check_ports(self, service: Object, taken: dict[int, str]) -> None:
        metadata, spec = service["metadata"], service["spec"]
        path = f"{metadata['namespace']}/{metadata['name']}"
        asked = {port.get("nodePort") for port in spec.get("ports") or ()} | {spec.get("healthCheckNodePort")}
        for port in sorted(asked - {None, 0}):
            if port not in self._port_range:
                among = show_ports(self._port_range)
                note = f"Port {port} is not within the port range {among}; please recreate service"
                await self._port_events.warn(service, "PortOutOfRange", "PortAllocation", note)
            elif taken.setdefault(port, path) != path:
                note = f"Port {port} was assigned to multiple services; please recreate service"
                await self._port_events.warn(service, "PortAlreadyAllocated", "PortAllocation", note)

    # - services

    async def _sync_service(self, key: str) -> None:
        namespace, _, name = key.removeprefix(_SERVICE).rpartition("/")
        entry = self._services.get(namespace, name)
        if entry is None:
            self._suspects.pop(key, None)
            return
        service = _read(entry)
        lacking = [each for each in addresses_of(service) if self._find(each) is None and self._is_in_range(each)]
        if lacking and not self._has_settled(key):
            return
        self._suspects.pop(key, None)
        for address in addresses_of(service):
            await self._check_address(service, address)

    async def _check_address(self, service: Object, address: str) -> None:
        family, metadata = family_of(address), service["metadata"]
        where = f"Cluster IP [{family}]: {address}"
        if not self._is_in_range(address):
            note = f"{where} is not within any configured Service CIDR; please recreate service"
            await self._report(service, "ClusterIPOutOfRange", note)
            return
        found = self._find(address)
        if found is None:
            await self._report(service, "ClusterIPNotAllocated", f"{where} is not allocated; repairing")
            await self._make(address, metadata["namespace"], metadata["name"])
            return
        parent = _parent_of(found)
        own = (metadata["namespace"], metadata["name"])
        other = self._services.get(parent["namespace"], parent["name"]) if parent else None
        if parent and (parent["namespace"], parent["name"]) != own and other is not None:
            if address in addresses_of(_read(other)):
                note = f"Cluster IP [{family}]:{address} was assigned to multiple services; please recreate service"
                await self._report(service, "ClusterIPAlreadyAllocated", note)
            return
        if not parent or other is None:
            note = f"the ClusterIP [{family}]: {address} for Service {'/'.join(own)} has a wrong reference; repairing"
            await self._report(service, "ClusterIPNotAllocated", note)
            await self._make_again(address, *own)
        elif found["metadata"].get("labels") != build_address(address, *own)["metadata"]["labels"]:
            await self._make_again(address, *own)

    async def _make_again(self, address: str, namespace: str, name: str) -> None:
        with suppress(errors.NotFound):
            await self._identity.delete(self._addresses, "", address, Options())
        await self._make(address, namespace, name)

    async def _make(self, address: str, namespace: str, name: str) -> None:
        with suppress(errors.AlreadyExists):
            await ownwrites.create(self._identity, self._addresses, build_address(address, namespace, name))

    async def _report(self, service: Object, reason: str, note: str) -> None:
        _LOG.error("%s/%s: %s", service["metadata"]["namespace"], service["metadata"]["name"], note)
        await self._events.warn(service, reason, _ALLOCATION, note)

    # - addresses

    async def _sync_address(self, key: str) -> None:
        address = key.removeprefix(_ADDRESS)
        found = self._find(address)
        if found is None or (found["metadata"].get("labels") or {}).get(MANAGED_BY) != MANAGER:
            self._suspects.pop(key, None)
            return
        parent = _parent_of(found)
        if not parent:
            told = found["spec"].get("parentRef")
            note = f"IPAddress {address} appears to have been modified, not referencing a Service {told}: cleaning up"
            await self._remove(found, "IPAddressNotAllocated", note)
            return
        entry = self._services.get(parent["namespace"], parent["name"])
        path = f"{parent['namespace']}/{parent['name']}"
        if entry is None:
            made_s = parse_rfc3339(found["metadata"].get("creationTimestamp") or "") or 0.0
            age_s = self._clock.wall_s() - made_s
            if age_s <= LEAK_S:
                self.controller.add_after(key, LEAK_S - age_s + 1)
                return
            note = f"IPAddress: {address} for Service {path} appears to have leaked: cleaning up"
            await self._remove(found, "IPAddressNotAllocated", note)
        elif address in addresses_of(_read(entry)):
            self._suspects.pop(key, None)
        elif self._has_settled(key):
            self._suspects.pop(key)
            note = f"IPAddress: {address} for Service {path} has a wrong reference; cleaning up"
            await self._remove(found, "IPAddressWrongReference", note)

    def _has_settled(self, key: str) -> bool:
        """Whether it has not agreed for so long that it is no write under way. Else it is looked at again."""
        now_s = self._clock.now_s()
        left_s = self._suspects.setdefault(key, now_s) + SETTLING_S - now_s
        if left_s > 0:
            self.controller.add_after(key, left_s)
        return left_s <= 0

    async def _remove(self, found: Object, reason: str, note: str) -> None:
        _LOG.error("%s", note)
        await self._events.warn(found, reason, "IPAddressAllocation", note)
        with suppress(errors.NotFound):
            await self._identity.delete(self._addresses, "", found["metadata"]["name"], Options())

    def _find(self, address: str) -> Object | None:
        entry = self._addresses.store.cache.get("", address)
        return None if entry is None else _read(entry)

    def _is_in_range(self, address: str) -> bool:
        """Of any range, ready or not."""
        parsed = ipaddress.ip_address(address)
        texts = [text for entry in self._ranges.state.all() for text in _read(entry)["spec"].get("cidrs") or ()]
        return any(parsed in ipaddress.ip_network(text, strict=False) for text in texts)


def _read(entry: Entry) -> Object:
    obj: Object = json_codec.load(entry.data)
    return obj


def _parent_of(address: Object) -> dict[str, Any]:
    """The service that an address says to be of; empty where it is none."""
    parent: dict[str, Any] = address["spec"].get("parentRef") or {}
    is_service = not parent.get("group") and parent.get("resource") == "services"
    return {"namespace": "", "name": "", **parent} if is_service else {}
