"""Keeps a service account `default` in every namespace.

Source: pkg/controller/serviceaccount/serviceaccounts_controller.go.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Final

from quarterdeck.apimachinery import errors
from quarterdeck.controllers import ownwrites
from quarterdeck.controllers.optional.context import MANAGER, ControllerContext, follow, is_active
from quarterdeck.controllers.workqueue import Controller
from quarterdeck.storage.cacher import Change

NAME: Final = "default"


class ServiceAccountController:
    def __init__(self, context: ControllerContext) -> None:
        self._namespaces = context.scope("", "namespaces")
        self._accounts = context.scope("", "serviceaccounts")
        self._identity = context.identity_of("service-account-controller")
        self.controller = Controller("serviceaccount", self.sync, clock=context.clock)

    def take_up(self) -> None:
        for entry in self._namespaces.store.cache.state.all():
            self.controller.add(entry.name)
        follow(self._namespaces.store.cache, self._on_namespace)
        follow(self._accounts.store.cache, self._on_account)

    def _on_namespace(self, change: Change) -> None:
        if change.entry is not None:
            self.controller.add(change.entry.name)

    def _on_account(self, change: Change) -> None:
        if change.entry is None and change.old is not None and change.old.name == NAME:
            self.controller.add(change.old.namespace)

    async def sync(self, namespace: str) -> None:
        if self._accounts.store.cache.get(namespace, NAME) is not None or not is_active(self._namespaces, namespace):
            return
        obj = {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": NAME, "namespace": namespace}}
        with suppress(errors.AlreadyExists):
            await ownwrites.create(self._identity, self._accounts, obj, MANAGER)
