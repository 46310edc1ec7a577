"""Deletes the leases of servers that have not renewed theirs for as long as it says.

Source: pkg/controlplane/controller/apiserverleasegc/gc_controller.go.
"""

from __future__ import annotations

from typing import Any, Final

from quarterdeck.apimachinery import errors
from quarterdeck.apimachinery.codec import json as json_codec
from quarterdeck.apimachinery.time import parse_rfc3339
from quarterdeck.controllers.definitions import MANAGER
from quarterdeck.controllers.identitylease import IDENTITY_LABEL, NAMESPACE
from quarterdeck.controllers.workqueue import Clock, Controller, LoopClock
from quarterdeck.registry.deletion import Options
from quarterdeck.registry.identity import UNADMITTED
from quarterdeck.registry.scope import Scope

INTERVAL_S: Final = 3600.0


class IdentityLeaseCollector:
    """`leases` is the scope of leases. All are looked at when it begins, and then at each interval."""

    def __init__(self, leases: Scope, clock: Clock | None = None) -> None:
        self.identity = UNADMITTED
        self._leases = leases
        self._clock: Clock = clock or LoopClock()
        self.controller = Controller("identity-lease-gc", self.sync, clock=clock)

    def take_up(self) -> None:
        self.controller.add(NAMESPACE)

    async def sync(self, namespace: str) -> None:
        now_s = self._clock.wall_s()
        store = self._leases.store
        for entry in list(store.cache.state.range(namespace + "/")):
            lease = json_codec.load(entry.data)
            if _is_of_server(lease) and _is_expired(lease, now_s):
                try:
                    # Only as it is: one that is renewed meanwhile stays.
                    options = Options(precondition_resource_version=lease["metadata"]["resourceVersion"])
                    await self.identity.delete(self._leases, namespace, entry.name, options)
                except (errors.NotFound, errors.Conflict):
                    continue
        self.controller.add_after(namespace, INTERVAL_S)


def _is_of_server(lease: dict[str, Any]) -> bool:
    return (lease["metadata"].get("labels") or {}).get(IDENTITY_LABEL) == MANAGER


def _is_expired(lease: dict[str, Any], now_s: float) -> bool:
    """One without a time or a duration is no server's."""
    spec = lease.get("spec") or {}
    renewed_s = parse_rfc3339(spec.get("renewTime") or "")
    duration_s = spec.get("leaseDurationSeconds")
    return renewed_s is None or duration_s is None or renewed_s + duration_s < now_s
