"""Keeps where the service `kubernetes` leads to: an Endpoints object and an EndpointSlice with this server's address.

They are written when the server is ready, and again some time after somebody changed or deleted them. No object can
hold a loopback address: a server that has no other writes none.

Servers that share a store write the addresses of all that live (masterleases.py), as soon as one comes or goes. One
that is told to end takes its own out first.
Source: pkg/controlplane/reconcilers/{lease,endpointsadapter}.go.
"""

from __future__ import annotations

import ipaddress
import logging
from typing import Any, Final

from quarterdeck.apimachinery import errors
from quarterdeck.apimachinery.codec import json as json_codec
from quarterdeck.controllers import ownwrites
from quarterdeck.controllers.kubernetesservice import INTERVAL_S, NAME, NAMESPACE
from quarterdeck.controllers.masterleases import MasterLeases
from quarterdeck.controllers.settling import Settling
from quarterdeck.controllers.workqueue import Clock, Controller
from quarterdeck.registry.deletion import Options
from quarterdeck.registry.identity import UNADMITTED
from quarterdeck.registry.scope import Scope
from quarterdeck.registry.strategy import Object
from quarterdeck.storage.cacher import Change

_PATH: Final = f"{NAMESPACE}/{NAME}"
_LEASE: Final = "lease"
_SKIP_MIRROR: Final = "endpointslice.kubernetes.io/skip-mirror"
_SERVICE_NAME: Final = "kubernetes.io/service-name"
_LOG: Final = logging.getLogger(__name__)


class ServerEndpointsController(Settling):
    """`endpoints` and `slices` are scopes. To be set before the start: `address`, by which others reach this server (""
    none), `port`, and `masters`, where there are other servers."""

    returning = (_PATH,)

    def __init__(self, endpoints: Scope, slices: Scope, clock: Clock | None = None) -> None:
        self.identity = UNADMITTED
        self.address = ""
        self.port = 6443
        self.masters: MasterLeases | None = None
        self._has_left = False
        self._endpoints = endpoints
        self._slices = slices
        self._has_started = False
        self.controller = Controller("kubernetes-service-endpoints", self.sync, clock=clock)

    def take_up(self) -> None:
        if not self.address or ipaddress.ip_address(self.address).is_loopback:
            return
        for scope in (self._endpoints, self._slices):
            scope.store.cache.listeners.append(self._on_change)
        if self.masters is not None:
            self.masters.cache.listeners.append(self._on_master)
            self.controller.add(_LEASE)
        self.controller.add_after(_PATH, INTERVAL_S if self.is_settled else 0)

    def _on_master(self, change: Change) -> None:
        """One has come or gone; renewals change nothing."""
        if change.old is None or change.entry is None:
            self.controller.add(_PATH)

    def _on_change(self, change: Change) -> None:
        entry = change.entry or change.old
        if entry is not None and entry.path == _PATH:
            self.controller.add_after(_PATH, INTERVAL_S)

    async def leave(self) -> None:
        """The server ends."""
        if self.masters is None or not self._has_started:
            return
        self._has_left = True
        await self.masters.give_up(self.address)
        await self._write()

    async def sync(self, key: str) -> None:
        if self._has_left:
            return
        if self.masters is not None and (key == _LEASE or not self._has_started):
            await self.masters.renew(self.address)
            self.controller.add_after(_LEASE, INTERVAL_S)
        await self._write()

    async def _write(self) -> None:
        """Ports are corrected at the start only."""
        await self._sync_endpoints()
        self._has_started = True
        entry = self._endpoints.store.cache.get(NAMESPACE, NAME)
        if entry is not None:
            await self._sync_slice(json_codec.load(entry.data))

    async def _sync_endpoints(self) -> None:
        if self._endpoints.store.cache.get(NAMESPACE, NAME) is not None:
            await ownwrites.update(self.identity, self._endpoints, NAMESPACE, NAME, self._correct)
            return
        metadata = {"name": NAME, "namespace": NAMESPACE, "labels": {_SKIP_MIRROR: "true"}}
        obj = {"apiVersion": "v1", "kind": "Endpoints", "metadata": metadata, "subsets": [self._subset()]}
        await ownwrites.create(self.identity, self._endpoints, obj)

    def _addresses(self) -> list[str]:
        """Of all servers that live. Raises where none is known: nothing is taken out then."""
        if self.masters is None:
            return [self.address]
        found = self.masters.addresses()
        if not found and not self._has_left:
            raise errors.InternalError.of("no server is known to live: endpoints stay as they are")
        return found

    def _subset(self) -> dict[str, Any]:
        return {
            "addresses": [{"ip": each} for each in self._addresses()],
            "ports": [{"name": "https", "port": self.port, "protocol": "TCP"}],
        }

    def _correct(self, live: Object) -> Object:
        metadata = live["metadata"]
        labels = {**(metadata.get("labels") or {}), _SKIP_MIRROR: "true"}
        subsets = live.get("subsets") or []
        wanted, addresses = self._subset(), self._addresses()
        if len(subsets) != 1:
            subset = wanted
        else:
            subset = dict(subsets[0])
            if sorted(each["ip"] for each in subset.get("addresses") or ()) != addresses:
                subset |= {"addresses": wanted["addresses"]}
                subset.pop("notReadyAddresses", None)
            if not self._has_started:
                subset["ports"] = wanted["ports"]
        new = {**live, "metadata": {**metadata, "labels": labels}, "subsets": [subset] if addresses else []}
        if new != live:
            _LOG.warning('Resetting endpoints for master service "%s" to [%s]', NAME, " ".join(addresses))
        return new

    async def _sync_slice(self, endpoints: Object) -> None:
        entry = self._slices.store.cache.get(NAMESPACE, NAME)
        if not endpoints.get("subsets"):  # no server is left
            if entry is not None:
                await ownwrites.update(self.identity, self._slices, NAMESPACE, NAME, _empty_slice)
            return
        wanted = _build_slice(endpoints["subsets"][0])
        if entry is not None and json_codec.load(entry.data)["addressType"] != wanted["addressType"]:
            await self.identity.delete(self._slices, NAMESPACE, NAME, Options())
            entry = None
        if entry is not None:
            await ownwrites.update(
                self.identity, self._slices, NAMESPACE, NAME, lambda live: _correct_slice(live, wanted)
            )
            return
        try:
            await ownwrites.create(self.identity, self._slices, wanted)
        except errors.AlreadyExists:
            return


def _build_slice(subset: Object) -> Object:
    ready, others = (subset.get(name) or [] for name in ("addresses", "notReadyAddresses"))
    is_v6 = all(":" in each["ip"] for each in (*ready, *others))
    parts = ((ready, True), (others, False))
    return {
        "apiVersion": "discovery.k8s.io/v1",
        "kind": "EndpointSlice",
        "metadata": {"name": NAME, "namespace": NAMESPACE, "labels": {_SERVICE_NAME: NAME}},
        "addressType": "IPv6" if is_v6 else "IPv4",
        "endpoints": [
            {"addresses": [each["ip"]], "conditions": {"ready": is_ready}}
            for addresses, is_ready in parts
            for each in addresses
            if (":" in each["ip"]) == is_v6
        ],
        "ports": [{name: port.get(name) for name in ("name", "port", "protocol")} for port in subset["ports"]],
    }


def _empty_slice(live: Object) -> Object:
    return {**live, "endpoints": []}


def _correct_slice(live: Object, wanted: Object) -> Object:
    metadata = {**live["metadata"], "labels": wanted["metadata"]["labels"]}
    return {**live, "metadata": metadata, "endpoints": wanted["endpoints"], "ports": wanted["ports"]}
