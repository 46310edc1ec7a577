"""Follows flow schemas and priority levels, and lends seats from level to level.

A change is in force at the next request, or a moment later (`_SETTLE_S`) where there are many objects. Levels that
nobody wants any more stay until their last request is answered. What every server has (exempt, catch-all) is there
without an object.

Source: apiserver/pkg/util/flowcontrol/apf_controller.go (cfgMeal, updateBorrowingLocked).
"""

from __future__ import annotations

import asyncio
import logging
import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from quarterdeck.flowcontrol.allocation import Class, allocate
from quarterdeck.flowcontrol.classifier import Classifier, Schema, Unsettled, read_rules
from quarterdeck.flowcontrol.counts import SchemaCounts
from quarterdeck.flowcontrol.demand import Demand
from quarterdeck.flowcontrol.flows import Level, LevelSpec, Named
from quarterdeck.flowcontrol.kinds import Kinds
from quarterdeck.flowcontrol.meters import Meters
from quarterdeck.flowcontrol.queueset import QueueSet
from quarterdeck.metrics.registry import Registry

_LOG: Final = logging.getLogger(__name__)
_PERIOD_S: Final = 10.0
_SETTLE_S: Final = 0.02  # changes that come together are digested together
_AT_ONCE_MAX: Final = 64  # objects that are digested in well under a millisecond
_SEATS_SHARE: Final = 0.15  # of a level, for one request
_EXEMPT: Final = "exempt"
_CATCH_ALL: Final = "catch-all"

Object = dict[str, Any]
Specs = Mapping[str, Object]


class FlowController:
    """`seats`: of the whole server. `load` gives the priority levels and flow schemas that are stored; `levels` and
    `schemas` are the specs of those that every server has."""

    def __init__(
        self,
        seats: int,
        load: Callable[[], tuple[Iterable[Object], Iterable[Object]]],
        levels: Specs,
        schemas: Specs,
        registry: Registry,
        clock: Callable[[], float],
    ) -> None:
        self._seats = seats
        self._load = load
        self._own_levels = {name: read_level(name, "", spec) for name, spec in levels.items()}
        self._own_schemas = schemas
        self._clock = clock
        self._loop = asyncio.get_running_loop()
        self._settling: asyncio.TimerHandle | None = None
        self._adjusting: asyncio.TimerHandle | None = None
        self._fair_fraction = 0.0
        self.levels: dict[str, Level] = {}
        self._meters = Meters(registry, lambda: self.levels, lambda: self._fair_fraction)
        self._kinds = Kinds(self._meters.usage_of_kinds(clock()), clock)
        registry.preparations.append(self._kinds.note)
        self._has_few = False
        self.classifier = self._settled = Classifier((), self._counts_of)
        self.digest()

    def start(self) -> None:
        self._adjusting = self._loop.call_later(_PERIOD_S, self._adjust_again)

    async def stop(self) -> None:
        """Nothing is adjusted any more; those who wait still get their turn."""
        for timer in (self._adjusting, self._settling):
            if timer is not None:
                timer.cancel()

    def note_change(self) -> None:
        if self._settling is None:
            self._settling = self._loop.call_later(_SETTLE_S, self.digest)
            if self._has_few:
                # Whoever has seen what is stored is served by it.
                self.classifier = Unsettled(self._settle, self._counts_of)

    def _settle(self) -> Classifier:
        self.classifier = self._settled  # which stays, should what is stored be of no use
        self.digest()
        return self.classifier

    def digest(self) -> None:
        """Put what is stored in force."""
        if self._settling is not None:
            self._settling.cancel()
            self._settling = None
        stored_levels, stored_schemas = self._load()
        specs = dict(self._own_levels)
        for obj in stored_levels:
            spec = read_level(obj["metadata"]["name"], obj["metadata"].get("uid", ""), obj["spec"])
            if spec is None or spec.is_exempt != (spec.name == _EXEMPT):
                _LOG.warning("the priority level %s is of no use: its spec is broken", obj["metadata"]["name"])
                continue
            specs[spec.name] = spec
        wanted = {name: spec for name, spec in specs.items() if spec is not None}
        self._take_levels(wanted)
        schemas = self._read_schemas(stored_schemas, wanted)
        self.classifier = self._settled = Classifier(schemas, self._counts_of)
        self._has_few = len(specs) + len(schemas) <= _AT_ONCE_MAX
        self._meters.keep((schema.level.spec.name, schema.named.name) for schema in schemas)

    def adjust(self) -> None:
        """Lend seats that are not wanted to levels that want more."""
        now_s = self._clock()
        total = left = sum(level.nominal for level in self.levels.values())
        limited: list[tuple[Level, int]] = []
        for level in self.levels.values():
            demand = level.demand
            demand.look(now_s)
            if level.spec.is_exempt:
                limit = max(level.lower, demand.high)
                level.target = float(limit)
                level.queues.set_limit(limit)
                left -= limit
                continue
            least = max(level.lower, min(level.nominal, demand.high))
            level.target = max(float(least), demand.smoothed)
            limited.append((level, least))
        for (level, _), limit in zip(limited, self._share(total, left, limited), strict=True):
            level.queues.set_limit(limit)

    def _share(self, total: int, left: int, limited: list[tuple[Level, int]]) -> list[int]:
        """The limits of those levels."""
        lowest = sum(level.lower for level, _ in limited)
        least = sum(each for _, each in limited)
        self._fair_fraction = 0.0
        if left <= lowest:
            return [level.lower for level, _ in limited]
        if left <= least:
            share = (left - lowest) / (least - lowest)
            return [level.lower + _round((each - level.lower) * share) for level, each in limited]
        classes = [Class(level.target, float(each), float(level.upper)) for level, each in limited]
        try:
            found = allocate(total, classes)
        except ValueError as error:
            _LOG.warning("seats stay as they are: %s", error)
            return [level.queues.limit for level, _ in limited]
        self._fair_fraction = found.fraction
        return [_round(seats) for seats in found.seats]

    def _adjust_again(self) -> None:
        self.start()
        if any(level.is_leaving and level.queues.is_idle for level in self.levels.values()):
            self.digest()
        else:
            self.adjust()

    def _take_levels(self, wanted: Mapping[str, LevelSpec]) -> None:
        for name, level in list(self.levels.items()):
            level.is_leaving = name not in wanted
            if level.is_leaving and level.queues.is_idle:
                del self.levels[name]
                self._meters.forget(name)
        new = [name for name in wanted if name not in self.levels]
        for name, spec in wanted.items():
            level = self.levels.get(name) or self._build(spec)
            level.spec = spec
            level.queues.configure(spec.queues, spec.hand_size, spec.queue_length_max)
            self.levels[name] = level
        shares = sum(level.spec.shares for level in self.levels.values()) or 1
        for name, level in self.levels.items():
            self._set_bounds(level, shares, is_new=name in new)
        specs = [level.spec for level in self.levels.values()]
        places = sum(spec.queues * spec.queue_length_max for spec in specs)
        self._kinds.bound(sum(level.nominal for level in self.levels.values()), places)
        self.adjust()

    def _build(self, spec: LevelSpec) -> Level:
        now_s = self._clock()
        demand = Demand(now_s)
        usage = self._meters.usage_of(spec.name, now_s)
        idle_bound = max(1, _round(self._seats / 10))
        queues = QueueSet(
            self._loop, self._clock, demand, usage, self._kinds, is_exempt=spec.is_exempt, idle_bound=idle_bound
        )
        return Level(spec, queues, demand)

    def _set_bounds(self, level: Level, shares: int, *, is_new: bool) -> None:
        spec = level.spec
        nominal = math.ceil(self._seats * spec.shares / shares)
        lent = _round(nominal * spec.lendable_percent / 100)
        borrowed = self._seats if spec.borrowing_percent is None else _round(nominal * spec.borrowing_percent / 100)
        level.nominal, level.lower, level.upper = nominal, nominal - lent, nominal + borrowed
        if spec.queues:
            level.seats_max = max(1, min(math.ceil(nominal * _SEATS_SHARE), nominal // spec.hand_size))
        if is_new:
            level.queues.set_limit(nominal - lent // 2)

    def _read_schemas(self, stored: Iterable[Object], wanted: Mapping[str, LevelSpec]) -> list[Schema]:
        """In the order in which they are asked: those of every server that are not stored come first and last."""
        found: list[tuple[int, str, Schema]] = []
        for obj in stored:
            metadata, spec = obj["metadata"], obj["spec"]
            if spec["priorityLevelConfiguration"].get("name", "") in wanted:
                schema = self._build_schema(Named(metadata["name"], metadata.get("uid", "")), spec)
                found.append((spec.get("matchingPrecedence") or 0, metadata["name"], schema))
        names = {name for _, name, _ in found}
        schemas = [schema for _, _, schema in sorted(found, key=lambda each: each[:2])]
        if _EXEMPT not in names:
            schemas.insert(0, self._build_schema(Named(_EXEMPT, ""), self._own_schemas[_EXEMPT]))
        if _CATCH_ALL not in names:
            schemas.append(self._build_schema(Named(_CATCH_ALL, ""), self._own_schemas[_CATCH_ALL]))
        return schemas

    def _build_schema(self, named: Named, spec: Object) -> Schema:
        method = (spec.get("distinguisherMethod") or {}).get("type", "")
        level = self.levels[spec["priorityLevelConfiguration"]["name"]]
        return Schema(named, level, method, read_rules(spec))

    def _counts_of(self, schema: Schema) -> SchemaCounts:
        return self._meters.counts_of(schema.level.spec.name, schema.named.name)


def read_level(name: str, uid: str, spec: Object) -> LevelSpec | None:
    """None: the spec says nothing that makes sense."""
    exempt, limited = spec.get("exempt"), spec.get("limited")
    if (spec.get("type") == "Exempt") != (exempt is not None) or (spec.get("type") == "Limited") != (
        limited is not None
    ):
        return None
    if exempt is not None:
        shares, lendable = exempt.get("nominalConcurrencyShares") or 0, exempt.get("lendablePercent") or 0
        return LevelSpec(name, uid, is_exempt=True, shares=shares, lendable_percent=lendable)
    if limited is None:
        return None
    given = limited.get("nominalConcurrencyShares")
    response = limited.get("limitResponse") or {}
    queuing = response.get("queuing")
    if (response.get("type") == "Reject") != (queuing is None):
        return None
    queuing = queuing or {}
    return LevelSpec(
        name,
        uid,
        shares=30 if given is None else given,
        lendable_percent=limited.get("lendablePercent") or 0,
        borrowing_percent=limited.get("borrowingLimitPercent"),
        queues=queuing.get("queues") or 0,
        hand_size=queuing.get("handSize") or 0,
        queue_length_max=queuing.get("queueLengthLimit") or 0,
    )


def _round(value: float) -> int:
    """Halves up, as Go rounds what is not negative."""
    return math.floor(value + 0.5)
