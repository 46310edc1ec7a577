"""Keeps a ConfigMap with the server's root certificates in every namespace, for pods to trust it by.

Source: pkg/controller/certificates/rootcacertpublisher/publisher.go.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Final

from quarterdeck.apimachinery import errors
from quarterdeck.controllers import ownwrites
from quarterdeck.controllers.optional.context import MANAGER, ControllerContext, find, follow, follow_names, is_active
from quarterdeck.controllers.workqueue import Controller
from quarterdeck.registry.strategy import Object
from quarterdeck.storage.cacher import Change

NAME: Final = "kube-root-ca.crt"
KEY: Final = "ca.crt"
ANNOTATION: Final = "kubernetes.io/description"
DESCRIPTION: Final = (
    "Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the"
    " internal service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes"
    " clusters."
)


class RootCAPublisher:
    def __init__(self, context: ControllerContext) -> None:
        self._namespaces = context.scope("", "namespaces")
        self._config_maps = context.scope("", "configmaps")
        self._identity = context.identity_of("root-ca-cert-publisher")
        self._data = {KEY: context.dependencies.root_ca.decode()}
        self.controller = Controller("root_ca_cert_publisher", self.sync, clock=context.clock)

    def take_up(self) -> None:
        follow_names(self._namespaces, self.controller)
        follow(self._config_maps.store.cache, self._on_config_map)

    def _on_config_map(self, change: Change) -> None:
        entry = change.entry or change.old
        if entry is not None and entry.name == NAME:
            self.controller.add(entry.namespace)

    async def sync(self, namespace: str) -> None:
        found = find(self._config_maps, namespace, NAME)
        if found is None:
            if is_active(self._namespaces, namespace):
                await self._create(namespace)
        elif self._correct(found) != found:
            with suppress(errors.NotFound):
                await ownwrites.update(self._identity, self._config_maps, namespace, NAME, self._correct, MANAGER)

    async def _create(self, namespace: str) -> None:
        metadata = {"name": NAME, "namespace": namespace, "annotations": {ANNOTATION: DESCRIPTION}}
        obj = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": dict(self._data)}
        with suppress(errors.AlreadyExists):
            await ownwrites.create(self._identity, self._config_maps, obj, MANAGER)

    def _correct(self, live: Object) -> Object:
        metadata = live["metadata"]
        annotations = {**(metadata.get("annotations") or {}), ANNOTATION: DESCRIPTION}
        return {**live, "metadata": {**metadata, "annotations": annotations}, "data": dict(self._data)}
