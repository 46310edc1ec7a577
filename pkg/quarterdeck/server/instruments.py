"""The metrics of the server's parts, beside requests (endpoints/metrics.py): counts that the parts keep
anyway are read at each scrape. One function a part; a new part's metrics are one more.

Names and helps are upstream's where it has the metric; the others begin with `quarterdeck_`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from quarterdeck.metrics import bounds, process
from quarterdeck.metrics.registry import Family, Histogram, LabelValues, Read, Registry, read_mapping, read_one
from quarterdeck.storage.cacher import ResourceCache

if TYPE_CHECKING:
    from quarterdeck.controllers.workqueue import Controller
    from quarterdeck.endpoints.application import Application
    from quarterdeck.endpoints.filters.authentication import AuthenticationFilter
    from quarterdeck.endpoints.filters.authorization import AuthorizationFilter
    from quarterdeck.endpoints.metrics import RequestMetrics
    from quarterdeck.storage.backend import Backend, Stats
    from quarterdeck.storage.cacher import Cacher
    from quarterdeck.transport.server import HTTPServer

# From 10 ns to 1000 s (upstream: component-base/metrics/prometheus/workqueue).
_QUEUE_BUCKETS_S: Final = tuple(10.0**power for power in range(-8, 4))
_CORE: Final = "core"
_BY_RESOURCE: Final = ("group", "resource")


def register_build(registry: Registry, info: dict[str, str]) -> None:
    """`info`: what /version answers."""
    labels = {
        "build_date": info["buildDate"],
        "compiler": info["compiler"],
        "git_commit": info["gitCommit"],
        "git_tree_state": info["gitTreeState"],
        "git_version": info["gitVersion"],
        "go_version": info["goVersion"],
        "major": info["major"],
        "minor": info["minor"],
        "platform": info["platform"],
    }
    registry.gauge(
        "kubernetes_build_info",
        "[BETA] A metric with a constant '1' value labeled by major, minor, git version, git commit, git tree state, "
        "build date, Go version, and compiler from which Kubernetes was built, and platform on which it is running.",
        tuple(labels),
    ).labels(*labels.values()).set(1)


def time_authentication(registry: Registry) -> Family[Histogram]:
    text = "[ALPHA] Authentication duration in seconds broken out by result."
    return registry.histogram("authentication_duration_seconds", text, bounds.DOUBLING_S, ("result",))


def time_authorization(registry: Registry) -> Family[Histogram]:
    text = "[ALPHA] Authorization duration in seconds broken out by result."
    return registry.histogram("authorization_duration_seconds", text, bounds.DOUBLING_S, ("result",))


def register_gates(
    registry: Registry,
    requests: RequestMetrics,
    authentication: AuthenticationFilter,
    impersonation: Callable[[], int],
    gate: AuthorizationFilter,
) -> None:
    """Refusals are counted where they happen; every other request has passed."""

    def count_attempts() -> Mapping[str, float]:
        refused, bad = authentication.refusals, authentication.bad
        counts = {"success": max(requests.requests - refused, 0), "failure": refused - bad}
        return counts | ({"error": bad} if bad else {})

    def count_decisions() -> Mapping[str, float]:
        forbidden = impersonation() + gate.refusals - gate.denials
        counts = {"no-opinion": forbidden, "denied": gate.denials, "error": gate.failures}
        allowed = requests.requests - authentication.refusals - sum(counts.values())
        return {"allowed": max(allowed, 0), "no-opinion": forbidden} | {key: n for key, n in counts.items() if n}

    registry.read_counter(
        "authentication_attempts",
        "[ALPHA] Counter of authenticated attempts.",
        read_mapping(count_attempts),
        ("result",),
    )
    registry.read_counter(
        "authorization_attempts_total",
        "[ALPHA] Counter of authorization attempts broken down by result. It can be either 'allowed', 'denied', "
        "'no-opinion' or 'error'.",
        read_mapping(count_decisions),
        ("result",),
    )


def register_application(registry: Registry, application: Application) -> None:
    registry.read_counter(
        "quarterdeck_panics_total",
        "Requests that failed because of a bug in the server, and were answered 500.",
        read_one(lambda: application.panics),
    )


def register_storage(registry: Registry, stores: Sequence[Backend]) -> None:
    label = ("storage_cluster_id",)

    def add(read: Callable[[Stats], int]) -> Read:
        return read_one(lambda: sum(read(store.stats()) for store in stores))

    def each() -> list[tuple[LabelValues, Stats]]:
        return [((f"{store.kind}-{number}",), store.stats()) for number, store in enumerate(stores)]

    registry.read_gauge(
        "apiserver_storage_size_bytes",
        "[STABLE] Size of the storage database file physically allocated in bytes.",
        lambda: [(values, stats.size_bytes) for values, stats in each()],
        label,
    )
    registry.read_histogram(
        "quarterdeck_storage_commit_duration_seconds",
        "How long transactions took until they were durable.",
        lambda: [(values, stats.commit_durations) for values, stats in each() if stats.commit_durations is not None],
        label,
    )
    registry.read_counter(
        "quarterdeck_storage_commits_total",
        "Transactions that were made durable; requests that come while one runs share the next.",
        add(lambda stats: stats.commits),
    )
    registry.read_counter(
        "quarterdeck_storage_rows_total", "Writes that were made durable.", add(lambda stats: stats.rows)
    )
    waiting = "Writes that wait for the next transaction."
    registry.read_gauge("quarterdeck_storage_pending_rows", waiting, add(lambda stats: stats.pending_rows))


def register_damage(registry: Registry, count: Callable[[], int]) -> None:
    registry.read_gauge(
        "quarterdeck_storage_damaged_records",
        "Stored records that cannot be read; the log names them.",
        read_one(count),
    )


def register_cache(registry: Registry, cacher: Cacher) -> None:
    def read(value_of: Callable[[ResourceCache], float]) -> Callable[[], Iterable[tuple[LabelValues, float]]]:
        return lambda: [(split_prefix(cache.prefix), value_of(cache)) for cache in cacher.caches()]

    registry.read_gauge(
        "apiserver_storage_objects",
        "[STABLE] Number of stored objects at the time of last check split by kind. In case of a fetching error, the "
        "value will be -1.",
        lambda: [((_join_resource(cache.prefix),), cache.object_count) for cache in cacher.caches()],
        ("resource",),
    )
    registry.read_gauge(
        "apiserver_resource_objects",
        "[ALPHA] Number of stored objects at the time of last check split by kind. In case of a fetching error, the "
        "value will be -1.",
        read(lambda cache: cache.object_count),
        _BY_RESOURCE,
    )
    registry.read_gauge(
        "apiserver_watch_cache_resource_version",
        "[ALPHA] Current resource version of watch cache broken by resource type.",
        read(lambda cache: cache.revision),
        _BY_RESOURCE,
    )
    registry.read_counter(
        "apiserver_terminated_watchers_total",
        "[ALPHA] Counter of watchers closed due to unresponsiveness broken by resource type.",
        read(lambda cache: cache.counts.terminated_watchers),
        _BY_RESOURCE,
    )
    registry.read_gauge(
        "watch_cache_capacity",
        "[ALPHA] Total capacity of watch cache broken by resource type.",
        read(lambda cache: cache.history.capacity),
        _BY_RESOURCE,
    )


def count_checks(registry: Registry) -> Callable[[str, str], None]:
    """The returned function is to be called with the prefix and the outcome of each comparison of cache and store."""
    family = registry.counter(
        "apiserver_storage_consistency_checks_total",
        "[ALPHA] Counter for status of consistency checks between etcd and watch cache",
        ("group", "resource", "status"),
    )
    return lambda prefix, outcome: family.labels(*split_prefix(prefix), outcome).inc()


def register_queues(registry: Registry, queues: Iterable[Controller]) -> None:
    queues = tuple(queues)
    label = ("name",)
    registry.read_gauge(
        "workqueue_depth",
        "[BETA] Current depth of workqueue",
        read_mapping(lambda: {queue.name: queue.depth for queue in queues}),
        label,
    )
    registry.read_counter(
        "workqueue_adds_total",
        "[BETA] Total number of adds handled by workqueue",
        read_mapping(lambda: {queue.name: queue.adds for queue in queues}),
        label,
    )
    registry.read_counter(
        "workqueue_retries_total",
        "[BETA] Total number of retries handled by workqueue",
        read_mapping(lambda: {queue.name: queue.retries for queue in queues}),
        label,
    )
    registry.read_gauge(
        "workqueue_unfinished_work_seconds",
        "[BETA] How many seconds of work has done that is in progress and hasn't been observed by work_duration. "
        "Large values indicate stuck threads. One can deduce the number of stuck threads by observing the rate at "
        "which this increases.",
        read_mapping(lambda: {queue.name: queue.unfinished_s() for queue in queues}),
        label,
    )
    registry.read_gauge(
        "workqueue_longest_running_processor_seconds",
        "[BETA] How many seconds has the longest running processor for workqueue been running.",
        read_mapping(lambda: {queue.name: queue.longest_s() for queue in queues}),
        label,
    )
    waits = registry.histogram(
        "workqueue_queue_duration_seconds",
        "[BETA] How long in seconds an item stays in workqueue before being requested.",
        _QUEUE_BUCKETS_S,
        label,
    )
    work = registry.histogram(
        "workqueue_work_duration_seconds",
        "[BETA] How long in seconds processing an item from workqueue takes.",
        _QUEUE_BUCKETS_S,
        label,
    )
    for queue in queues:
        queue.queue_durations, queue.work_durations = waits.labels(queue.name), work.labels(queue.name)


def register_transport(registry: Registry, http: HTTPServer) -> None:
    registry.read_counter(
        "apiserver_tls_handshake_errors_total",
        "[ALPHA] Number of requests dropped with 'TLS handshake error from' error",
        read_one(lambda: http.handshake_errors),
    )
    registry.read_gauge(
        "quarterdeck_connections", "Connections of clients that are open.", read_one(lambda: http.connections_count)
    )
    registry.read_counter(
        "quarterdeck_connections_accepted_total", "Connections accepted.", read_one(lambda: http.accepted_total)
    )
    registry.read_counter(
        "quarterdeck_connections_rejected_total",
        "Connections turned away, there being too many.",
        read_one(lambda: http.rejected_total),
    )
    http.lag = registry.histogram(
        "quarterdeck_event_loop_lag_seconds",
        "How much later than planned a timer of the event loop ran, looked at twice a second while there are "
        "connections.",
        (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5),
    ).labels()


def register_health(registry: Registry) -> Callable[[str, str, bool], None]:
    """For /metrics/slis. To be told of each check that ran: its name, the endpoint's, whether all is well."""
    process.register_start(registry, "[ALPHA] ")
    labels = ("name", "type")
    results = registry.gauge(
        "kubernetes_healthcheck", "[STABLE] This metric records the result of a single healthcheck.", labels
    )
    totals = registry.counter(
        "kubernetes_healthchecks_total",
        "[STABLE] This metric records the results of all healthcheck.",
        ("name", "status", "type"),
    )

    def report(name: str, endpoint: str, is_healthy: bool) -> None:
        results.labels(name, endpoint).set(1 if is_healthy else 0)
        totals.labels(name, "success" if is_healthy else "error", endpoint).inc()

    return report


def split_prefix(prefix: str) -> tuple[str, str]:
    """Group and resource of a cache's prefix, /registry/<group>/<resource>/."""
    _, _, group, resource, _ = prefix.split("/")
    return ("" if group == _CORE else group, resource)


def _join_resource(prefix: str) -> str:
    group, resource = split_prefix(prefix)
    return f"{resource}.{group}" if group else resource
