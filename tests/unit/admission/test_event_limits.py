"""EventRateLimit: how many events of whom are let in."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from quarterdeck.admission.plugins.eventlimits import EventRateLimit
from quarterdeck.admission.pluginsettings import EventLimit
from quarterdeck.apimachinery import errors


class Clock:
    now = 100.0


def event(namespace: str = "ns", user: str = "u", name: str = "p", component: str = "c", **more: Any) -> Any:
    involved = {"kind": "Pod", "namespace": namespace, "name": name, "uid": "1", "apiVersion": "v1"}
    obj = {"involvedObject": involved, "source": {"component": component, "host": "h"}}
    given = {"dry_run": False, "operation": "CREATE", **more}
    return SimpleNamespace(namespace=namespace, user=SimpleNamespace(name=user), obj=obj, **given)


def limiting(*limits: EventLimit) -> EventRateLimit:
    Clock.now = 100.0
    return EventRateLimit(limits, lambda: Clock.now)


def refusal(plugin: EventRateLimit, asked: Any) -> str:
    try:
        plugin.validate(asked)
    except errors.TooManyRequests as refused:
        return str(refused)
    return ""


@pytest.mark.parametrize(
    ("kind", "same", "other", "key"),
    [
        ("Server", event("other", "other", name="x"), None, ""),
        ("Namespace", event("ns", "other"), event("other"), "ns"),
        ("User", event("other", "u"), event("ns", "other"), "u"),
        ("SourceAndObject", event("ns", "other"), event(name="x"), "chPodnsp1v1"),
        ("SourceAndObject", event("ns", "other"), event(component="x"), "chPodnsp1v1"),
    ],
)
def test_a_burst_and_then_so_many_a_second(kind: str, same: Any, other: Any, key: str) -> None:
    plugin = limiting(EventLimit(kind, 2, 3, 10))
    assert [refusal(plugin, each) for each in (event(), same, event(operation="UPDATE"))] == [""] * 3
    told = f"Too many requests: limit reached on type {kind} for key {key}"
    assert [refusal(plugin, event()), refusal(plugin, event())] == [told, told]
    assert other is None or refusal(plugin, other) == ""
    Clock.now += 0.5
    assert [refusal(plugin, event()), refusal(plugin, event())] == ["", told]
    Clock.now += 60
    assert [refusal(plugin, event()) for _ in range(4)] == ["", "", "", told], "no more than a burst is saved up"


def test_every_limit_counts_and_all_that_are_reached_are_told() -> None:
    plugin = limiting(EventLimit("Namespace", 1, 1, 10), EventLimit("User", 1, 2, 10))
    assert refusal(plugin, event()) == ""
    one = "limit reached on type Namespace for key ns"
    assert refusal(plugin, event()) == f"Too many requests: {one}"
    both = f"[{one}, limit reached on type User for key u]"
    assert refusal(plugin, event()) == f"Too many requests: {both}"


def test_dry_runs_and_deletions_are_not_counted() -> None:
    plugin = limiting(EventLimit("Server", 1, 1, 10))
    for asked in (event(dry_run=True), event(operation="DELETE"), event()):
        assert refusal(plugin, asked) == ""
    assert refusal(plugin, event()) != ""


def test_who_was_not_seen_for_the_longest_time_is_forgotten() -> None:
    plugin = limiting(EventLimit("Namespace", 1, 1, 2))
    for namespace in ("a", "b"):
        assert refusal(plugin, event(namespace)) == ""
    assert refusal(plugin, event("a")) != ""
    assert refusal(plugin, event("c")) == ""
    assert refusal(plugin, event("a")) != ""
    assert refusal(plugin, event("b")) == "", "b had to go for c, and begins anew"
