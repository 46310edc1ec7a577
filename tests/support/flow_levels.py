"""Levels and flows for the tests of flow control."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from quarterdeck.flowcontrol.counts import SchemaCounts
from quarterdeck.flowcontrol.dealer import hash_flow
from quarterdeck.flowcontrol.demand import Demand
from quarterdeck.flowcontrol.flows import Flow, Level, LevelSpec, Named
from quarterdeck.flowcontrol.kinds import Kinds
from quarterdeck.flowcontrol.meters import Meters
from quarterdeck.flowcontrol.queueset import QueueSet
from quarterdeck.metrics.registry import Registry


def build_level(
    limit: int, queues: int = 0, hand_size: int = 0, length_max: int = 0, clock: Callable[[], float] | None = None
) -> Level:
    loop = asyncio.get_running_loop()
    clock = clock or loop.time
    demand = Demand(clock())
    meters = Meters(Registry(), dict, lambda: 0.0)
    kinds = Kinds(meters.usage_of_kinds(clock()), clock)
    queue_set = QueueSet(loop, clock, demand, meters.usage_of("level", clock()), kinds)
    queue_set.configure(queues, hand_size, length_max)
    queue_set.set_limit(limit)
    return Level(
        LevelSpec("level", "uid", queues=queues, hand_size=hand_size, queue_length_max=length_max), queue_set, demand
    )


def build_counts() -> SchemaCounts:
    return Meters(Registry(), dict, lambda: 0.0).counts_of("level", "schema")


def build_flow(level: Level, name: str) -> Flow:
    return Flow(Named("schema", "uid"), level, build_counts(), name, hash_flow("schema", name))
