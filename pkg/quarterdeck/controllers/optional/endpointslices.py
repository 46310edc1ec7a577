"""Keeps the EndpointSlices of services with a selector: the addresses of the pods that it selects.

Source: pkg/controller/endpointslice/endpointslice_controller.go.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Final

from quarterdeck.apimachinery import errors, meta
from quarterdeck.controllers import ownwrites
from quarterdeck.controllers.optional import sliceplan
from quarterdeck.controllers.optional.context import MANAGER, ControllerContext, find, follow, read, split
from quarterdeck.controllers.workqueue import Controller
from quarterdeck.registry.deletion import Options
from quarterdeck.registry.scope import Scope
from quarterdeck.registry.strategy import Object
from quarterdeck.storage.cacher import Change, Entry

_WORKERS: Final = 5
_RETRY_FIRST_S: Final = 1.0  # upstream: defaultSyncBackOff


class EndpointSliceController:
    def __init__(self, context: ControllerContext) -> None:
        self._services = context.scope("", "services")
        self._pods = context.scope("", "pods")
        self._nodes = context.scope("", "nodes")
        self._slices = context.scope("discovery.k8s.io", "endpointslices")
        self._identity = context.identity_of("endpointslice-controller")
        self._selectors: dict[str, dict[str, dict[str, str]]] = {}  # namespace: service: selector
        self.controller = Controller(
            "endpoint_slice", self.sync, workers=_WORKERS, clock=context.clock, retry_first_s=_RETRY_FIRST_S
        )

    def take_up(self) -> None:
        for entry in self._services.store.cache.state.all():
            self._follow(entry)
        follow(self._services.store.cache, self._on_service)
        follow(self._pods.store.cache, self._on_pod)
        follow(self._slices.store.cache, self._on_slice)

    def _on_service(self, change: Change) -> None:
        if change.entry is not None:
            self._follow(change.entry)
        elif change.old is not None:
            self._forget(change.old)

    def _follow(self, entry: Entry) -> None:
        selector = read(entry)["spec"].get("selector")
        if selector:
            self._selectors.setdefault(entry.namespace, {})[entry.name] = selector
        else:
            self._forget(entry)
        self.controller.add(entry.path)

    def _forget(self, entry: Entry) -> None:
        known = self._selectors.get(entry.namespace, {})
        known.pop(entry.name, None)
        if not known:
            self._selectors.pop(entry.namespace, None)

    def _on_pod(self, change: Change) -> None:
        for entry in (change.entry, change.old):
            if entry is not None and entry.namespace in self._selectors:
                labels = read(entry)["metadata"].get("labels") or {}
                for name, selector in self._selectors[entry.namespace].items():
                    if _selects(selector, labels):
                        self.controller.add(f"{entry.namespace}/{name}")

    def _on_slice(self, change: Change) -> None:
        entry = change.entry or change.old
        if entry is not None:
            labels = read(entry)["metadata"].get("labels") or {}
            if labels.get(sliceplan.MANAGED_BY) == sliceplan.CONTROLLER and sliceplan.SERVICE_NAME in labels:
                self.controller.add(f"{entry.namespace}/{labels[sliceplan.SERVICE_NAME]}")

    async def sync(self, path: str) -> None:
        """The slices of a service that is gone are the garbage collector's."""
        namespace, name = split(path)
        service = find(self._services, namespace, name)
        if service is None or meta.deletion_timestamp(service):
            return
        spec = service["spec"]
        if spec.get("type") == "ExternalName" or not spec.get("selector"):
            return
        pods = [pod for pod in _read_all(self._pods, namespace) if _selects(spec["selector"], _labels(pod))]
        slices = [each for each in _read_all(self._slices, namespace) if _is_of(each, name)]
        plan = sliceplan.make(service, pods, self._zone_of, slices)
        for obj in plan.created:
            await ownwrites.create(self._identity, self._slices, obj, MANAGER)
        for obj in plan.updated:
            await self._replace(obj)
        for obj in plan.deleted:
            with suppress(errors.NotFound):
                await self._identity.delete(self._slices, namespace, obj["metadata"]["name"], Options())

    async def _replace(self, wanted: Object) -> None:
        metadata = wanted["metadata"]

        def change(live: Object) -> Object:
            own = {**live["metadata"], "labels": metadata["labels"], "ownerReferences": metadata["ownerReferences"]}
            return {**wanted, "metadata": own}

        with suppress(errors.NotFound):
            await ownwrites.update(
                self._identity, self._slices, metadata["namespace"], metadata["name"], change, MANAGER
            )

    def _zone_of(self, node: str) -> str | None:
        found = find(self._nodes, "", node)
        zone: str | None = None if found is None else _labels(found).get("topology.kubernetes.io/zone")
        return zone


def _read_all(scope: Scope, namespace: str) -> list[Object]:
    return [read(entry) for entry in scope.store.cache.state.range(f"{namespace}/")]


def _labels(obj: Object) -> dict[str, str]:
    return obj["metadata"].get("labels") or {}


def _selects(selector: Mapping[str, str], labels: Mapping[str, str]) -> bool:
    return all(labels.get(name) == value for name, value in selector.items())


def _is_of(obj: Object, service: str) -> bool:
    labels = _labels(obj)
    return labels.get(sliceplan.SERVICE_NAME) == service and labels.get(sliceplan.MANAGED_BY) == sliceplan.CONTROLLER
