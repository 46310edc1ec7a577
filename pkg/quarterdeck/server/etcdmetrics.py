"""Requests to etcd, as metrics. Source of names and helps: apiserver/pkg/storage/etcd3/metrics/metrics.go."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from quarterdeck.metrics.registry import Registry
from quarterdeck.server.instruments import split_prefix
from quarterdeck.storage.backend import Backend
from quarterdeck.storage.etcd3.store import EtcdStorage
from quarterdeck.storage.etcd3.times import Requests

_LABELS: Final = ("operation", "group", "resource")


def register(registry: Registry, stores: Sequence[Backend]) -> None:
    """`stores`: each has resources of its own."""

    def items() -> list[tuple[tuple[str, str, str], Requests]]:
        own = [store.times for store in stores if isinstance(store, EtcdStorage)]
        return [
            ((operation, *split_prefix(prefix)), done) for times in own for operation, prefix, done in times.items()
        ]

    registry.read_histogram(
        "etcd_request_duration_seconds",
        "[ALPHA] Etcd request latency in seconds for each operation and object type.",
        lambda: [(kind, requests.durations) for kind, requests in items()],
        _LABELS,
    )
    registry.read_counter(
        "etcd_requests_total",
        "[ALPHA] Etcd request counts for each operation and object type.",
        lambda: [(kind, requests.durations.count) for kind, requests in items()],
        _LABELS,
    )
    registry.read_counter(
        "etcd_request_errors_total",
        "[ALPHA] Etcd failed request counts for each operation and object type.",
        lambda: [(kind, requests.errors) for kind, requests in items() if requests.errors],
        _LABELS,
    )
