"""Keeps the service by which pods find this server: `kubernetes` in the namespace `default`, at the first address.

Made or set right at the start; made again some time after somebody deleted it.
Source: pkg/controlplane/controller/kubernetesservice/controller.go.
"""

from __future__ import annotations

import logging
from typing import Any, Final

from quarterdeck.apimachinery import clock as clocks
from quarterdeck.apimachinery import errors
from quarterdeck.controllers.definitions import MANAGER
from quarterdeck.controllers.workqueue import Clock, Controller
from quarterdeck.registry.builtin.service.allocation import FIRST_ADDRESS
from quarterdeck.registry.scope import Scope
from quarterdeck.registry.strategy import Object, copy_object
from quarterdeck.registry.writes import Update, WriteContext
from quarterdeck.storage.cacher import Change

NAMESPACE: Final = "default"
NAME: Final = "kubernetes"
PORT: Final = 443
INTERVAL_S: Final = 10.0

_PATH: Final = f"{NAMESPACE}/{NAME}"
_LOG: Final = logging.getLogger(__name__)


class KubernetesServiceController:
    """`services` is the scope of services; `port`, to be set before the start, is where this server listens."""

    def __init__(self, services: Scope, clock: Clock | None = None) -> None:
        self.port = 6443
        self._services = services
        self.controller = Controller("kubernetes-service", self.sync, clock=clock)

    async def take_up(self) -> None:
        try:
            await self._create_or_correct()
        except errors.APIStatus as error:  # another service has the address, say
            _LOG.error("the service %s cannot be made: %s", _PATH, error)
            self.controller.add_after(_PATH, INTERVAL_S)
        self._services.store.cache.listeners.append(self._on_service)

    def _on_service(self, change: Change) -> None:
        if change.entry is None and change.old is not None and change.old.path == _PATH:
            self.controller.add_after(_PATH, INTERVAL_S)

    async def sync(self, _path: str) -> None:
        """Of a service that is there nothing is corrected but at the start."""
        if self._services.store.cache.get(NAMESPACE, NAME) is None:
            await self._create()

    async def _create_or_correct(self) -> None:
        if self._services.store.cache.get(NAMESPACE, NAME) is None:
            await self._create()
            return
        await self._services.store.update(self._services, NAMESPACE, NAME, Update(self._correct), _context())

    async def _create(self) -> None:
        obj = _build(self.port)
        self._services.codec.normalize(obj, report_unknown=False)
        self._own(None, obj)
        await self._services.store.create(self._services, obj, _context())

    def _correct(self, live: Object | None) -> Object:
        """Its ports and its type; the rest is left as it is."""
        assert live is not None
        wanted = _build(self.port)["spec"]
        spec = {**live["spec"], "ports": wanted["ports"], "type": wanted["type"]}
        if spec == live["spec"]:
            return copy_object(live)
        new = {**copy_object(live), "spec": spec}
        self._own(live, new)
        return new

    def _own(self, live: Object | None, new: Object) -> None:
        assert self._services.ownership is not None
        self._services.ownership.update(live, new, manager=MANAGER, subresource="", api_version="v1", now=clocks.now())


def _build(port: int) -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {
            "name": NAME,
            "namespace": NAMESPACE,
            "labels": {"provider": "kubernetes", "component": "apiserver"},
        },
        "spec": {
            "clusterIP": FIRST_ADDRESS,
            "ipFamilyPolicy": "SingleStack",
            "ports": [{"name": "https", "port": PORT, "protocol": "TCP", "targetPort": port}],
            "sessionAffinity": "None",
            "type": "ClusterIP",
        },
    }


def _context() -> WriteContext:
    return WriteContext(dry_run=False, warnings=[])
