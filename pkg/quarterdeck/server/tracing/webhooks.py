"""Calls of webhooks, each with two spans: what it is for, and the request that goes out, which carries the trace on.

Source: apiserver/pkg/admission/plugin/webhook/{mutating,validating}/dispatcher.go, apiextensions-apiserver
pkg/apiserver/conversion/webhook_converter.go; opentelemetry-go-contrib, otelhttp/transport.go.
"""

from __future__ import annotations

from opentelemetry import trace
from opentelemetry.trace import SpanKind, Status, StatusCode, Tracer

from quarterdeck.endpoints import tracing
from quarterdeck.transport.client.pool import HTTPClient
from quarterdeck.webhook import client as webhook


class TracedWebhookClient(webhook.WebhookClient):
    """`inner` makes the calls."""

    def __init__(
        self, http: HTTPClient, resolve: webhook.ServiceResolver, tracer: Tracer, inner: webhook.WebhookClient
    ) -> None:
        super().__init__(http, resolve)
        self._tracer = tracer
        self._inner = inner

    async def ask(self, call: webhook.Call) -> bytes:
        context = tracing.current_context()
        name, told = call.about() if call.about is not None else ("Call webhook", {})
        span = self._tracer.start_span(name, context, attributes=told)
        context = trace.set_span_in_context(span, context)
        request = self._tracer.start_span("HTTP POST", context, SpanKind.CLIENT)
        carried: dict[str, str] = {}
        tracing.PROPAGATOR.inject(carried, trace.set_span_in_context(request, context))
        if request.is_recording():
            request.set_attributes(_describe(call))
        try:
            return await self._inner.ask(call._replace(headers={**call.headers, **carried}))
        except webhook.WebhookFailed as failure:
            if failure.status:
                request.set_attribute("http.response.status_code", failure.status)
            request.set_status(Status(StatusCode.ERROR, failure.text))
            raise
        finally:
            request.end()
            span.end()


def _describe(call: webhook.Call) -> dict[str, str | int]:
    host, port = tracing.split_authority(call.target.authority)
    told: dict[str, str | int] = {
        "http.request.method": "POST",
        "url.full": call.url,
        "server.address": host,
        "network.protocol.version": "1.1",
        "user_agent.original": call.headers.get("User-Agent", ""),
    }
    if port and int(port) != int(tracing.DEFAULT_PORTS[webhook.scheme_of(call.target)]):
        told["server.port"] = int(port)
    return told
