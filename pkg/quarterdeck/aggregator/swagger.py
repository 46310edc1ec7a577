"""Merges what servers behind APIServices publish as OpenAPI v2 into this server's document.

As in openapi.py, only what belongs to the APIService's version counts.
Source: kube-aggregator/pkg/controllers/openapi/{controller,aggregator/downloader}.go.
"""

from __future__ import annotations

from typing import Final

from quarterdeck.aggregator.apiservices import APIService, APIServices
from quarterdeck.aggregator.client import RemoteClient
from quarterdeck.apimachinery import offload
from quarterdeck.apimachinery.user import User
from quarterdeck.controllers.workqueue import Clock, Controller, Delays
from quarterdeck.openapi.documents import V2, OpenAPIDocuments
from quarterdeck.openapi.foreign import ForeignContribution
from quarterdeck.transport.client.failures import CallFailed
from quarterdeck.webhook.client import ServiceUnresolved

REFRESH_S: Final = 60.0
RETRY_FIRST_S: Final = 1.0
_READER: Final = User("system:aggregator")


class RemoteSwagger:
    """Keys of its queue are names of APIServices."""

    def __init__(
        self, services: APIServices, documents: OpenAPIDocuments, client: RemoteClient, clock: Clock | None = None
    ) -> None:
        self._services = services
        self._documents = documents
        self._client = client
        self._etags: dict[str, str] = {}
        self._retries = Delays(RETRY_FIRST_S, REFRESH_S)
        self.controller = Controller("open_api_aggregation_controller", self.sync, clock=clock)
        services.listeners.append(self._on_change)

    def _on_change(self, name: str, api: APIService | None) -> None:
        self._retries.forget(name)
        self._etags.pop(name, None)  # another server may tell the same of something else
        if api is None or api.service is None:
            self._documents.put_foreign(name, "", None)
        else:
            self.controller.add(name)

    async def sync(self, name: str) -> None:
        """What was told last stays where nothing is told now, as upstream keeps it."""
        api = self._services.get(name)
        if api is None or not api.group:
            return
        delay_s = REFRESH_S
        try:
            if api.is_available:
                await self._update(api)
            self._retries.forget(name)
        except (CallFailed, ServiceUnresolved, ValueError):
            delay_s = self._retries.next_s(name)
        self.controller.add_after(name, delay_s)

    async def _update(self, api: APIService) -> None:
        """Raises CallFailed, ServiceUnresolved and ValueError."""
        etag = self._etags.get(api.name, "")
        fields = [("Accept", "application/json"), *([("If-None-Match", etag)] if etag else ())]
        document = await self._client.get(api, V2, _READER, *fields)
        if document.status == 304 and etag:
            return
        if document.status == 404:
            told = None
        elif document.status == 200:
            told = await offload.run(ForeignContribution, document.body, api.path)
        else:
            raise CallFailed(f"failed to retrieve openAPI spec, http error: {document.status}")
        if self._services.get(api.name) is api:  # else it is in the queue again
            self._documents.put_foreign(api.name, api.path.removeprefix("/"), told)
            self._etags[api.name] = document.fields.get("etag", "")
