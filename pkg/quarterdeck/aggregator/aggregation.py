"""All of the aggregation layer, put together: what follows APIServices, and who answers for other servers' paths.

Source: kube-aggregator/pkg/apiserver/apiserver.go.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from quarterdeck.aggregator.apiservices import APIService, APIServices
from quarterdeck.aggregator.client import RemoteClient
from quarterdeck.aggregator.contents import RemoteContents
from quarterdeck.aggregator.discovery import RemoteDiscovery
from quarterdeck.aggregator.openapi import RemoteOpenAPI
from quarterdeck.aggregator.proxy import Proxy
from quarterdeck.aggregator.remotekinds import RemoteKinds
from quarterdeck.aggregator.remoteobjects import RemoteMetadata
from quarterdeck.aggregator.remotes import Remotes
from quarterdeck.aggregator.swagger import RemoteSwagger
from quarterdeck.controllers.workqueue import Controller
from quarterdeck.discovery.served import DiscoveryDocuments
from quarterdeck.endpoints.context import RequestContext
from quarterdeck.openapi.documents import OpenAPIDocuments
from quarterdeck.storage.cacher import ResourceCache
from quarterdeck.transport.client.pool import HTTPClient
from quarterdeck.transport.messages import Response
from quarterdeck.webhook.config import Service

Handler = Callable[[RequestContext], Response | Awaitable[Response] | None]


class Aggregation:
    """`cache` is that of APIServices. `on_remote` is told who answers for other servers, None as long as there are
    none, so that requests of servers without any pay nothing. Belongs to one event loop."""

    def __init__(
        self,
        cache: ResourceCache,
        resolve: Callable[[Service], tuple[str, int]],
        discovery: DiscoveryDocuments,
        openapi: OpenAPIDocuments,
        on_remote: Callable[[Handler | None], None],
        http: HTTPClient,
        *,
        rejects_redirects: bool,
    ) -> None:
        self._http = http
        self.remotes = Remotes(resolve)
        self._services = APIServices(cache)
        self.client = RemoteClient(self.remotes, self._http)
        self._proxy = Proxy(self._services, self.remotes, self._http, rejects_redirects=rejects_redirects)
        self._discovery = RemoteDiscovery(self._services, discovery, self.client)
        self._openapi = RemoteOpenAPI(self._services, openapi, self.client)
        self._swagger = RemoteSwagger(self._services, openapi, self.client)
        self.contents = RemoteContents(self._services, self._discovery, self.client)
        self.objects = RemoteMetadata(self._services, self.client)
        self.kinds = RemoteKinds(self._services, self._discovery)
        self.on_service: Callable[[str], None] | None = None  # told of APIServices that have changed
        self._on_remote = on_remote
        self._services.listeners.append(self._on_change)

    def queues(self) -> tuple[Controller, ...]:
        return self._discovery.controller, self._openapi.controller, self._swagger.controller

    def start(self) -> None:
        """Once the cache is filled, and before clients are answered."""
        self._services.take_up()
        for queue in self.queues():
            queue.start()

    async def stop(self) -> None:
        for queue in self.queues():
            await queue.stop()
        self._http.close()

    def respond(self, request: RequestContext) -> Response | Awaitable[Response] | None:
        """None for what is this server's own."""
        document = self._openapi.find(request.path)
        if document is not None:
            return self._proxy.forward(request, document)
        return self._proxy.respond(request)

    def _on_change(self, name: str, _api: APIService | None) -> None:
        self._on_remote(self.respond if self._services.has_remote else None)
        if self.on_service is not None:
            self.on_service(name)
