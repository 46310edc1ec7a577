"""Keeps the object of the server's own ranges of services' addresses: the ServiceCIDR `kubernetes`.

Made at the start, and again some time after somebody deleted it. It gets a second family; one with other ranges is left
as it is.
Source: pkg/controlplane/controller/defaultservicecidr/default_servicecidr_controller.go.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from contextlib import suppress
from typing import Final

from quarterdeck.apimachinery import clock as clocks
from quarterdeck.apimachinery import errors, meta
from quarterdeck.apimachinery.codec import json as json_codec
from quarterdeck.controllers import ownwrites
from quarterdeck.controllers.kubernetesservice import INTERVAL_S
from quarterdeck.controllers.settling import Settling
from quarterdeck.controllers.workqueue import Clock, Controller
from quarterdeck.registry.builtin.core.service.allocation import DEFAULT_RANGES, OWN_RANGE
from quarterdeck.registry.identity import UNADMITTED
from quarterdeck.registry.scope import Scope
from quarterdeck.registry.strategy import Object
from quarterdeck.storage.cacher import Change

NAME: Final = OWN_RANGE
MANAGER: Final = "kubernetes-service-cidr-controller"
_READY: Final = "Ready"
_LOG: Final = logging.getLogger(__name__)


class DefaultRangeController(Settling):
    """`scopes` are those of service ranges, by subresource. `ranges`, to be set before the start, are the
    server's."""

    returning = (NAME,)

    def __init__(self, scopes: Mapping[str, Scope], clock: Clock | None = None) -> None:
        self.identity = UNADMITTED
        self.ranges = DEFAULT_RANGES
        self._has_reported = False
        self._ranges = scopes[""]
        self._status = scopes["status"]
        self.controller = Controller(MANAGER, self.sync, clock=clock)

    async def take_up(self) -> None:
        if self.is_settled:
            self.controller.add_after(NAME, INTERVAL_S)
        else:
            await self.sync(NAME)
        self._ranges.store.cache.listeners.append(self._on_range)

    def _on_range(self, change: Change) -> None:
        entry = change.entry or change.old
        if entry is not None and entry.name == NAME:
            self.controller.add_after(NAME, INTERVAL_S)

    async def sync(self, _name: str) -> None:
        if self._ranges.store.cache.get("", NAME) is None:
            obj = {
                "apiVersion": self._ranges.resource.api_version,
                "kind": "ServiceCIDR",
                "metadata": {"name": NAME},
                "spec": {"cidrs": list(self.ranges)},
            }
            with suppress(errors.AlreadyExists):
                await ownwrites.create(self.identity, self._ranges, obj)
        entry = self._ranges.store.cache.get("", NAME)
        live = json_codec.load(entry.data) if entry is not None else None
        if live is None:
            return
        if self._lacks_family(live):
            await self._add_family()
        elif live["spec"].get("cidrs") != list(self.ranges):
            self._report(live)
        elif self._wants_telling(live):
            with suppress(errors.NotFound):
                await ownwrites.apply(self.identity, self._status, "", NAME, _ready(), MANAGER)

    def _lacks_family(self, live: Object) -> bool:
        return len(self.ranges) > 1 and live["spec"].get("cidrs") == [self.ranges[0]]

    async def _add_family(self) -> None:
        """The condition comes next, when the change is seen."""

        def transform(live: Object) -> Object:
            spec = {**live["spec"], "cidrs": list(self.ranges)} if self._lacks_family(live) else live["spec"]
            return {**live, "spec": spec}

        try:
            await ownwrites.update(self.identity, self._ranges, "", NAME, transform)
        except errors.APIStatus as error:
            told = (self.ranges[0], " ".join(self.ranges), error)
            _LOG.error("The default ServiceCIDR can not be upgraded from %s to dual stack [%s] : %s", *told)
            self.controller.add_after(NAME, INTERVAL_S)

    def _report(self, live: Object) -> None:
        """Once: its ranges stay those from which services get addresses."""
        if not self._has_reported:
            self._has_reported = True
            told = (" ".join(live["spec"].get("cidrs") or ()), " ".join(self.ranges))
            _LOG.warning("The default ServiceCIDR [%s] does not match --service-cluster-ip-range [%s]", *told)

    def _wants_telling(self, live: Object) -> bool:
        """Not where it says anything of that, or is going."""
        conditions = (live.get("status") or {}).get("conditions") or []
        is_told = any(each.get("type") == _READY for each in conditions)
        return not (is_told or meta.deletion_timestamp(live))


def _ready() -> Object:
    ready = {
        "type": _READY,
        "status": "True",
        "lastTransitionTime": clocks.now(),
        "message": "Kubernetes default Service CIDR is ready",
    }
    return {"status": {"conditions": [ready]}}
