"""What /metrics counts, in sums: enough for figures a second and a histogram, small enough to be asked every second.

    GET /quarterdeck/v1/figures

Counters begin at 0 with the server; what happens in a second is the difference of two answers, whose `seconds` are the
machine's. `now` is the time by which objects go (a virtual clock's, where there is one).
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Callable
from typing import Any, Final, TypeGuard

from quarterdeck.apimachinery import clock
from quarterdeck.metrics.registry import AnyFamily, Family, Histogram, LabelValues, ReadFamily, Registry

PATH: Final = "/quarterdeck/v1/figures"
_READ_AT_ONCE: Final = 200
_LONG: Final = frozenset(("WATCH", "CONNECT"))  # they last as long as their clients want
# Told as they are, each under the name that it has here.
_SUMS: Final = {
    "events": "apiserver_watch_events_total",
    "changes": "apiserver_watch_cache_events_received_total",
    "watchesEndedBehind": "apiserver_terminated_watchers_total",
    "commits": "quarterdeck_storage_commits_total",
    "storeBytes": "apiserver_storage_size_bytes",
    "connections": "quarterdeck_connections",
    "residentBytes": "process_resident_memory_bytes",
    "cpuSeconds": "process_cpu_seconds_total",
    "startedSeconds": "process_start_time_seconds",
}
_Families = dict[str, AnyFamily]


class Figures:
    """`revision` tells the newest of the cache."""

    def __init__(self, registry: Registry, revision: Callable[[], int]) -> None:
        self._registry = registry
        self._revision = revision

    async def tell(self) -> dict[str, Any]:
        families = {each.name: each for each in self._registry.families()}
        return {
            "seconds": time.monotonic(),
            "now": clock.wall_s(),
            "revision": self._revision(),
            **{name: _sum(families, family) for name, family in _SUMS.items()},
            "requests": await _count_requests(families),
            "durations": await _add_up(families, "apiserver_request_duration_seconds"),
            "loopLag": await _add_up(families, "quarterdeck_event_loop_lag_seconds"),
            "watches": _sum_where(families, "apiserver_longrunning_requests", "verb", "WATCH"),
            "objects": [
                {"group": group, "resource": resource, "count": count}
                for (group, resource), count in _read(families, "apiserver_resource_objects")
                if count
            ],
        }


def _read(families: _Families, name: str) -> list[tuple[LabelValues, float]]:
    """The values of a counter or gauge; none where there is no such family."""
    family = families.get(name)
    if family is None or _is_histogram(family):
        return []
    if isinstance(family, ReadFamily):
        return [(values, value) for values, value in family.children() if not isinstance(value, Histogram)]
    return [(values, child.value) for values, child in family.children() if not isinstance(child, Histogram)]


def _sum(families: _Families, name: str) -> float:
    return sum(value for _, value in _read(families, name))


def _sum_where(families: _Families, name: str, label: str, wanted: str) -> float:
    family = families.get(name)
    if family is None:
        return 0
    at = family.label_names.index(label)
    return sum(value for values, value in _read(families, name) if values[at] == wanted)


async def _count_requests(families: _Families) -> dict[str, dict[str, float]]:
    """By verb and by hundreds of the code; those for no resource (health, discovery, these figures) by themselves."""
    verbs: Counter[str] = Counter()
    codes: Counter[str] = Counter()
    others: Counter[str] = Counter()
    family = families.get("apiserver_request_total")
    names = family.label_names if family is not None else ()
    for number, (values, count) in enumerate(_read(families, "apiserver_request_total"), 1):
        labels = dict(zip(names, values, strict=True))
        if labels["resource"]:
            verbs[labels["verb"]] += int(count)
            codes[f"{labels['code'][:1]}xx"] += int(count)
        else:
            others[labels["verb"]] += int(count)
        if number % _READ_AT_ONCE == 0:
            await asyncio.sleep(0)
    return {"byVerb": dict(verbs), "byCode": dict(codes), "others": dict(others)}


async def _add_up(families: _Families, name: str) -> dict[str, Any]:
    """One histogram of all in the family; of requests, those for resources that have an end of their own."""
    family = families.get(name)
    if family is None or not _is_histogram(family):
        return {"bounds": [], "counts": [], "sum": 0, "count": 0}
    names = family.label_names
    counts: list[int] = [0] * (len(family.buckets) + 1)
    total, seconds = 0, 0.0
    for number, (values, child) in enumerate(family.children(), 1):
        labels = dict(zip(names, values, strict=True))
        if labels.get("resource", "-") and labels.get("verb") not in _LONG:
            counts = [known + more for known, more in zip(counts, child.cumulate(), strict=True)]
            total, seconds = total + child.count, seconds + child.sum
        if number % _READ_AT_ONCE == 0:
            await asyncio.sleep(0)
    return {"bounds": list(family.buckets), "counts": counts, "sum": seconds, "count": total}


def _is_histogram(family: AnyFamily) -> TypeGuard[Family[Histogram]]:
    return family.kind == "histogram"
