"""The controllers of services' addresses and of the server's own service, together."""

from __future__ import annotations

from collections.abc import Mapping

from quarterdeck.controllers.addressrepair import AddressRepairController
from quarterdeck.controllers.defaultrange import DefaultRangeController
from quarterdeck.controllers.kubernetesservice import KubernetesServiceController
from quarterdeck.controllers.serverendpoints import ServerEndpointsController
from quarterdeck.controllers.serviceaddresses import ServiceAddresses
from quarterdeck.controllers.workqueue import Clock, Controller
from quarterdeck.registry.builtin.core.service import ranges
from quarterdeck.registry.identity import Identity
from quarterdeck.registry.scope import Scope

_GROUP = "networking.k8s.io"


class Network:
    """`builtin`: the scopes of the built-in resources by (group, version, resource) and subresource."""

    def __init__(self, builtin: Mapping[tuple[str, str, str], Mapping[str, Scope]], clock: Clock | None) -> None:
        services, addresses = builtin["", "v1", "services"][""], builtin[_GROUP, "v1", "ipaddresses"][""]
        cidrs = builtin[_GROUP, "v1", "servicecidrs"]
        events = builtin["events.k8s.io", "v1", "events"][""]
        self._service = KubernetesServiceController(services, clock)
        self._range = DefaultRangeController(cidrs, clock)
        self._addresses = ServiceAddresses(services, addresses)
        self._endpoints = ServerEndpointsController(
            builtin["", "v1", "endpoints"][""], builtin["discovery.k8s.io", "v1", "endpointslices"][""], clock
        )
        self._repair = AddressRepairController(services, addresses, cidrs[""].store.cache, events, clock)

    @property
    def when_ready(self) -> tuple[ServerEndpointsController, AddressRepairController]:
        """Those that need not be there before clients are answered."""
        return self._endpoints, self._repair

    @property
    def queues(self) -> tuple[Controller, ...]:
        """Of the others."""
        return self._service.controller, self._range.controller

    def write_as(self, identity: Identity) -> None:
        for each in (self._service, self._range, self._addresses, self._endpoints, self._repair):
            each.identity = identity

    def set_address(self, port: int, service_range: str, advertised: str) -> None:
        """The port that is listened on, the range from which services get addresses, and the address by which others
        reach this server (empty: none); before the start."""
        self._service.range = ranges.own(service_range)
        self._range.range = service_range
        self._service.port = self._endpoints.port = port
        self._endpoints.address = advertised

    async def take_up(self) -> None:
        await self._range.take_up()
        await self._service.take_up()
