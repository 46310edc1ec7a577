"""Wiring of who is served when there is more to do than can be done: priority and fairness, or two plain limits."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Any, Final, NamedTuple

from quarterdeck._kernels.metrics import now_s
from quarterdeck.apimachinery.codec import json as json_codec
from quarterdeck.endpoints.application import Filter
from quarterdeck.endpoints.filters.flowcontrol import FlowControlFilter
from quarterdeck.endpoints.filters.maxinflight import MaxInFlightFilter
from quarterdeck.endpoints.flowdumps import FlowDumps
from quarterdeck.endpoints.metrics import RequestMetrics
from quarterdeck.endpoints.router import PlainHandler
from quarterdeck.flowcontrol.controller import FlowController
from quarterdeck.metrics.registry import Registry
from quarterdeck.registry.builtin.flowcontrol import mandatory
from quarterdeck.registry.scope import Builtin
from quarterdeck.server.config import Config
from quarterdeck.server.reload import Watch
from quarterdeck.server.resources import ServedResources
from quarterdeck.storage.cacher import ResourceCache

_GROUP: Final = "flowcontrol.apiserver.k8s.io"
_SAMPLE: Final = 16  # objects whose size stands for all
_RESOURCES_MAX: Final = 4096
_READ_MAX: Final = 64


class Overload(NamedTuple):
    """`paths` tell what it is doing; `watches` begin and end with the server."""

    filter: Filter
    paths: list[PlainHandler]
    watches: list[Watch]


def build(
    config: Config,
    served: Builtin,
    resources: ServedResources,
    requests: RequestMetrics,
    metrics: Registry,
) -> Overload:
    """Priority and fairness with all seats of both flags together; without it, each flag is a limit of its own."""
    if not config.has_flow_control:
        limits = MaxInFlightFilter(config.reads_inflight_max, config.writes_inflight_max, requests)
        return Overload(limits, [], [])
    levels = served[_GROUP, "v1", "prioritylevelconfigurations"][""].store.cache
    schemas = served[_GROUP, "v1", "flowschemas"][""].store.cache
    controller = FlowController(
        config.reads_inflight_max + config.writes_inflight_max,
        lambda: (_load(levels), _load(schemas)),
        mandatory.LEVELS,
        mandatory.SCHEMAS,
        metrics,
        now_s,
    )
    for cache in (levels, schemas):
        cache.listeners.append(lambda _: controller.note_change())
    stats = Stats(resources)
    check = FlowControlFilter(controller, stats, requests)
    return Overload(check, [FlowDumps(controller.levels)], [controller])


def _load(cache: ResourceCache) -> Iterable[dict[str, Any]]:
    return [_read(entry.data) for entry in cache.state.all()]


@lru_cache(_READ_MAX)
def _read(data: bytes) -> dict[str, Any]:
    """To be looked at only. Those that every server has are the same in all logical clusters."""
    obj: dict[str, Any] = json_codec.load(data)
    return obj


class Stats:
    """How many objects of a resource there are, and how large they are: the size of a few, looked at when their number
    has changed by a fifth."""

    def __init__(self, resources: ServedResources) -> None:
        self._resources = resources
        self._sizes: dict[tuple[str, str], tuple[int, int]] = {}

    def __call__(self, group: str, version: str, resource: str) -> tuple[int, int] | None:
        scopes = self._resources.find(group, version, resource)
        if scopes is None:
            return None
        state = scopes[""].store.cache.state
        count = len(state)
        known = self._sizes.get((group, resource))
        if known is None or abs(known[0] - count) * 5 > known[0]:
            if len(self._sizes) >= _RESOURCES_MAX:
                self._sizes.clear()
            found = state.sample(_SAMPLE)
            size = sum(len(entry.data) for entry in found) // max(len(found), 1)
            known = self._sizes[group, resource] = (count, size)
        return count, known[1]
