"""Keeps the lease of this server: renewed every few seconds, so that everyone sees which servers live.

Its name comes from the machine's: after a restart the same lease is renewed, with the holder that it had.

Sources: pkg/controlplane/apiserver/server.go (start-kube-apiserver-identity-lease-controller), apiserver
pkg/server/config.go (the name), component-helpers/apimachinery/lease/controller.go.
"""

from __future__ import annotations

import base64
import hashlib
import socket
from typing import Any, Final

from quarterdeck.apimachinery import errors, meta
from quarterdeck.apimachinery.codec import json as json_codec
from quarterdeck.apimachinery.time import format_micro, parse_rfc3339
from quarterdeck.controllers import ownwrites
from quarterdeck.controllers.definitions import MANAGER
from quarterdeck.controllers.settling import Settling
from quarterdeck.controllers.workqueue import Clock, Controller, LoopClock
from quarterdeck.registry.identity import UNADMITTED
from quarterdeck.registry.scope import Scope
from quarterdeck.registry.strategy import Object

NAMESPACE: Final = "kube-system"
IDENTITY_LABEL: Final = "apiserver.kubernetes.io/identity"
HOSTNAME_LABEL: Final = "kubernetes.io/hostname"
ADDRESS_ANNOTATION: Final = "kubernetes.io/peer-advertise-address"
DURATION_S: Final = 3600
# Upstream adds up to 4 % by chance, to keep many servers from renewing at one time; few servers need none of that.
INTERVAL_S: Final = 10.0


def build_name(hostname: str) -> str:
    """`apiserver-` and 26 characters: the same on each start on the same machine."""
    hashed = b"".join(len(each).to_bytes(2, "big") + each for each in (hostname.encode(), MANAGER.encode()))
    digest = hashlib.sha256(hashed).digest()[:16]
    return "apiserver-" + base64.b32encode(digest).decode("ascii").rstrip("=").lower()


class IdentityLeaseController(Settling):
    """`leases` is the scope of leases; `address`, host:port, is set before the start: where this server listens."""

    def __init__(self, leases: Scope, clock: Clock | None = None) -> None:
        self.identity = UNADMITTED
        self.address = ""
        self.interval_s = INTERVAL_S
        self._leases = leases
        self._clock: Clock = clock or LoopClock()
        self._hostname = socket.gethostname()
        self.name = build_name(self._hostname)
        self.returning = (self.name,)
        self._holder = f"{self.name}_{meta.new_uid()}"
        self.controller = Controller("identity-lease", self.sync, clock=clock)

    def take_up(self) -> None:
        self.controller.add_after(self.name, self.interval_s if self._is_fresh() else 0)

    def _is_fresh(self) -> bool:
        """Whether it holds long enough to be renewed later: a cluster that lives for a moment need not write it."""
        entry = self._leases.store.cache.get(NAMESPACE, self.name) if self.is_settled else None
        if entry is None:
            return False
        renewed_s = parse_rfc3339((json_codec.load(entry.data).get("spec") or {}).get("renewTime") or "")
        return renewed_s is not None and 0 <= self._clock.wall_s() - renewed_s < DURATION_S / 2

    async def sync(self, name: str) -> None:
        try:
            await ownwrites.update(self.identity, self._leases, NAMESPACE, name, self._renew)
        except errors.NotFound:
            await ownwrites.create(self.identity, self._leases, self._renew(self._build()))
        self.controller.add_after(name, self.interval_s)

    def _build(self) -> Object:
        return {
            "apiVersion": "coordination.k8s.io/v1",
            "kind": "Lease",
            "metadata": {"name": self.name, "namespace": NAMESPACE},
            "spec": {"holderIdentity": self._holder},
        }

    def _renew(self, lease: Object) -> Object:
        metadata: dict[str, Any] = dict(lease["metadata"])
        metadata["labels"] = {
            **(metadata.get("labels") or {}),
            IDENTITY_LABEL: MANAGER,
            HOSTNAME_LABEL: self._hostname,
        }
        if self.address:
            metadata["annotations"] = {**(metadata.get("annotations") or {}), ADDRESS_ANNOTATION: self.address}
        spec = {
            **(lease.get("spec") or {}),
            "leaseDurationSeconds": DURATION_S,
            "renewTime": format_micro(self._clock.wall_s()),
        }
        return {**lease, "metadata": metadata, "spec": spec}
