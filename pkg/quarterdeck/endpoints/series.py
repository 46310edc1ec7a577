"""The families of request metrics, and the values of one kind of request out of all of them.

Names, labels, helps and buckets are upstream's: apiserver/pkg/endpoints/metrics/metrics.go.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from quarterdeck.metrics import bounds
from quarterdeck.metrics.registry import Counter, Gauge, Meter, Registry

_COMPONENT: Final = "apiserver"
_SIZED: Final = frozenset(("GET", "LIST"))
# The words that sizes of bodies have for verbs.
_WITH_BODY: Final = {"POST": "create", "PUT": "update", "PATCH": "patch", "APPLY": "patch", "DELETE": "delete"}
_WITHOUT_COMPONENT: Final = ("/", "openapi/")
_SLI_BOUNDS: Final = bounds.REQUESTS_S[2:]
_RESPONSE_BOUNDS: Final = tuple(10**exponent for exponent in range(3, 10))
_BODY_BOUNDS: Final = tuple(50_000 + 100_000 * step for step in range(31))
_LABELS: Final = ("verb", "group", "version", "resource", "subresource", "scope", "component")
_LABELS_DRY: Final = ("verb", "dry_run", *_LABELS[1:])


class Kind(NamedTuple):
    """What requests of one kind have in common: the labels, save `component` and `code`."""

    verb: str
    dry_run: str
    group: str
    version: str
    resource: str
    subresource: str
    scope: str


class Families:
    def __init__(self, registry: Registry) -> None:
        self.totals = registry.counter(
            "apiserver_request_total",
            "[STABLE] Counter of apiserver requests broken out for each verb, dry run value, group, version, resource, "
            "scope, component, and HTTP response code.",
            (*_LABELS_DRY, "code"),
        )
        self.durations = registry.histogram(
            "apiserver_request_duration_seconds",
            "[STABLE] Response latency distribution in seconds for each verb, dry run value, group, version, resource, "
            "subresource, scope and component.",
            bounds.REQUESTS_S,
            _LABELS_DRY,
        )
        self.slis = registry.histogram(
            "apiserver_request_sli_duration_seconds",
            "[ALPHA] Response latency distribution (not counting webhook duration and priority & fairness queue wait "
            "times) in seconds for each verb, group, version, resource, subresource, scope and component.",
            _SLI_BOUNDS,
            _LABELS,
        )
        self.response_sizes = registry.histogram(
            "apiserver_response_sizes",
            "[STABLE] Response size distribution in bytes for each group, version, verb, resource, subresource, scope "
            "and component.",
            _RESPONSE_BOUNDS,
            _LABELS,
        )
        self.body_sizes = registry.histogram(
            "apiserver_request_body_size_bytes",
            "[ALPHA] Apiserver request body size in bytes broken out by resource and verb.",
            _BODY_BOUNDS,
            ("group", "resource", "verb"),
        )
        self.long_running = registry.gauge(
            "apiserver_longrunning_requests",
            "[STABLE] Gauge of all active long-running apiserver requests broken out by verb, group, version, "
            "resource, scope and component. Not all requests are tracked this way.",
            _LABELS,
        )
        self.deprecated = registry.gauge(
            "apiserver_requested_deprecated_apis",
            "[STABLE] Gauge of deprecated APIs that have been requested, broken out by API group, version, resource, "
            "subresource, and removed_release.",
            ("group", "version", "resource", "subresource", "removed_release"),
        )
        self.terminations = registry.counter(
            "apiserver_request_terminations_total",
            "[ALPHA] Number of requests which apiserver terminated in self-defense.",
            (*_LABELS, "code"),
        )


class Series:
    """The values of one kind of request. `meter` records what is known at a request's end, in one call."""

    __slots__ = ("_families", "_kind", "long_running", "meter")

    def __init__(self, families: Families, kind: Kind) -> None:
        labels = _labels_of(kind)
        verb = kind.verb
        self._families = families
        self._kind = kind
        word = _WITH_BODY.get(verb, "") if kind.resource else ""
        if word == "delete" and kind.scope != "resource":
            word = "delete_collection"
        self.meter = Meter(
            self._count,
            families.durations.labels(verb, kind.dry_run, *labels[1:]),
            families.slis.labels(*labels),
            families.response_sizes.labels(*labels) if verb in _SIZED else None,
            families.body_sizes.labels(kind.group, kind.resource, word) if word else None,
        )
        self.long_running: Gauge | None = families.long_running.labels(*labels) if verb == "WATCH" else None

    def _count(self, code: int) -> Counter:
        verb, *rest = _labels_of(self._kind)
        return self._families.totals.labels(verb, self._kind.dry_run, *rest, str(code))

    def count_termination(self, code: int) -> None:
        self._families.terminations.labels(*_labels_of(self._kind), str(code)).inc()


def _labels_of(kind: Kind) -> tuple[str, ...]:
    # Health endpoints and documents of OpenAPI stand in `subresource`, and belong to no component.
    is_apart = not kind.resource and kind.subresource.startswith(_WITHOUT_COMPONENT)
    component = "" if is_apart else _COMPONENT
    return (kind.verb, kind.group, kind.version, kind.resource, kind.subresource, kind.scope, component)
