"""Counters, gauges and histograms at their edges."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quarterdeck._kernels import metrics


def test_a_counter_only_rises() -> None:
    counter = metrics.Counter()
    counter.inc()
    counter.add(0.5)
    for amount in (-1, math.nan):
        with pytest.raises(ValueError, match="cannot be decreased"):
            counter.add(amount)
    assert counter.value == 1.5
    with pytest.raises(AttributeError):
        counter.value = 0  # type: ignore[misc]


def test_a_gauge_goes_both_ways() -> None:
    gauge = metrics.Gauge()
    gauge.inc()
    gauge.dec()
    gauge.dec()
    gauge.add(-0.5)
    assert gauge.value == -1.5
    gauge.set(7)
    assert gauge.value == 7


def test_bounds_must_rise() -> None:
    for bounds in ([1, 1], [2, 1], [math.nan, 1], [0, math.nan]):
        with pytest.raises(ValueError, match="must rise"):
            metrics.Buckets(bounds)


def test_without_bounds_there_is_one_bucket() -> None:
    histogram = metrics.Histogram(metrics.Buckets([]))
    histogram.observe(3)
    assert (histogram.cumulate(), histogram.count, histogram.sum, histogram.bounds) == ([1], 1, 3, ())


def test_what_is_no_number_falls_into_the_last_bucket() -> None:
    histogram = metrics.Histogram(metrics.Buckets([1]))
    histogram.observe(math.nan)
    assert histogram.cumulate() == [0, 1]


def test_other_objects_are_a_type_error() -> None:
    with pytest.raises(TypeError):
        metrics.Histogram(None)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        metrics.Histogram(metrics.Buckets([1])).observe("1")  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        metrics.Buckets([object()])  # type: ignore[list-item]


@given(
    st.lists(st.floats(allow_nan=False, allow_infinity=False), unique=True, max_size=30).map(sorted),
    st.lists(st.floats(allow_nan=False), max_size=50),
)
def test_each_observation_falls_below_the_first_bound_that_is_not_smaller(
    bounds: list[float], values: list[float]
) -> None:
    histogram = metrics.Histogram(metrics.Buckets(bounds))
    for value in values:
        histogram.observe(value)
    expected = [sum(value <= bound for value in values) for bound in [*bounds, math.inf]]
    assert histogram.cumulate() == expected
    assert histogram.count == len(values)


def test_what_began_is_timed_to_its_end() -> None:
    histogram = metrics.Histogram(metrics.Buckets([1.0, 1e9]))
    begin_s = metrics.now_s()
    histogram.observe_since(begin_s)
    assert 0 <= histogram.sum <= metrics.now_s() - begin_s
    histogram.observe_since(begin_s - 1e6)
    assert histogram.cumulate()[1:] == [2, 2]
    assert histogram.sum >= 1e6


def test_a_meter_tells_all_its_values_at_once() -> None:
    buckets = metrics.Buckets([1])
    parts = [metrics.Histogram(buckets) for _ in range(4)]
    counters: dict[int, metrics.Counter] = {}
    meter = metrics.Meter(lambda code: counters.setdefault(code, metrics.Counter()), *parts)
    meter.finish(200, 0.5, 7, 1)
    meter.finish(200, 2, 0, 0)
    meter.finish(404, 0, 0, 0)
    assert {code: counter.value for code, counter in counters.items()} == {200: 2, 404: 1}
    assert [(part.cumulate(), part.sum) for part in parts] == [
        ([2, 3], 2.5),
        ([2, 3], 2.5),
        ([2, 3], 7),
        ([3, 3], 1),
    ]


def test_a_meter_without_sizes_and_with_a_bad_maker() -> None:
    part = metrics.Histogram(metrics.Buckets([1]))
    metrics.Meter(lambda _: metrics.Counter(), part, part, None, None).finish(200, 1, 5, 5)
    assert part.count == 2
    with pytest.raises(TypeError):
        metrics.Meter(lambda _: None, part, part, None, None).finish(200, 1, 5, 5)  # type: ignore[arg-type,return-value]
    with pytest.raises(ZeroDivisionError):
        metrics.Meter(lambda code: metrics.Counter() if code // 0 else None, part, part, None, None).finish(1, 1, 1, 1)  # type: ignore[arg-type,return-value]
    assert part.count == 2


def test_utilization_counts_nanoseconds() -> None:
    bounds = metrics.Buckets([0, 0.5, 1])
    histograms = [metrics.Histogram(bounds) for _ in range(4)]
    use = metrics.Utilization(*histograms, 10.0)
    use.bound(4, 10, 4, 4, 10.0)
    use.note(1, 10, 2, 6, 10.0)
    assert [each.count for each in histograms] == [0, 0, 0, 0]
    use.note(0, 0, 0, 0, 10.5)
    half = 500_000_000
    assert [each.cumulate() for each in histograms] == [
        [0, half, half, half],
        [0, 0, half, half],
        [0, half, half, half],
        [0, 0, 0, half],
    ]
    assert [each.sum / half for each in histograms] == [0.25, 1, 0.5, 1.5]
    use.bound(1, 1, 1, 1, 11.0)
    assert [each.cumulate()[0] for each in histograms] == [half] * 4
    use.note(1, 1, 1, 1, 9.0)  # a clock that goes back passes no time
    use.note(0, 0, 0, 0, 11.0)
    assert [each.count for each in histograms] == [2 * half] * 4


def test_utilization_has_bounds() -> None:
    histogram = metrics.Histogram(metrics.Buckets([1]))
    use = metrics.Utilization(histogram, histogram, histogram, histogram, 0.0)
    for at in range(4):
        for bound in (0, -1):
            with pytest.raises(ValueError, match="positive"):
                use.bound(*(bound if each == at else 1 for each in range(4)), 0.0)
        with pytest.raises(TypeError):
            use.note(*(0.5 if each == at else 1 for each in range(4)), 0.0)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        metrics.Utilization(None, histogram, histogram, histogram, 0.0)  # type: ignore[arg-type]
