"""The controllers of services' addresses and of the server's own service, together."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterator, Sequence
from functools import partial

from quarterdeck.apimachinery import errors
from quarterdeck.apimachinery.codec import json as json_codec
from quarterdeck.controllers import masterleases
from quarterdeck.controllers.addressrepair import AddressRepairController
from quarterdeck.controllers.defaultrange import DefaultRangeController
from quarterdeck.controllers.endpointsremoval import EndpointsRemoval
from quarterdeck.controllers.kubernetesservice import KubernetesServiceController
from quarterdeck.controllers.serverendpoints import ServerEndpointsController
from quarterdeck.controllers.serviceaddresses import ServiceAddresses
from quarterdeck.controllers.settling import Settling
from quarterdeck.controllers.workqueue import Clock, Controller
from quarterdeck.registry.builtin.core.service import ranges
from quarterdeck.registry.builtin.core.service.allocation import node_ports_of
from quarterdeck.registry.builtin.core.service.portrange import RESOURCE, PortRange
from quarterdeck.registry.builtin.core.service.sharing import Sharing
from quarterdeck.registry.builtin.core.service.strategy import ServiceHooks
from quarterdeck.registry.identity import Identity
from quarterdeck.registry.scope import Builtin, Scope
from quarterdeck.registry.strategy import Object
from quarterdeck.storage.backend import Leasing
from quarterdeck.storage.cacher import Cacher, Entry
from quarterdeck.storage.interface import StorageError

_GROUP = "networking.k8s.io"
_LEAVE_S = 2.0
_LOG = logging.getLogger(__name__)


class Network:
    """`builtin`: the scopes of the built-in resources by (group, version, resource) and subresource."""

    def __init__(self, builtin: Builtin, clock: Clock | None, cacher: Cacher) -> None:
        self._cacher = cacher
        services, addresses = builtin["", "v1", "services"][""], builtin[_GROUP, "v1", "ipaddresses"][""]
        cidrs = builtin[_GROUP, "v1", "servicecidrs"]
        events = builtin["events.k8s.io", "v1", "events"][""]
        self._service = KubernetesServiceController(services, clock)
        self._range = DefaultRangeController(cidrs, clock)
        self._addresses = ServiceAddresses(services, addresses)
        endpoints = builtin["", "v1", "endpoints"][""]
        self._endpoints = ServerEndpointsController(
            endpoints, builtin["discovery.k8s.io", "v1", "endpointslices"][""], clock
        )
        hooks = services.strategy.hooks
        assert isinstance(hooks, ServiceHooks)
        ports = _share(services, hooks, self._addresses, cacher) if services.store.lags else None
        EndpointsRemoval(services, endpoints)
        ranges_of, port_range = cidrs[""].store.cache, hooks.allocators.port_range
        self._repair = AddressRepairController(services, addresses, ranges_of, events, port_range, ports, clock)

    @property
    def when_ready(self) -> tuple[ServerEndpointsController, AddressRepairController]:
        """Those that need not be there before clients are answered."""
        return self._endpoints, self._repair

    @property
    def settling(self) -> tuple[Settling, ...]:
        return self._range, self._service, self._endpoints, self._repair

    @property
    def queues(self) -> tuple[Controller, ...]:
        """Of the others."""
        return self._service.controller, self._range.controller

    @property
    def hooks(self) -> dict[str, Sequence[Controller]]:
        """The queues by the names of upstream's hooks (hooks.py)."""
        return {
            "bootstrap-controller": [self._service.controller],
            "start-kubernetes-service-cidr-controller": [self._range.controller],
        }

    def write_as(self, identity: Identity) -> None:
        for each in (self._service, self._range, self._addresses, self._endpoints, self._repair):
            each.identity = identity

    def set_address(self, port: int, service_ranges: Sequence[str], advertised: str) -> None:
        """The port that is listened on, the ranges from which services get addresses, and the address by which others
        reach this server (empty: none); before the start."""
        self._service.range = ranges.own(service_ranges)[0]
        self._range.ranges = tuple(service_ranges)
        self._service.port = self._endpoints.port = port
        self._endpoints.address = advertised

    def follow_masters(self, leasing: Leasing) -> None:
        """Before the start: other servers share the store."""
        cache = self._cacher.resource("", masterleases.RESOURCE)
        self._endpoints.masters = masterleases.MasterLeases(self._cacher.storage, leasing, cache)

    async def leave(self) -> None:
        try:
            async with asyncio.timeout(_LEAVE_S):
                await self._endpoints.leave()
        except (errors.APIStatus, StorageError, TimeoutError) as error:
            _LOG.warning("the address of this server is still told: %s", error)

    async def take_up(self) -> None:
        await self._range.take_up()
        await self._service.take_up()


def _share(services: Scope, hooks: ServiceHooks, addresses: ServiceAddresses, cacher: Cacher) -> PortRange:
    """Have services get what no other server gives away."""
    cache, port_range = cacher.resource("", RESOURCE), hooks.allocators.port_range
    ports = PortRange(cacher.storage, cache, partial(_find_ports, services), port_range)
    sharing = hooks.sharing = Sharing(hooks.allocators, addresses, ports, cacher.catch_up)

    async def after_write(_namespace: str, _name: str, old: Entry | None, new: Object | None) -> None:
        await sharing.after_write(old, new)

    services.store.after_write = after_write
    return ports


def _find_ports(services: Scope) -> Iterator[int]:
    for entry in services.store.cache.state.unordered():
        yield from map(int, node_ports_of(json_codec.load(entry.data)))
