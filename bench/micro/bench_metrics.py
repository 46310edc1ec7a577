"""What metrics cost: values that are held, a request's metering, a scrape.

    python bench/micro/bench_metrics.py

CPU nanoseconds for each call from Python, the loop's own share included.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from quarterdeck.metrics import exposition
from quarterdeck.metrics.registry import Registry

CALLS = 500_000
SERIES = 2000
BOUNDS = (0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60)


def measure(name: str, function: Callable[..., object], *arguments: object) -> None:
    best = float("inf")
    for _ in range(3):
        begin = time.process_time()
        for _ in range(CALLS):
            function(*arguments)
        best = min(best, time.process_time() - begin)
    print(f"{name:45} {best / CALLS * 1e9:8.0f} ns")


def measure_request() -> None:
    from quarterdeck.endpoints.context import RequestContext
    from quarterdeck.endpoints.metrics import RequestMetrics
    from quarterdeck.registry.builtin.core import resources
    from quarterdeck.transport.messages import ConnectionInfo, Request, Response

    path = "/api/v1/namespaces/default/configmaps/a"
    http = Request("GET", path, "", {}, b"", ConnectionInfo("", is_secure=False))
    request = RequestContext(http, "", time.perf_counter())
    definition = next(each for each in resources.definitions() if each.resource.name == "configmaps")
    request.scope = _scope_of(definition.resource)
    metrics = RequestMetrics(Registry())
    measure("a get, counted and timed", metrics.observe, request, Response(200, [], b"x" * 1500))
    measure("the clock at its begin", time.perf_counter)


def _scope_of(resource: object) -> object:
    """A scope of which metrics look at nothing but the resource."""
    from quarterdeck.registry.scope import Scope

    scope = object.__new__(Scope)
    for name, value in (("resource", resource), ("subresource", ""), ("deprecation_warning", ""), ("meters", {})):
        object.__setattr__(scope, name, value)
    return scope


def measure_scrape() -> None:
    registry = Registry()
    family = registry.histogram("seconds", "Help.", BOUNDS, ("verb", "resource"))
    for number in range(SERIES):
        family.labels("GET", str(number)).observe(0.01)
    longest = 0.0
    begin = last = time.perf_counter()
    size = 0
    for piece in exposition.format_pieces(registry):
        now = time.perf_counter()
        longest, last, size = max(longest, now - last), now, size + len(piece)
    total = last - begin
    print(
        f"a scrape of {SERIES} histograms, {size:,} bytes: {total * 1e3:.1f} ms, the longest piece {longest * 1e3:.1f}"
    )


def main() -> None:
    registry = Registry()
    histogram = registry.histogram("seconds", "Help.", BOUNDS).labels()
    measure("Counter.inc", registry.counter("total", "Help.").labels().inc)
    measure("Histogram.observe in the first bucket", histogram.observe, 0.001)
    measure("Histogram.observe in the last of 23", histogram.observe, 100.0)
    family = registry.counter("labelled_total", "Help.", ("a", "b"))
    measure("Family.labels of a child that is there", family.labels, "x", "y")
    measure_request()
    measure_scrape()


if __name__ == "__main__":
    main()
