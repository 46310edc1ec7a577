"""Hands requests on to the servers behind APIServices.

The filters have seen the request by then: who sends it is known, and may do it as far as this server is concerned.
Source: kube-aggregator/pkg/apiserver/handler_proxy.go; apimachinery/pkg/util/proxy/upgradeaware.go.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Iterator
from typing import Final

from quarterdeck.aggregator import messages
from quarterdeck.aggregator.apiservices import APIService, APIServices
from quarterdeck.aggregator.forwarding import ForwardedStream
from quarterdeck.aggregator.remotes import Remotes, identity_fields
from quarterdeck.endpoints import respond
from quarterdeck.endpoints.context import RequestContext
from quarterdeck.transport.client import failures
from quarterdeck.transport.client.failures import CallFailed
from quarterdeck.transport.client.pool import HTTPClient, Server
from quarterdeck.transport.client.streamed import StreamedAnswer
from quarterdeck.transport.messages import LazyBody, Response
from quarterdeck.webhook.client import ServiceUnresolved

_LOG: Final = logging.getLogger(__name__)
_WHOLE_BYTES_MAX: Final = 64 * 1024  # such an answer is read first, so that its length can be told
_REPEATABLE: Final = frozenset(("GET", "HEAD", "OPTIONS"))
_REDIRECTED: Final = "the backend attempted to redirect this request, which is not permitted"


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
        if messages.wants_upgrade(request.headers):
            # Differs from upstream: the connection is not handed over.
            return refuse(501, "connections cannot be upgraded on their way to another server")
        return self._forward(request, server)

    async def _forward(self, request: RequestContext, server: Server) -> Response:
        authority = failures.address(server.host, server.port)
        if request.audit is not None:
            request.audit.forward()
        try:
            data = messages.build_request(request.http, authority, request.audit_id, identity_fields(request.user))
            answer = self._http.stream(
                server, data, is_head=request.method == "HEAD", is_repeatable=request.method in _REPEATABLE
            )
            await answer.head()
        except CallFailed as failure:
            return refuse(503, f"error trying to reach service: {failure.text}")
        return await self._give_on(request, answer, authority)

    async def _give_on(self, request: RequestContext, answer: StreamedAnswer, authority: str) -> Response:
        if answer.status == 101:
            answer.abort()
            return refuse(502, "the server changed to another protocol, which nobody asked for")
        if self._rejects_redirects and 300 <= answer.status < 400 and _has_location(answer):
            answer.abort()
            return respond.text_response(502, _REDIRECTED)
        headers = messages.answer_fields(answer.fields, authority)
        if request.method == "HEAD" and answer.length >= 0:
            return Response(answer.status, headers, LazyBody(answer.length, _no_pieces))
        # Differs from upstream: a larger answer is sent in chunks, and links in pages of HTML stay as they are.
        if 0 <= answer.length <= _WHOLE_BYTES_MAX:
            try:
                return Response(answer.status, headers, await answer.read(_WHOLE_BYTES_MAX))
            except CallFailed:
                pass  # the client is to see that the answer broke off
        return ForwardedStream(answer.status, headers, answer)


def refuse(status: int, text: str) -> Response:
    """Go's http.Error."""
    return respond.text_response(status, f"{text}\n", nosniff=True)


def _has_location(answer: StreamedAnswer) -> bool:
    return any(name == "location" and value for name, value in answer.fields)


def _no_pieces() -> Iterator[bytes]:
    return iter(())
