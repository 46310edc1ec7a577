"""Calls of webhooks, each with two spans: what it is for, and the request that goes out, which carries the trace on.

Source: apiserver/pkg/admission/plugin/webhook/{mutating,validating}/dispatcher.go, apiextensions-apiserver
pkg/apiserver/conversion/webhook_converter.go; opentelemetry-go-contrib, otelhttp/transport.go.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from opentelemetry import trace
from opentelemetry.trace import SpanKind, Status, StatusCode, Tracer

from quarterdeck.endpoints import tracing
from quarterdeck.transport.client.pool import HTTPClient
from quarterdeck.webhook import client as webhook
from quarterdeck.webhook.config import Target

_DEFAULT_PORTS: Final = {"http": 80, "https": 443}


class TracedWebhookClient(webhook.WebhookClient):
    """`inner` makes the calls."""

    def __init__(
        self, http: HTTPClient, resolve: webhook.ServiceResolver, tracer: Tracer, inner: webhook.WebhookClient
    ) -> None:
        super().__init__(http, resolve)
        self._tracer = tracer
        self._inner = inner

    async def call_target(
        self,
        target: Target,
        review: bytes,
        *,
        timeout_s: float,
        tells_timeout: bool = True,
        answer_bytes_max: int = webhook.ANSWER_BYTES_MAX,
        is_repeatable: bool = False,
        headers: Mapping[str, str] = webhook.HEADERS,
        about: webhook.About | None = None,
    ) -> bytes:
        context = tracing.current_context()
        name, told = about() if about is not None else ("Call webhook", {})
        call = self._tracer.start_span(name, context, attributes=told)
        context = trace.set_span_in_context(call, context)
        request = self._tracer.start_span("HTTP POST", context, SpanKind.CLIENT)
        carried: dict[str, str] = {}
        tracing.PROPAGATOR.inject(carried, trace.set_span_in_context(request, context))
        if request.is_recording():
            path = webhook.path_of(target, timeout_s, tells_timeout=tells_timeout)
            request.set_attributes(_describe(target, path, headers))
        try:
            return await self._inner.call_target(
                target,
                review,
                timeout_s=timeout_s,
                tells_timeout=tells_timeout,
                answer_bytes_max=answer_bytes_max,
                is_repeatable=is_repeatable,
                headers={**headers, **carried},
            )
        except webhook.WebhookFailed as failure:
            if failure.status:
                request.set_attribute("http.response.status_code", failure.status)
            request.set_status(Status(StatusCode.ERROR, failure.text))
            raise
        finally:
            request.end()
            call.end()


def _describe(target: Target, path: str, headers: Mapping[str, str]) -> dict[str, str | int]:
    scheme = webhook.scheme_of(target)
    host, colon, port = target.authority.rpartition(":")
    if not colon or not port.isdecimal():
        host, port = target.authority, ""
    told: dict[str, str | int] = {
        "http.request.method": "POST",
        "url.full": f"{scheme}://{target.authority}{path}",
        "server.address": host.strip("[]"),
        "network.protocol.version": "1.1",
        "user_agent.original": headers.get("User-Agent", ""),
    }
    if port and int(port) != _DEFAULT_PORTS[scheme]:
        told["server.port"] = int(port)
    return told
