"""A collector of traces for tests: OTLP over gRPC on the loopback interface; it keeps the spans."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

_SERVICE = "opentelemetry.proto.collector.trace.v1.TraceService"


class Span(NamedTuple):
    """Ids in hex. `attributes` as texts; `links`: trace and span of each."""

    name: str
    trace: str
    id: str
    parent: str
    kind: int
    is_error: bool
    attributes: dict[str, str]
    links: list[tuple[str, str]]
    begin_ns: int
    end_ns: int


class Collector:
    """`resource` is what the last sender told of itself."""

    def __init__(self) -> None:
        import grpc

        self.spans: list[Span] = []
        self.resource: dict[str, str] = {}
        self._server = grpc.server(ThreadPoolExecutor(2))
        handler = grpc.unary_unary_rpc_method_handler(self._export)
        self._server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(_SERVICE, {"Export": handler}),))
        self.endpoint = f"127.0.0.1:{self._server.add_insecure_port('127.0.0.1:0')}"

    def __enter__(self) -> Collector:
        self._server.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.stop(None).wait()

    def named(self, name: str) -> Span:
        """The only one of this name."""
        (found,) = (span for span in self.spans if span.name == name)
        return found

    def _export(self, message: bytes, context: Any) -> bytes:
        from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

        for told in ExportTraceServiceRequest.FromString(message).resource_spans:
            self.resource = _read(told.resource.attributes)
            for scope in told.scope_spans:
                self.spans += [_build(span) for span in scope.spans]
        return b""


def _build(span: Any) -> Span:
    return Span(
        span.name,
        span.trace_id.hex(),
        span.span_id.hex(),
        span.parent_span_id.hex(),
        span.kind,
        span.status.code == 2,
        _read(span.attributes),
        [(link.trace_id.hex(), link.span_id.hex()) for link in span.links],
        span.start_time_unix_nano,
        span.end_time_unix_nano,
    )


def _read(attributes: Any) -> dict[str, str]:
    return {each.key: str(getattr(each.value, each.value.WhichOneof("value"))) for each in attributes}
