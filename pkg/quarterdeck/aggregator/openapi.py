"""Tells in the index of OpenAPI v3 of the documents that servers behind APIServices have, and fetches them there.

Differs from upstream: of a server's own index only the document of the APIService's version counts, since others may be
named as some of this server's are. What a server publishes as v2 alone is not turned into v3, and types of v2 that
this server has too are this server's.
Source: kube-aggregator/pkg/controllers/openapiv3/aggregator/{aggregator,downloader}.go.
"""

from __future__ import annotations

from typing import Final

import orjson

from quarterdeck.aggregator.apiservices import APIService, APIServices
from quarterdeck.aggregator.client import RemoteClient
from quarterdeck.aggregator.documents import DocumentFollower
from quarterdeck.apimachinery.user import User
from quarterdeck.openapi.documents import ROOT, OpenAPIDocuments
from quarterdeck.transport.client.failures import CallFailed

_READER: Final = User("system:aggregator")


class RemoteOpenAPI(DocumentFollower):
    def __init__(self, services: APIServices, documents: OpenAPIDocuments, client: RemoteClient) -> None:
        super().__init__("open_api_v3_aggregation_controller", services)
        self._documents = documents
        self._client = client
        self._published: dict[str, APIService] = {}  # path of a document: who has it

    def find(self, path: str) -> APIService | None:
        """Which other server has the document at this path."""
        if not path.startswith(ROOT) or not self._published:
            return None
        known = self._published.get(path.removeprefix(f"{ROOT}/"))
        return self._services.get(known.name) if known is not None else None

    async def update(self, api: APIService) -> None:
        addresses = await self._ask(api)
        if self._services.get(api.name) is api:
            self._publish(api.name, api, addresses)

    def forget(self, name: str) -> None:
        self._publish(name, None, {})

    def _publish(self, name: str, api: APIService | None, addresses: dict[str, str]) -> None:
        self._published = {path: known for path, known in self._published.items() if known.name != name}
        if api is not None:
            self._published |= dict.fromkeys(addresses, api)
        self._documents.put_elsewhere(f"apiservice/{name}", addresses)

    async def _ask(self, api: APIService) -> dict[str, str]:
        """Raises CallFailed, ServiceUnresolved and ValueError."""
        document = await self._client.get(api, ROOT, _READER)
        if document.status == 404:
            return {}
        if document.status != 200:
            raise CallFailed("Error, could not get list of group versions for APIService")
        index = orjson.loads(document.body)
        paths = index.get("paths") if isinstance(index, dict) else None
        wanted = api.path.removeprefix("/")
        entry = paths.get(wanted) if isinstance(paths, dict) else None
        address = entry.get("serverRelativeURL") if isinstance(entry, dict) else None
        return {wanted: address} if isinstance(address, str) else {}
