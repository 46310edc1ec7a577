"""The metrics of flow control: histograms by level and schema, and counts that are read at each scrape.

Differs from upstream: requests that are answered at once do not show in the histograms over time
(priority_level_seat_utilization, priority_level_request_utilization, read_vs_write_current_requests, demand_seats),
which each of them would cost several observations.

Source: apiserver/pkg/util/flowcontrol/metrics/metrics.go.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Final

from quarterdeck.flowcontrol.counts import SchemaCounts
from quarterdeck.flowcontrol.flows import Level
from quarterdeck.metrics.registry import Family, Histogram, LabelValues, Registry, Utilization, read_one

_PREFIX: Final = "apiserver_flowcontrol_"
_BOTH: Final = ("priority_level", "flow_schema")
_OF_PHASE: Final = ("phase", "priority_level")
_OVER_TIME: Final = "EXPERIMENTAL: [ALPHA] Observations, at the end of every nanosecond, of"
_SECONDS: Final = (0, 0.005, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30)

Counts = Mapping[tuple[str, str], SchemaCounts]  # by level and schema
Levels = Callable[[], Mapping[str, Level]]

_OF_SCHEMAS: Final[tuple[tuple[str, str, Callable[[SchemaCounts], float]], ...]] = (
    (
        "current_executing_requests",
        "[BETA] Number of requests in initial (for a WATCH) or any (for a non-WATCH) execution stage in the API "
        "Priority and Fairness subsystem",
        lambda counts: counts.executing,
    ),
    (
        "current_executing_seats",
        "[BETA] Concurrency (number of seats) occupied by the currently executing (initial stage for a WATCH, any "
        "stage otherwise) requests in the API Priority and Fairness subsystem",
        lambda counts: counts.executing_seats,
    ),
    (  # the name that the one before had, which dashboards still ask for
        "request_concurrency_in_use",
        "[ALPHA] Concurrency (number of seats) occupied by the currently executing (initial stage for a WATCH, any "
        "stage otherwise) requests in the API Priority and Fairness subsystem",
        lambda counts: counts.executing_seats,
    ),
    (
        "current_inqueue_requests",
        "[BETA] Number of requests currently pending in queues of the API Priority and Fairness subsystem",
        lambda counts: counts.waiting,
    ),
    (
        "current_inqueue_seats",
        "[ALPHA] Number of seats currently pending in queues of the API Priority and Fairness subsystem",
        lambda counts: counts.waiting_seats,
    ),
)
_OF_LEVELS: Final[tuple[tuple[str, str, Callable[[Level], float]], ...]] = (
    (
        "nominal_limit_seats",
        "[BETA] Nominal number of execution seats configured for each priority level",
        lambda level: level.nominal,
    ),
    (  # likewise
        "request_concurrency_limit",
        "[ALPHA] Nominal number of execution seats configured for each priority level",
        lambda level: level.nominal,
    ),
    (
        "lower_limit_seats",
        "[ALPHA] Configured lower bound on number of execution seats available to each priority level",
        lambda level: level.lower,
    ),
    (
        "upper_limit_seats",
        "[ALPHA] Configured upper bound on number of execution seats available to each priority level",
        lambda level: level.upper,
    ),
    (
        "current_limit_seats",
        "[ALPHA] current derived number of execution seats available to each priority level",
        lambda level: level.queues.limit,
    ),
    ("current_r", "[ALPHA] R(time of last change)", lambda level: level.queues.fair.r),
    (
        "demand_seats_high_watermark",
        "[ALPHA] High watermark, over last adjustment period, of demand_seats",
        lambda level: level.demand.high,
    ),
    (
        "demand_seats_average",
        "[ALPHA] Time-weighted average, over last adjustment period, of demand_seats",
        lambda level: level.demand.average,
    ),
    (
        "demand_seats_stdev",
        "[ALPHA] Time-weighted standard deviation, over last adjustment period, of demand_seats",
        lambda level: level.demand.deviation,
    ),
    ("demand_seats_smoothed", "[ALPHA] Smoothed seat demands", lambda level: level.demand.smoothed),
    ("target_seats", "[ALPHA] Seat allocation targets", lambda level: level.target),
)


class Meters:
    """`counts_of` gives what is counted for a schema on a level, made when it is first used."""

    def __init__(self, registry: Registry, levels: Levels, fair_fraction: Callable[[], float]) -> None:
        self._counts: dict[tuple[str, str], SchemaCounts] = {}
        self._levels = levels
        self._register_histograms(registry)
        self._register_usage(registry)
        for name, help_text, read in _OF_SCHEMAS:
            registry.read_gauge(_PREFIX + name, help_text, _read_schemas(self._counts, read), _BOTH)
        for name, help_text, of_level in _OF_LEVELS:
            registry.read_gauge(_PREFIX + name, help_text, _read_levels(levels, of_level), _BOTH[:1])
        registry.read_counter(
            _PREFIX + "dispatched_requests_total",
            "[BETA] Number of requests executed by API Priority and Fairness subsystem",
            _read_schemas(self._counts, lambda counts: counts.dispatched),
            _BOTH,
        )
        registry.read_counter(
            _PREFIX + "request_dispatch_no_accommodation_total",
            "[ALPHA] Number of times a dispatch attempt resulted in a non accommodation due to lack of available seats",
            _read_schemas(self._counts, lambda counts: counts.no_accommodation),
            _BOTH,
        )
        registry.read_counter(
            _PREFIX + "rejected_requests_total",
            "[BETA] Number of requests rejected by API Priority and Fairness subsystem",
            self._read_rejected,
            (*_BOTH, "reason"),
        )
        registry.read_gauge(
            _PREFIX + "seat_fair_frac",
            "[ALPHA] Fair fraction of server's concurrency to allocate to each priority level that can use it",
            read_one(fair_fraction),
        )

    def _register_histograms(self, registry: Registry) -> None:
        self._waits = registry.histogram(
            _PREFIX + "request_wait_duration_seconds",
            "[BETA] Length of time a request spent waiting in its queue",
            _SECONDS,
            (*_BOTH, "execute"),
        )
        self._executions = registry.histogram(
            _PREFIX + "request_execution_seconds",
            "[ALPHA] Duration of initial stage (for a WATCH) or any (for a non-WATCH) stage of request execution in "
            "the API Priority and Fairness subsystem",
            _SECONDS,
            (*_BOTH, "type"),
        )
        self._lengths = registry.histogram(
            _PREFIX + "request_queue_length_after_enqueue",
            "[ALPHA] Length of queue in the API Priority and Fairness subsystem, as seen by each request after it is "
            "enqueued",
            (0, 10, 25, 50, 100, 250, 500, 1000),
            _BOTH,
        )
        self._seats = registry.histogram(
            _PREFIX + "work_estimated_seats",
            "[ALPHA] Number of estimated seats (maximum of initial and final seats) associated with requests in API "
            "Priority and Fairness",
            (1, 2, 4, 8, 16, 32, 64, 100),
            _BOTH,
        )
        self._watch_counts = registry.histogram(
            _PREFIX + "watch_count_samples",
            "[ALPHA] count of watchers for mutating requests in API Priority and Fairness",
            (0, 1, 10, 100, 1000, 10000),
            _BOTH,
        )

    def _register_usage(self, registry: Registry) -> None:
        self._requests = registry.histogram(
            _PREFIX + "priority_level_request_utilization",
            f"{_OVER_TIME} number of requests (as a fraction of the relevant limit) waiting or in any stage of "
            "execution (but only initial stage for WATCHes)",
            (0, 0.001, 0.003, 0.01, 0.03, 0.1, 0.25, 0.5, 0.75, 1),
            _OF_PHASE,
        )
        self._seats_used = registry.histogram(
            _PREFIX + "priority_level_seat_utilization",
            f"{_OVER_TIME} utilization of seats for any stage of execution (but only initial stage for WATCHes)",
            (0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1),
            _OF_PHASE,
        )
        self._seats_wanted = registry.histogram(
            _PREFIX + "demand_seats",
            f"{_OVER_TIME} (the number of seats each priority level could use) / (nominal number of seats for that "
            "level)",
            (0.2, 0.4, 0.6, 0.8, 1, 1.2, 1.4, 1.7, 2, 2.8, 4, 6),
            _BOTH[:1],
        )
        self._kinds = registry.histogram(
            _PREFIX + "read_vs_write_current_requests",
            f"{_OVER_TIME} the number of requests (as a fraction of the relevant limit) waiting or in regular stage of "
            "execution",
            (0, 0.001, 0.01, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1),
            ("phase", "request_kind"),
        )
        registry.preparations.append(self._note_usage)

    def _note_usage(self) -> None:
        for level in self._levels().values():
            level.queues.note_usage()

    def usage_of(self, level: str, now_s: float) -> Utilization:
        """For a new level."""
        return Utilization(
            self._requests.labels("executing", level),
            self._requests.labels("waiting", level),
            self._seats_used.labels("executing", level),
            self._seats_wanted.labels(level),
            now_s,
        )

    def usage_of_kinds(self, now_s: float) -> Utilization:
        """Of all levels: executing and waiting ones that read, then of those that write."""
        labels = self._kinds.labels
        return Utilization(
            labels("executing", "readOnly"),
            labels("waiting", "readOnly"),
            labels("executing", "mutating"),
            labels("waiting", "mutating"),
            now_s,
        )

    def forget(self, level: str) -> None:
        """It is gone."""
        for phase in ("executing", "waiting"):
            self._requests.remove((phase, level))
        self._seats_used.remove(("executing", level))
        self._seats_wanted.remove((level,))

    def counts_of(self, level: str, schema: str) -> SchemaCounts:
        counts = self._counts.get((level, schema))
        if counts is None:
            counts = self._counts[level, schema] = SchemaCounts(self._histograms(level, schema))
        return counts

    def keep(self, pairs: Iterable[tuple[str, str]]) -> None:
        """Forget what is counted for schemas that are not on these levels any more."""
        kept = frozenset(pairs)
        for level, schema in [key for key, counts in self._counts.items() if key not in kept and not counts.is_busy]:
            del self._counts[level, schema]
            families: tuple[Family[Histogram], ...] = (self._lengths, self._seats, self._watch_counts)
            for family in families:
                family.remove((level, schema))
            for execute in ("true", "false"):
                self._waits.remove((level, schema, execute))
            for kind in ("regular", "watch"):
                self._executions.remove((level, schema, kind))

    def _histograms(self, level: str, schema: str) -> tuple[Histogram, ...]:
        return (
            self._waits.labels(level, schema, "true"),
            self._waits.labels(level, schema, "false"),
            self._executions.labels(level, schema, "regular"),
            self._executions.labels(level, schema, "watch"),
            self._lengths.labels(level, schema),
            self._seats.labels(level, schema),
            self._watch_counts.labels(level, schema),
        )

    def _read_rejected(self) -> list[tuple[LabelValues, float]]:
        return [
            ((*names, reason), count)
            for names, counts in self._counts.items()
            for reason, count in counts.rejected.items()
        ]


def _read_schemas(
    counts: Counts, read: Callable[[SchemaCounts], float]
) -> Callable[[], list[tuple[LabelValues, float]]]:
    return lambda: [(names, read(each)) for names, each in counts.items()]


def _read_levels(levels: Levels, read: Callable[[Level], float]) -> Callable[[], list[tuple[LabelValues, float]]]:
    return lambda: [((name,), read(level)) for name, level in levels().items()]
