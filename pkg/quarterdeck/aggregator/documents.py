"""Keeps asking the servers behind APIServices for the documents that they publish: at each change of an APIService, and
again after a while, later each time where a server does not answer.

Source: kube-aggregator/pkg/controllers/openapi/controller.go, openapiv3/controller.go.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Final

from quarterdeck.aggregator.apiservices import APIService, APIServices
from quarterdeck.controllers.backoff import Delays
from quarterdeck.controllers.workqueue import Controller
from quarterdeck.transport.client.failures import CallFailed
from quarterdeck.webhook.client import ServiceUnresolved

REFRESH_S: Final = 60.0
RETRY_FIRST_S: Final = 1.0


class DocumentFollower(ABC):
    """Keys of its queue are names of APIServices. What a server told last stays while it tells nothing, as upstream
    keeps it."""

    def __init__(self, name: str, services: APIServices) -> None:
        self._services = services
        self._retries = Delays(RETRY_FIRST_S, REFRESH_S)
        self.controller = Controller(name, self.sync)
        services.listeners.append(self.on_change)

    @abstractmethod
    async def update(self, api: APIService) -> None:
        """Ask the server for its document. Raises CallFailed, ServiceUnresolved and ValueError."""

    @abstractmethod
    def forget(self, name: str) -> None:
        """The APIService leads to no other server any more."""

    def on_change(self, name: str, api: APIService | None) -> None:
        self._retries.forget(name)
        if api is None or api.service is None:
            self.forget(name)
        else:
            self.controller.add(name)

    async def sync(self, name: str) -> None:
        api = self._services.get(name)
        if api is None or not api.group:
            return
        delay_s = REFRESH_S
        try:
            if api.is_available:
                await self.update(api)
            self._retries.forget(name)
        except (CallFailed, ServiceUnresolved, ValueError):
            delay_s = self._retries.next_s(name)
        self.controller.add_after(name, delay_s)
