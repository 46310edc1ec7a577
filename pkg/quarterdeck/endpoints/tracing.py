"""Spans of requests: one of the server, begun when who asks is known, and one of the handler inside it.

    the application around    when a request came; at the end its answer, or that there is none
    a filter after authentication    the server's span: a child of the caller's, where the caller may say so
    a filter behind all others       the handler's span: what lies before it is impersonation, queues, authorization

A caller's trace is taken up from administrators and monitoring alone; the traces of others are linked to, so that
nobody else decides how much is sampled. The names of spans and attributes are upstream's. The transport does not tell
the protocol's version, nor the client's port.

This module is imported only where requests are traced. Source: apiserver/pkg/endpoints/filters/traces.go,
endpoints/handlers/trace_util.go; opentelemetry-go-contrib, otelhttp/handler.go.
"""

from __future__ import annotations

import functools
import time
from collections.abc import Awaitable
from contextvars import ContextVar
from typing import Final

from opentelemetry import trace
from opentelemetry.baggage.propagation import W3CBaggagePropagator
from opentelemetry.context import Context
from opentelemetry.propagators.composite import CompositePropagator
from opentelemetry.trace import Link, Span, SpanKind, Status, StatusCode, Tracer
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from quarterdeck.audit.addresses import source_ips
from quarterdeck.endpoints.context import RequestContext
from quarterdeck.endpoints.metrics import clean_scope, clean_verb
from quarterdeck.endpoints.request_info import Address, RequestInfo
from quarterdeck.transport.messages import Application, LazyBody, Request, Response, Stream, StreamWriter

PROPAGATOR: Final = CompositePropagator([TraceContextTextMapPropagator(), W3CBaggagePropagator()])
_TRUSTED: Final = frozenset(("system:masters", "system:monitoring"))
_HANDLERS: Final = {
    "get": "Get",
    "list": "List",
    "create": "Create",
    "update": "Update",
    "patch": "Patch",
    "delete": "Delete",
    "deletecollection": "Delete",
}
_METHODS: Final = frozenset(("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "CONNECT", "TRACE"))
DEFAULT_PORTS: Final = {"http": "80", "https": "443"}
_AUDIT_ID_CHARS_MAX: Final = 64
_USER_AGENT_CHARS_MAX: Final = 1024
_CUT: Final = "...TRUNCATED"
_FAILED: Final = 500


class _Trace:
    """Of one request. `context` is that of its innermost span."""

    __slots__ = ("begun_ns", "context", "handling", "request", "span")

    def __init__(self) -> None:
        self.begun_ns = time.time_ns()
        self.context = Context()
        self.span: Span | None = None
        self.handling: Span | None = None
        self.request: RequestContext | None = None

    def finish(self, status: int, size: int) -> None:
        """`status` 0: there is no answer."""
        span, request = self.span, self.request
        if self.handling is not None and request is not None:
            if self.handling.is_recording():
                self.handling.set_attributes(_describe_handling(request))
            self.handling.end()
        if span is None:
            return
        if request is not None and request.body:
            span.set_attribute("http.request.body.size", len(request.body))
        if size:
            span.set_attribute("http.response.body.size", size)
        if status:
            span.set_attribute("http.response.status_code", status)
        if not status or status >= _FAILED:
            span.set_status(Status(StatusCode.ERROR))
        span.end()


_current: Final[ContextVar[_Trace | None]] = ContextVar("quarterdeck trace", default=None)


def current_context() -> Context:
    """Of the request that is worked on; an empty one where it is none."""
    found = _current.get()
    return found.context if found is not None else Context()


class RequestTracing:
    """The filters, and what `wrap` puts around the application."""

    def __init__(self, tracer: Tracer) -> None:
        self._tracer = tracer

    def begin(self, request: RequestContext, info: RequestInfo) -> None:
        """The filter after authentication."""
        found = _current.get()
        if found is None:
            return
        caller = PROPAGATOR.extract(request.headers, context=Context())
        links = None
        if not _TRUSTED.intersection(request.user.groups):
            told = trace.get_current_span(caller).get_span_context()
            links = [Link(told)] if told.is_valid else None
            caller = trace.set_span_in_context(trace.INVALID_SPAN, caller)
        name = f"{request.method} {_template(info.address)}" if info.address.is_resource else request.method
        span = self._tracer.start_span(name, caller, SpanKind.SERVER, links=links, start_time=found.begun_ns)
        if span.is_recording():
            span.set_attributes(_describe(request))
        found.span, found.request = span, request
        found.context = trace.set_span_in_context(span, caller)

    def handle(self, request: RequestContext, info: RequestInfo) -> None:
        """The filter behind all others."""
        found, name = _current.get(), _HANDLERS.get(info.verb)
        if found is None or found.span is None or name is None or not info.address.is_resource:
            return
        found.handling = self._tracer.start_span(name, found.context)
        found.context = trace.set_span_in_context(found.handling, found.context)

    def wrap(self, application: Application) -> Application:
        return functools.partial(self._trace, application)

    def _trace(self, application: Application, http: Request) -> Response | Awaitable[Response]:
        found = _Trace()
        token = _current.set(found)
        try:
            answer = application(http)
        finally:
            _current.reset(token)
        return _finish(found, answer) if isinstance(answer, Response) else self._wait(found, answer)

    async def _wait(self, found: _Trace, waiting: Awaitable[Response]) -> Response:
        token = _current.set(found)
        try:
            answer = await waiting
        except BaseException:
            found.finish(0, 0)
            raise
        finally:
            _current.reset(token)
        return _finish(found, answer)


def _finish(found: _Trace, answer: Response) -> Response:
    """What the transport is to have: a stream that is traced ends its span when it ends."""
    if isinstance(answer, Stream):
        if found.span is not None and found.span.is_recording():
            return _TracedStream(answer, found)
        return answer
    body = answer.body
    size = body.size if isinstance(body, LazyBody) else len(body) if isinstance(body, bytes) else sum(map(len, body))
    found.finish(answer.status, size)
    return answer


class _TracedStream(Stream):
    """A stand-in, which writes as the stream itself does."""

    __slots__ = ("_stream", "_trace")

    def __init__(self, stream: Stream, found: _Trace) -> None:
        Stream.__init__(self, stream.status, stream.headers)
        self._stream = stream
        self._trace = found

    def opened(self, writer: StreamWriter) -> None:
        self._stream.opened(writer)

    def resumed(self) -> None:
        self._stream.resumed()

    def closed(self) -> None:
        self._stream.closed()
        self._trace.finish(self.status, 0)


def _template(address: Address) -> str:
    """The address without what is its objects' own."""
    parts = ["", address.prefix, address.group, address.version] if address.group else ["", "api", address.version]
    if address.namespace:
        parts.append("namespaces/{:namespace}")
    parts.append(address.resource)
    if address.name:
        parts.append("{:name}")
    if address.subresource:
        parts.append(address.subresource)
    return "/".join(parts)


def _describe(request: RequestContext) -> dict[str, str | int]:
    """What is known of a request when it begins."""
    http, headers = request.http, request.headers
    scheme = "https" if request.connection.is_secure else "http"
    host, port = split_authority(headers.get("host", ""))
    method = request.method if request.method in _METHODS else "_OTHER"
    path = http.base + http.path
    told: dict[str, str | int] = {
        "server.address": host,
        "http.request.method": method,
        "url.scheme": scheme,
        "url.path": path,
        "http.target": f"{path}?{request.query}" if request.query else path,
        "audit-id": request.audit_id[:_AUDIT_ID_CHARS_MAX],
    }
    if method != request.method:
        told["http.request.method_original"] = request.method
    if port and port != DEFAULT_PORTS[scheme]:
        told["server.port"] = int(port)
    remote = request.connection.remote_address
    client = headers.get("x-forwarded-for", "").partition(",")[0] or remote
    for name, value in (
        ("network.peer.address", remote),
        ("client.address", client),
        ("user_agent.original", headers.get("user-agent", "")),
    ):
        if value:
            told[name] = value
    return told


def _describe_handling(request: RequestContext) -> dict[str, str]:
    """What upstream tells of every request that a handler takes (traceFields)."""
    address, headers = request.info.address, request.headers
    reach = clean_scope(request)
    verb = clean_verb(request, reach)
    sources = source_ips(headers, request.connection.remote_address)
    agent = headers.get("user-agent", "")
    return {
        "accept": headers.get("accept", ""),
        "audit-id": request.audit_id[:_AUDIT_ID_CHARS_MAX],
        "client": sources[0] if sources else "unknown",
        "api-group": address.group,
        "api-version": address.version,
        "name": address.name,
        "subresource": address.subresource,
        "namespace": address.namespace,
        "resource": address.resource,
        "scope": reach,
        "url": request.http.base + request.path,
        "user-agent": agent if len(agent) <= _USER_AGENT_CHARS_MAX else agent[:_USER_AGENT_CHARS_MAX] + _CUT,
        "verb": verb,
    }


def split_authority(authority: str) -> tuple[str, str]:
    """The host, and the port where one is named."""
    host, colon, port = authority.rpartition(":")
    if not colon or not port.isdecimal():
        host, port = authority, ""
    return host.strip("[]"), port
