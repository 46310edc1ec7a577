"""What the watch cache counts, as metrics: one line each. They are read at each scrape.

Names and helps are upstream's (apiserver/pkg/storage/cacher/metrics/metrics.go).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final, NamedTuple

from quarterdeck.server.instruments import split_prefix

if TYPE_CHECKING:
    from quarterdeck.metrics.registry import LabelValues, Registry
    from quarterdeck.storage.cacher import Cacher, ResourceCache

_LABELS: Final = ("group", "resource")


class _Count(NamedTuple):
    """`more`: the values of labels that upstream has beside group and resource: an
    index there is one that a resource declares."""

    name: str
    help_text: str
    read: Callable[[ResourceCache], int]
    more: LabelValues = ()


_COUNTS: Final = (
    _Count(
        "apiserver_watch_cache_events_received_total",
        "[ALPHA] Counter of events received in watch cache broken by resource type.",
        lambda cache: cache.counts.received,
    ),
    _Count(
        "apiserver_storage_events_received_total",
        "[BETA] Number of etcd events received split by kind.",
        lambda cache: cache.counts.received,
    ),
    _Count(
        "apiserver_watch_cache_events_dispatched_total",
        "[ALPHA] Counter of events dispatched in watch cache broken by resource type.",
        lambda cache: cache.counts.received,
    ),
    _Count(
        "apiserver_init_events_total",
        "[ALPHA] Counter of init events processed in watch cache broken by resource type.",
        lambda cache: cache.counts.initial,
    ),
    _Count(
        "watch_cache_capacity_increase_total",
        "[ALPHA] Total number of watch cache capacity increase events broken by resource type.",
        lambda cache: cache.history.increases,
    ),
    _Count(
        "watch_cache_capacity_decrease_total",
        "[ALPHA] Total number of watch cache capacity decrease events broken by resource type.",
        lambda cache: cache.history.decreases,
    ),
    _Count(
        "apiserver_cache_list_total",
        "[ALPHA] Number of LIST requests served from watch cache",
        lambda cache: cache.counts.lists,
        ("",),
    ),
    _Count(
        "apiserver_cache_list_fetched_objects_total",
        "[ALPHA] Number of objects read from watch cache in the course of serving a LIST request",
        lambda cache: cache.counts.fetched,
        ("",),
    ),
    _Count(
        "apiserver_storage_list_total",
        "[ALPHA] Number of LIST requests served from storage",
        lambda cache: cache.counts.from_store.lists,
    ),
    _Count(
        "apiserver_storage_list_fetched_objects_total",
        "[ALPHA] Number of objects read from storage in the course of serving a LIST request",
        lambda cache: cache.counts.from_store.fetched,
    ),
    _Count(
        "apiserver_storage_list_evaluated_objects_total",
        "[ALPHA] Number of objects tested in the course of serving a LIST request from storage",
        lambda cache: cache.counts.from_store.evaluated,
    ),
    _Count(
        "apiserver_storage_list_returned_objects_total",
        "[ALPHA] Number of objects returned for a LIST request from storage",
        lambda cache: cache.counts.from_store.returned,
    ),
    _Count(
        "apiserver_watch_cache_initializations_total",
        "[ALPHA] Counter of watch cache initializations broken by resource type.",
        lambda cache: 1,  # it is filled once, at the start or with its definition
    ),
    _Count(
        "apiserver_cache_list_returned_objects_total",
        "[ALPHA] Number of objects returned for a LIST request from watch cache",
        lambda cache: cache.counts.returned,
    ),
)


def register(registry: Registry, cacher: Cacher) -> None:
    _register_events(registry, cacher)
    _register_reads(registry, cacher)
    for count in _COUNTS:
        registry.read_counter(count.name, count.help_text, _reader(cacher, count), _labels(count))
    index = _Count(
        "quarterdeck_watch_cache_index_bytes",
        "About what the index of labels and fields takes, by resource.",
        lambda cache: cache.index.size_bytes if cache.index is not None else 0,
    )
    registry.read_gauge(index.name, index.help_text, _reader(cacher, index), _LABELS)


def _register_events(registry: Registry, cacher: Cacher) -> None:
    """What watchers were sent. Differs from upstream: `version` is empty, watchers of all versions share one queue."""
    labels = ("group", "version", "resource")

    def named(cache: ResourceCache) -> LabelValues:
        group, resource = split_prefix(cache.prefix)
        return group, "", resource

    registry.read_counter(
        "apiserver_watch_events_total",
        "[ALPHA] Number of events sent in watch clients",
        lambda: [(named(cache), cache.deliveries) for cache in cacher.caches()],
        labels,
    )
    registry.read_histogram(
        "apiserver_watch_events_sizes",
        "[BETA] Watch event size distribution in bytes",
        lambda: [(named(cache), cache.event_sizes) for cache in cacher.caches() if cache.deliveries],
        labels,
    )


def _register_reads(registry: Registry, cacher: Cacher) -> None:
    """Reads that had to be as new as something. They are told of where there were any."""
    registry.read_histogram(
        "apiserver_watch_cache_read_wait_seconds",
        "[ALPHA] Histogram of time spent waiting for a watch cache to become fresh.",
        lambda: [
            (split_prefix(cache.prefix), cache.counts.read_waits)
            for cache in cacher.caches()
            if cache.counts.read_waits.count
        ],
        _LABELS,
    )
    registry.read_counter(
        "apiserver_watch_cache_consistent_read_total",
        "[ALPHA] Counter for consistent reads from cache.",
        lambda: [each for cache in cacher.caches() for each in _consistent_reads(cache)],
        (*_LABELS, "success", "fallback"),
    )


def _consistent_reads(cache: ResourceCache) -> list[tuple[LabelValues, float]]:
    counts, names = cache.counts, split_prefix(cache.prefix)
    by_outcome = (
        (counts.consistent - counts.consistent_from_store, "true", "false"),
        (counts.consistent_from_store, "true", "true"),
        (counts.consistent_failed, "false", "false"),
    )
    return [((*names, success, fallback), count) for count, success, fallback in by_outcome if count]


def _labels(count: _Count) -> LabelValues:
    return (*_LABELS, "index") if count.more else _LABELS


def _reader(cacher: Cacher, count: _Count) -> Callable[[], list[tuple[LabelValues, float]]]:
    return lambda: [((*split_prefix(each.prefix), *count.more), count.read(each)) for each in cacher.caches()]
