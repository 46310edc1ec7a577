"""Calls of other servers on behalf of clients, whose answers become those of this server.

The filters have seen the request by then: who sends it is known, and may do it as far as this server is concerned.
Source: apimachinery/pkg/util/proxy/upgradeaware.go; net/http/httputil/reverseproxy.go.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from quarterdeck.endpoints import respond
from quarterdeck.endpoints.context import RequestContext
from quarterdeck.endpoints.proxy import messages
from quarterdeck.endpoints.proxy.forwarding import ForwardedStream, UpgradedStream
from quarterdeck.endpoints.proxy.messages import Links, Pair
from quarterdeck.transport.client.failures import CallFailed
from quarterdeck.transport.client.pool import HTTPClient, Server
from quarterdeck.transport.client.streamed import StreamedAnswer
from quarterdeck.transport.messages import LazyBody, Response
from quarterdeck.transport.tunnels import STATUS as SWITCHING

_WHOLE_BYTES_MAX: Final = 64 * 1024  # such an answer is read first, so that its length can be told
_REPEATABLE: Final = frozenset(("GET", "HEAD", "OPTIONS"))
_REDIRECTED: Final = "the backend attempted to redirect this request, which is not permitted"


Refuse = Callable[[str], Response]


@dataclass(frozen=True, slots=True)
class Call:
    """One request on its way: to `server`, for `target` (path and query), under the name `host`, with `pairs` behind
    its own fields. `refuse` makes the answer where there is none of the server; it may raise an APIStatus."""

    server: Server
    target: str
    host: str
    pairs: tuple[Pair, ...]
    links: Links
    refuse: Refuse
    rejects_redirects: bool = False


async def call(http: HTTPClient, request: RequestContext, what: Call) -> Response:
    """What another server answers, given on while it comes. A call that fails before its head is there is answered by
    `refuse`, and 502 a server that changes the protocol."""
    if request.audit is not None:
        request.audit.hide_answer()
    try:
        data = messages.build_request(request.http, what.target, what.host, what.pairs)
        answer = http.stream(
            what.server, data, is_head=request.method == "HEAD", is_repeatable=request.method in _REPEATABLE
        )
        await answer.head()
    except CallFailed as failure:
        return what.refuse(f"error trying to reach service: {failure.text}")
    if answer.status == SWITCHING:
        answer.abort()
        return respond.text_response(
            502, "the server changed to another protocol, which nobody asked for\n", nosniff=True
        )
    return await _give_on(request, answer, what)


async def upgrade(http: HTTPClient, request: RequestContext, what: Call) -> Response:
    """For a request that wants to speak another protocol with the server. What that server does not agree to ends as
    an answer: no connection to it is left in the client's hands (CVE-2018-1002105)."""
    if request.audit is not None:
        request.audit.hide_answer()
    try:
        data = messages.build_request(request.http, what.target, what.host, what.pairs, is_upgrade=True)
    except CallFailed as failure:
        return what.refuse(f"error sending request: {failure.text}")
    answer = http.upgrade(what.server, data)
    try:
        await answer.head()
    except CallFailed as failure:
        return what.refuse(failure.text if answer.is_sent else f"error dialing backend: {failure.text}")
    if answer.status == SWITCHING:
        return UpgradedStream(messages.answer_fields(answer.fields, what.links, is_upgrade=True), answer)
    if answer.status < 400:
        answer.abort()
        return what.refuse(f"invalid upgrade response: status code {answer.status}")
    return await _give_on(request, answer, what)


async def _give_on(request: RequestContext, answer: StreamedAnswer, what: Call) -> Response:
    if what.rejects_redirects and 300 <= answer.status < 400 and _has_location(answer):
        answer.abort()
        return respond.text_response(502, _REDIRECTED)
    headers = messages.answer_fields(answer.fields, what.links)
    if request.method == "HEAD" and answer.length >= 0:
        return Response(answer.status, headers, LazyBody(answer.length, _no_pieces))
    # Differs from upstream: a larger answer is sent in chunks, and links in pages of HTML stay as they are.
    if 0 <= answer.length <= _WHOLE_BYTES_MAX:
        try:
            return Response(answer.status, headers, await answer.read(_WHOLE_BYTES_MAX))
        except CallFailed:
            pass  # the client is to see that the answer broke off
    return ForwardedStream(answer.status, headers, answer)


def _has_location(answer: StreamedAnswer) -> bool:
    return any(name == "location" and value for name, value in answer.fields)


def _no_pieces() -> Iterator[bytes]:
    return iter(())
