"""Keeps the service by which pods find this server: `kubernetes` in the namespace `default`, at the first address.

Made or set right at the start; made again some time after somebody deleted it.
Source: pkg/controlplane/controller/kubernetesservice/controller.go.
"""

from __future__ import annotations

import logging
from typing import Any, Final

from quarterdeck.apimachinery import errors
from quarterdeck.controllers import ownwrites
from quarterdeck.controllers.settling import Settling
from quarterdeck.controllers.workqueue import Clock, Controller
from quarterdeck.registry.builtin.core.service.allocation import DEFAULT_RANGES
from quarterdeck.registry.builtin.core.service.ranges import own
from quarterdeck.registry.identity import UNADMITTED
from quarterdeck.registry.scope import Scope
from quarterdeck.registry.strategy import Object
from quarterdeck.storage.cacher import Change

NAMESPACE: Final = "default"
NAME: Final = "kubernetes"
PORT: Final = 443
INTERVAL_S: Final = 10.0

_PATH: Final = f"{NAMESPACE}/{NAME}"
_LOG: Final = logging.getLogger(__name__)


class KubernetesServiceController(Settling):
    """`services` is the scope of services. To be set before the start: `port`, where this server listens, and
    `range`, from which services get addresses of the primary family."""

    returning = (_PATH,)

    def __init__(self, services: Scope, clock: Clock | None = None) -> None:
        self.identity = UNADMITTED
        self.port = 6443
        (self.range,) = own(DEFAULT_RANGES)
        self._services = services
        self.controller = Controller("kubernetes-service", self.sync, clock=clock)

    async def take_up(self) -> None:
        try:
            if self.is_settled:
                self.controller.add_after(_PATH, INTERVAL_S)
            else:
                await self._create_or_correct()
        except errors.APIStatus as error:  # another service has the address, say
            _LOG.error("the service %s cannot be made: %s", _PATH, error)
            self.controller.add_after(_PATH, INTERVAL_S)
        self._services.store.cache.listeners.append(self._on_service)

    def _on_service(self, change: Change) -> None:
        if change.entry is None and change.old is not None and change.old.path == _PATH:
            self.controller.add_after(_PATH, INTERVAL_S)

    async def sync(self, _path: str) -> None:
        """An existing service is corrected at the start only."""
        if self._services.store.cache.get(NAMESPACE, NAME) is None:
            await self._create()

    async def _create_or_correct(self) -> None:
        if self._services.store.cache.get(NAMESPACE, NAME) is None:
            await self._create()
            return
        await ownwrites.update(self.identity, self._services, NAMESPACE, NAME, self._correct)

    async def _create(self) -> None:
        await ownwrites.create(self.identity, self._services, _build(self.port, self.range.first))

    def _correct(self, live: Object) -> Object:
        """Its ports and its type; the rest is left as it is."""
        wanted = _build(self.port, self.range.first)["spec"]
        return {**live, "spec": {**live["spec"], "ports": wanted["ports"], "type": wanted["type"]}}


def _build(port: int, address: str) -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {
            "name": NAME,
            "namespace": NAMESPACE,
            "labels": {"provider": "kubernetes", "component": "apiserver"},
        },
        "spec": {
            "clusterIP": address,
            "ipFamilyPolicy": "SingleStack",
            "ports": [{"name": "https", "port": PORT, "protocol": "TCP", "targetPort": port}],
            "sessionAffinity": "None",
            "type": "ClusterIP",
        },
    }
