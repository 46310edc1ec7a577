"""Makes ranges of services' addresses usable, and lets one go only when no address needs it.

Source: pkg/controller/servicecidrs/servicecidrs_controller.go.
"""

from __future__ import annotations

import ipaddress
from contextlib import suppress
from typing import Any, Final

from quarterdeck.apimachinery import clock, errors, meta
from quarterdeck.apimachinery.time import parse_rfc3339
from quarterdeck.controllers import ownwrites
from quarterdeck.controllers.optional import finalizers
from quarterdeck.controllers.optional.context import ControllerContext, find, follow, read
from quarterdeck.controllers.workqueue import Controller
from quarterdeck.registry.builtin.core.service.allocation import MANAGER as ALLOCATOR
from quarterdeck.registry.strategy import Object
from quarterdeck.storage.cacher import Change

FINALIZER: Final = "networking.k8s.io/service-cidr-finalizer"
GRACE_S: Final = 10.0  # in which nobody takes an address of a range that is going any more
_SETTLING_S: Final = 1.0  # many addresses may go at once
_MANAGER: Final = "service-cidr-controller"
_GROUP: Final = "networking.k8s.io"
_NEEDED: Final = (
    "There are still IPAddresses referencing the ServiceCIDR, please remove them or create a new ServiceCIDR"
)
_OF_SERVICE: Final = f'"{ALLOCATOR}"'.encode()

Networks = list[ipaddress.IPv4Network | ipaddress.IPv6Network]


class ServiceCIDRController:
    """Keys are names of ServiceCIDRs."""

    def __init__(self, context: ControllerContext) -> None:
        self._ranges = context.scope(_GROUP, "servicecidrs")
        self._status = context.scope(_GROUP, "servicecidrs", "status")
        self._addresses = context.scope(_GROUP, "ipaddresses").store.cache
        self._clock = context.time()
        self._identity = context.identity_of("service-cidrs-controller")
        self._going: set[str] = set()
        self.controller = Controller(_MANAGER, self.sync, clock=context.clock)

    def take_up(self) -> None:
        for entry in self._ranges.store.cache.state.all():
            self.controller.add(entry.name)
        follow(self._ranges.store.cache, self._on_range)
        follow(self._addresses, self._on_address)

    def _on_range(self, change: Change) -> None:
        if change.entry is not None:
            self.controller.add(change.entry.name)
        if change.old is None or change.entry is None:  # another range may hold the addresses, or none any more
            for name in sorted(self._going):
                self.controller.add(name)

    def _on_address(self, change: Change) -> None:
        entry = change.entry or change.old
        if self._going and entry is not None and _OF_SERVICE in entry.data:
            for name in sorted(self._going):
                self.controller.add_soon(name, _SETTLING_S)

    async def sync(self, name: str) -> None:
        found = find(self._ranges, "", name)
        if found is None:
            self._going.discard(name)
        elif deleted_at := meta.deletion_timestamp(found):
            self._going.add(name)
            await self._let_go(found, parse_rfc3339(deleted_at) or 0.0)
        else:
            await self._change(name, finalizers.protect(FINALIZER))
            await self._tell(found, "True", "", "Kubernetes Service CIDR is ready")

    async def _let_go(self, found: Object, deleted_at_s: float) -> None:
        name = found["metadata"]["name"]
        if self._is_needed(found):
            await self._tell(found, "False", "Terminating", _NEEDED)
            return
        left_s = deleted_at_s + GRACE_S - self._clock.wall_s()
        if left_s > 0:
            self.controller.add_after(name, left_s)
        else:
            await self._change(name, finalizers.release(FINALIZER))

    def _is_needed(self, found: Object) -> bool:
        """Whether an address is in no other range. There is none to look for where others hold all of this one."""
        others: Networks = []
        for entry in self._ranges.store.cache.state.all():
            if entry.name != found["metadata"]["name"]:
                others += _networks_of(read(entry))
        own = _networks_of(found)
        if all(any(_holds(other, each) for other in others) for each in own):
            return False
        for entry in self._addresses.state.all():
            if _OF_SERVICE in entry.data:
                address = ipaddress.ip_address(entry.name)
                if any(address in each for each in own) and not any(address in each for each in others):
                    return True
        return False

    async def _change(self, name: str, change: Any) -> None:
        with suppress(errors.NotFound):
            await ownwrites.update(self._identity, self._ranges, "", name, change, _MANAGER)

    async def _tell(self, found: Object, status: str, reason: str, message: str) -> None:
        conditions = (found.get("status") or {}).get("conditions") or []
        wanted = {"type": "Ready", "status": status, "reason": reason, "message": message}
        ready: Object = next((each for each in conditions if each.get("type") == "Ready"), {})
        if all(ready.get(key) == value for key, value in wanted.items()):
            return
        fields = {"status": {"conditions": [wanted | {"lastTransitionTime": clock.now()}]}}
        with suppress(errors.NotFound):
            await ownwrites.apply(self._identity, self._status, "", found["metadata"]["name"], fields, _MANAGER)


def _networks_of(obj: Object) -> Networks:
    return [ipaddress.ip_network(text, strict=False) for text in obj["spec"].get("cidrs") or ()]


def _holds(
    outer: ipaddress.IPv4Network | ipaddress.IPv6Network, inner: ipaddress.IPv4Network | ipaddress.IPv6Network
) -> bool:
    if isinstance(outer, ipaddress.IPv4Network):
        return isinstance(inner, ipaddress.IPv4Network) and inner.subnet_of(outer)
    return isinstance(inner, ipaddress.IPv6Network) and inner.subnet_of(outer)
