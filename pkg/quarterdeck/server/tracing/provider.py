"""The OpenTelemetry SDK: what samples spans, keeps them until they are sent, and sends them (OTLP over gRPC).

It comes with the extra `tracing`; this module is imported only where spans are asked for. A thread of the SDK sends
them in batches, from a queue that is bounded: what a slow collector does not take is dropped.

Source: component-base/tracing/utils.go (NewProvider).
"""

from __future__ import annotations

import asyncio
import threading
from typing import Final

from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.sdk.trace.sampling import ALWAYS_OFF, ParentBased, TraceIdRatioBased

from quarterdeck.server.tracing.configuration import TracingSettings

SPANS_WAITING_MAX: Final = 2048
_BATCH: Final = 512
_PERIOD_MS: Final = 5000
_END_S: Final = 5.0
_MILLION: Final = 1_000_000


class Provider:
    """`server_id` tells this server from others in the traces. It ends with the server (reload.Watch)."""

    def __init__(self, settings: TracingSettings, server_id: str) -> None:
        self._exporter = OTLPSpanExporter(endpoint=settings.endpoint, insecure=True)
        rate = settings.rate_per_million
        self._provider = TracerProvider(
            sampler=ParentBased(TraceIdRatioBased(rate / _MILLION) if rate else ALWAYS_OFF),
            resource=Resource({"service.name": "apiserver", "service.instance.id": server_id}),
            shutdown_on_exit=False,
        )
        self._provider.add_span_processor(
            BatchSpanProcessor(
                self._exporter,
                max_queue_size=SPANS_WAITING_MAX,
                max_export_batch_size=_BATCH,
                schedule_delay_millis=_PERIOD_MS,
            )
        )
        self.tracer = self._provider.get_tracer("quarterdeck")

    def start(self) -> None:
        """Spans are sent from the beginning."""

    async def stop(self) -> None:
        """Send what waits, for a few seconds; a collector that is not there does not hold up the end."""
        ending = threading.Thread(target=self._provider.shutdown, name="end of tracing", daemon=True)
        ending.start()
        await asyncio.to_thread(ending.join, _END_S)
        if ending.is_alive():
            self._exporter.shutdown()
