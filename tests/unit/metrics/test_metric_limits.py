"""Metrics that are left out, and values of labels that are shown as one."""

from __future__ import annotations

from quarterdeck.metrics import exposition
from quarterdeck.metrics.limits import Limits
from quarterdeck.metrics.registry import Registry, read_mapping
from quarterdeck.server import metriclimits

UNEXPECTED = "cardinality_enforcement_unexpected_categorizations_total"


def expose(metrics: Registry) -> dict[str, float]:
    lines = b"".join(exposition.format_pieces(metrics)).decode().splitlines()
    return {name: float(value) for name, _, value in (line.rpartition(" ") for line in lines) if name[0] != "#"}


def test_what_is_disabled_is_not_shown() -> None:
    metrics = Registry()
    metriclimits.limit(metrics, Limits(frozenset(("gone", "unknown"))))
    metrics.counter("gone", "Help.").labels().inc()
    metrics.counter("left", "Help.").labels().inc()
    assert expose(metrics) == {"left": 1, "disabled_metrics_total": 2, "hidden_metrics_total": 0, UNEXPECTED: 0}


def test_values_that_are_not_allowed_are_shown_as_one() -> None:
    metrics = Registry()
    allowed = {name: {"code": frozenset(("200",))} for name in ("requests", "seconds", "now", "asked")}
    metriclimits.limit(metrics, Limits(allowed=allowed))
    requests = metrics.counter("requests", "Help.", ("verb", "code"))
    seconds = metrics.histogram("seconds", "Help.", (1, 2), ("code",))
    now = metrics.gauge("now", "Help.", ("code",))
    metrics.read_gauge("asked", "Help.", read_mapping(lambda: {"200": 1, "201": 2, "202": 3}), ("code",))
    metrics.counter("others", "Help.", ("code",)).labels("404").inc()
    for code, times in (("200", 1), ("201", 2), ("404", 4)):
        requests.labels("GET", code).add(times)
        now.labels(code).set(times)
        for _ in range(times):
            seconds.labels(code).observe(1.5)
    shown = expose(metrics)
    told = {name: value for name, value in shown.items() if "_total" not in name}
    assert told == {
        'requests{code="200",verb="GET"}': 1,
        'requests{code="unexpected",verb="GET"}': 6,
        'now{code="200"}': 1,
        'now{code="unexpected"}': 6,
        'asked{code="200"}': 1,
        'asked{code="unexpected"}': 5,
        'others{code="404"}': 1,
        **{f'seconds_{end}code="200"{rest}': value for end, rest, value in buckets(1)},
        **{f'seconds_{end}code="unexpected"{rest}': value for end, rest, value in buckets(6)},
    }
    assert shown[UNEXPECTED] == 6 + 6 + 2 + 2


def buckets(count: int) -> list[tuple[str, str, float]]:
    counts: list[tuple[str, float]] = [("1", 0), ("2", count), ("+Inf", count)]
    told = [("bucket{", f',le="{bound}"}}', value) for bound, value in counts]
    return [*told, ("sum{", "}", 1.5 * count), ("count{", "}", count)]


def test_what_counts_the_unexpected_does_not_count_itself() -> None:
    metrics = Registry()
    name = "cardinality_enforcement_unexpected_categorizations_total"
    metriclimits.limit(metrics, Limits(allowed={name: {"a": frozenset(("b",))}}))
    assert expose(metrics)[name] == 0
