"""Merges what servers behind APIServices publish as OpenAPI v2 into this server's document.

As in openapi.py, only what belongs to the APIService's version counts.
Source: kube-aggregator/pkg/controllers/openapi/{controller,aggregator/downloader}.go.
"""

from __future__ import annotations

from typing import Final

from quarterdeck.aggregator.apiservices import APIService, APIServices
from quarterdeck.aggregator.client import RemoteClient
from quarterdeck.aggregator.documents import DocumentFollower
from quarterdeck.apimachinery import offload
from quarterdeck.apimachinery.user import User
from quarterdeck.openapi.documents import V2, OpenAPIDocuments
from quarterdeck.openapi.foreign import ForeignContribution
from quarterdeck.transport.client.failures import CallFailed

_READER: Final = User("system:aggregator")


class RemoteSwagger(DocumentFollower):
    def __init__(self, services: APIServices, documents: OpenAPIDocuments, client: RemoteClient) -> None:
        super().__init__("open_api_aggregation_controller", services)
        self._documents = documents
        self._client = client
        self._etags: dict[str, str] = {}

    def on_change(self, name: str, api: APIService | None) -> None:
        self._etags.pop(name, None)  # another server may tell the same of something else
        super().on_change(name, api)

    def forget(self, name: str) -> None:
        self._documents.put_foreign(name, "", None)

    async def update(self, api: APIService) -> None:
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
