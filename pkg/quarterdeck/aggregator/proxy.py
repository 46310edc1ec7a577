"""Hands requests on to the servers behind APIServices.

Source: kube-aggregator/pkg/apiserver/handler_proxy.go; apiserver/pkg/util/proxy/proxy.go (NewRequestForProxy).
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable
from functools import partial
from typing import Final

from quarterdeck.aggregator.apiservices import APIService, APIServices
from quarterdeck.aggregator.remotes import Remotes, identity_fields
from quarterdeck.endpoints import respond
from quarterdeck.endpoints.context import RequestContext
from quarterdeck.endpoints.proxy import calls, messages
from quarterdeck.endpoints.proxy.calls import Call
from quarterdeck.endpoints.proxy.messages import Links
from quarterdeck.transport.client import failures
from quarterdeck.transport.client.pool import HTTPClient, Server
from quarterdeck.transport.messages import Response
from quarterdeck.webhook.client import ServiceUnresolved

_LOG: Final = logging.getLogger(__name__)


class Proxy:
    """`rejects_redirects`: a redirect is not given on to the client, who could be led anywhere by it."""

    def __init__(
        self, services: APIServices, remotes: Remotes, http: HTTPClient, *, rejects_redirects: bool = True
    ) -> None:
        self._services = services
        self._remotes = remotes
        self._http = http
        self._rejects_redirects = rejects_redirects

    def respond(self, request: RequestContext) -> Response | Awaitable[Response] | None:
        """None for a path that no other server has."""
        found = self._services.find(request.path)
        return None if found is None else self.forward(request, found)

    def forward(self, request: RequestContext, api: APIService) -> Response | Awaitable[Response]:
        if not api.is_available:
            return refuse(503, "service unavailable")
        try:
            server = self._remotes.server_of(api)
        except ServiceUnresolved as error:
            _LOG.error("error resolving %s: %s", api.name, error)
            return refuse(503, "service unavailable")
        except ValueError as error:
            return refuse(500, str(error))
        what = self._describe(request, server)
        if messages.wants_upgrade(request.headers):
            return calls.upgrade(self._http, request, what)
        return calls.call(self._http, request, what)

    def _describe(self, request: RequestContext, server: Server) -> Call:
        authority = failures.address(server.host, server.port)
        path, query = messages.encode_path(request.path), messages.encode_query(request.query)
        pairs = (
            *identity_fields(request.user),
            ("Audit-Id", request.audit_id),
            *messages.forwarded_for(request.http),
            ("X-Forwarded-Host", authority),
            ("X-Forwarded-Proto", "https"),
            ("X-Forwarded-Uri", messages.forwarded_uri(request.path)),
        )
        return Call(
            server,
            f"{path}?{query}" if query else path,
            authority,
            pairs,
            Links((authority,), "https", authority),
            partial(refuse, 503),
            self._rejects_redirects,
        )


def refuse(status: int, text: str) -> Response:
    """Go's http.Error."""
    return respond.text_response(status, f"{text}\n", nosniff=True)
