"""Metrics of encryption under upstream's names; they are registered where it is on.

Ids of keys are hashed. They come from a plugin, so that only so many are shown at a time.

Source: apiserver/pkg/storage/value/metrics.go, encrypt/envelope/metrics/metrics.go,
pkg/server/options/encryptionconfig/metrics/metrics.go.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Iterable
from functools import partial
from typing import Final

from quarterdeck.metrics.digests import digest
from quarterdeck.metrics.registry import LabelValues, Registry
from quarterdeck.storage.value.kms.probe import hash_of
from quarterdeck.storage.value.transformer import Record, TransformError

_KEYS_MAX: Final = 100
_ENVELOPE: Final = "apiserver_envelope_encryption_"
_STORAGE: Final = "apiserver_storage_"
_RELOADS: Final = "apiserver_encryption_config_controller_"
_DURATIONS_S: Final = tuple(5e-6 * 2**power for power in range(25))
_CALLS_S: Final = tuple(0.0001 * 2**power for power in range(20))


class EncryptionMetrics:
    """Also what KMS providers tell of their work (kms/observer.py)."""

    def __init__(self, registry: Registry, server_name: str) -> None:
        self._server = digest(server_name.encode())
        self._durations = registry.histogram(
            f"{_STORAGE}transformation_duration_seconds",
            "[ALPHA] Latencies in seconds of value transformation operations.",
            _DURATIONS_S,
            ("transformation_type", "transformer_prefix"),
        )
        self._operations = registry.counter(
            f"{_STORAGE}transformation_operations_total",
            "[ALPHA] Total number of transformations, by their outcome.",
            ("resource", "transformation_type", "transformer_prefix", "status"),
        )
        self._misses = registry.counter(
            f"{_STORAGE}envelope_transformation_cache_misses_total",
            "[ALPHA] Total number of cache misses while accessing key decryption key(KEK).",
        ).labels()
        self._calls = registry.histogram(
            f"{_ENVELOPE}kms_operations_latency_seconds",
            "[ALPHA] KMS operation duration with gRPC error code status total.",
            _CALLS_S,
            ("provider_name", "method_name", "grpc_status_code"),
        )
        self._refused = registry.counter(
            f"{_ENVELOPE}invalid_key_id_from_status_total",
            "[ALPHA] Number of times an invalid keyID is returned by the Status RPC call split by error.",
            ("provider_name", "error"),
        )
        self._cached = registry.gauge(
            f"{_ENVELOPE}dek_source_cache_size",
            "[ALPHA] Number of records in data encryption key (DEK) source cache.",
            ("provider_name",),
        )
        self._register_keys(registry)
        self._register_reloads(registry)

    def _register_keys(self, registry: Registry) -> None:
        self._used: OrderedDict[LabelValues, tuple[int, float]] = OrderedDict()
        self._told: OrderedDict[LabelValues, float] = OrderedDict()
        labels = ("transformation_type", "provider_name", "key_id_hash", "apiserver_id_hash")
        registry.read_counter(
            f"{_ENVELOPE}key_id_hash_total",
            "[ALPHA] Number of times a keyID is used split by transformation type, provider, and apiserver identity.",
            lambda: [(key, count) for key, (count, _) in self._used.items()],
            labels,
        )
        registry.read_gauge(
            f"{_ENVELOPE}key_id_hash_last_timestamp_seconds",
            "[ALPHA] The last time in seconds when a keyID was used.",
            lambda: [(key, at_s) for key, (_, at_s) in self._used.items()],
            labels,
        )
        registry.read_gauge(
            f"{_ENVELOPE}key_id_hash_status_last_timestamp_seconds",
            "[ALPHA] The last time in seconds when a keyID was returned by the Status RPC call.",
            lambda: list(self._told.items()),
            labels[1:],
        )

    def _register_reloads(self, registry: Registry) -> None:
        labels = ("status", "apiserver_id_hash")
        self._reloads = registry.counter(
            f"{_RELOADS}automatic_reloads_total",
            "[ALPHA] Total number of reload successes and failures of encryption configuration.",
            labels,
        )
        self._reloaded = registry.gauge(
            f"{_RELOADS}automatic_reload_last_timestamp_seconds",
            "[ALPHA] Timestamp of the last successful or failed automatic reload of encryption configuration.",
            labels,
        )
        self._digest = ""
        registry.read_gauge(
            f"{_RELOADS}last_config_info",
            "[ALPHA] Information about the last applied encryption configuration with hash as label.",
            self._read_digest,
            ("apiserver_id_hash", "hash"),
        )

    def _read_digest(self) -> Iterable[tuple[LabelValues, float]]:
        return [((self._server, self._digest), 1)] if self._digest else []

    # - of the configuration

    def use(self, digest: str) -> None:
        """The configuration with this digest is in use."""
        self._digest = digest

    def reloaded(self, *, is_done: bool) -> None:
        status = "success" if is_done else "failure"
        self._reloads.labels(status, self._server).inc()
        self._reloaded.labels(status, self._server).set(time.time())

    # - of values

    def recorder(self, group: str, resource: str) -> Record:
        """For the values of one entry of the configuration."""
        return partial(self._record, f"{resource}.{group}" if group else resource)

    def _record(self, resource: str, direction: str, prefix: str, seconds: float, error: TransformError | None) -> None:
        status = "OK" if error is None else error.code
        self._operations.labels(resource, direction, prefix, status).inc()
        if error is None:
            self._durations.labels(direction, prefix).observe(seconds)

    # - of KMS providers

    def call(self, provider: str, method: str, code: str, seconds: float) -> None:
        self._calls.labels(provider, method, code).observe(seconds)

    def key_used(self, provider: str, direction: str, key_id: str) -> None:
        labels = (direction, provider, hash_of(key_id), self._server)
        count, _ = self._used.get(labels, (0, 0.0))
        self._used[labels] = (count + 1, time.time())
        self._used.move_to_end(labels)
        while len(self._used) > _KEYS_MAX:
            self._used.popitem(last=False)

    def key_told(self, provider: str, key_id: str) -> None:
        labels = (provider, hash_of(key_id), self._server)
        self._told[labels] = time.time()
        self._told.move_to_end(labels)
        while len(self._told) > _KEYS_MAX:
            self._told.popitem(last=False)

    def key_refused(self, provider: str, reason: str) -> None:
        self._refused.labels(provider, reason).inc()

    def cache_missed(self) -> None:
        self._misses.inc()

    def keys_cached(self, provider: str, count: int) -> None:
        self._cached.labels(provider).set(count)
