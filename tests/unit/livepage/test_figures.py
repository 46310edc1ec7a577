"""Figures are sums of the families that /metrics shows."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from quarterdeck.endpoints.series import Families
from quarterdeck.livepage.figures import Figures
from quarterdeck.metrics.registry import Registry, read_one


def figures(registry: Registry, revision: int = 7) -> dict[str, Any]:
    return asyncio.run(Figures(registry, lambda: revision).tell())


def kind(verb: str, resource: str) -> tuple[str, ...]:
    return (verb, "", "", "v1" if resource else "", resource, "", "cluster", "apiserver")


def test_a_server_that_has_counted_nothing_tells_zeros() -> None:
    told = figures(Registry())
    assert told["revision"] == 7
    assert told["events"] == told["watches"] == 0
    assert told["durations"] == {"bounds": [], "counts": [], "sum": 0, "count": 0}


def test_requests_are_summed_by_verb_and_code_and_those_for_no_resource_apart() -> None:
    registry = Registry()
    totals = Families(registry).totals
    for verb, resource, code, number in (
        ("GET", "pods", "200", 3),
        ("GET", "nodes", "404", 2),
        ("LIST", "pods", "200", 1),
        ("GET", "", "200", 9),
    ):
        totals.labels(*kind(verb, resource), code).add(number)
    assert figures(registry)["requests"] == {
        "byVerb": {"GET": 5, "LIST": 1},
        "byCode": {"2xx": 4, "4xx": 2},
        "others": {"GET": 9},
    }


def test_durations_are_one_histogram_without_what_lasts_as_long_as_its_client_wants() -> None:
    registry = Registry()
    durations = Families(registry).durations
    for verb, resource, seconds in (
        ("GET", "pods", 0.001),
        ("POST", "pods", 0.3),
        ("WATCH", "pods", 50),
        ("GET", "", 9),
    ):
        durations.labels(*kind(verb, resource)).observe(seconds)
    told = figures(registry)["durations"]
    assert told["count"] == 2
    assert told["sum"] == pytest.approx(0.301)
    assert len(told["counts"]) == len(told["bounds"]) + 1
    assert told["counts"][0] == 1
    assert told["counts"][-1] == 2


def test_many_series_are_added_up_whole() -> None:
    registry = Registry()
    families = Families(registry)
    for number in range(1000):
        families.totals.labels(*kind("GET", f"r{number}"), "200").inc()
        families.durations.labels(*kind("GET", f"r{number}")).observe(0.1)
    told = figures(registry)
    assert told["requests"]["byVerb"] == {"GET": 1000}
    assert told["durations"]["count"] == 1000


def test_counts_that_are_read_are_told() -> None:
    registry = Registry()
    registry.read_counter("apiserver_watch_events_total", "", read_one(lambda: 5))
    registry.read_gauge(
        "apiserver_resource_objects",
        "",
        lambda: [(("", "pods"), 2), (("apps", "deployments"), 0)],
        ("group", "resource"),
    )
    told = figures(registry)
    assert told["events"] == 5
    assert told["objects"] == [{"group": "", "resource": "pods", "count": 2}]
