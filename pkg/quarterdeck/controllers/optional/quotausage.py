"""What the objects of one namespace use of one quota, counted once and kept up to date by the objects that change.

Source: apiserver/pkg/quota/v1/resources.go (CalculateUsage), generic/evaluator.go (CalculateUsageStats).
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from itertools import islice
from typing import Final, NamedTuple

from quarterdeck.admission.plugins.quota import scopes
from quarterdeck.admission.plugins.quota.evaluators import Evaluator
from quarterdeck.apimachinery import errors, quantity
from quarterdeck.apimachinery.quantity import Quantity
from quarterdeck.controllers.optional.context import read
from quarterdeck.registry.strategy import Object
from quarterdeck.storage.cacher import Entry, ResourceCache

Resource = tuple[str, str]  # (group, name)
STEP_OBJECTS: Final = 100  # read at a time, while others wait
_ZERO: Final = quantity.parse("0")


class Counted(NamedTuple):
    """A resource that the quota is about. `names` are those of the quota's limits that it can say something of."""

    cache: ResourceCache
    evaluator: Evaluator
    names: frozenset[str]


class QuotaUsage:
    """`dirty` holds what has changed since it was read: no more than the namespace has objects, and those that went."""

    def __init__(self, quota: Object, counted: Mapping[Resource, Counted]) -> None:
        self.uid: str = quota["metadata"]["uid"]
        self.dirty: dict[tuple[Resource, str], None] = {}
        self.counted = counted
        self.is_stale = True  # it was made, or something was given back, and the quota has not been told
        self._namespace: str = quota["metadata"]["namespace"]
        self._selectors = scopes.of_quota(quota)
        self._used: dict[tuple[Resource, str], dict[str, Quantity]] = {}
        self._total = {name: _ZERO for each in counted.values() for name in each.names}

    async def count(self) -> None:
        """All objects. What changes meanwhile is dirty."""
        for resource, counted in self.counted.items():
            names = [entry.name for entry in counted.cache.state.range(f"{self._namespace}/")]
            self.dirty.update(dict.fromkeys((resource, name) for name in names))
        await self.catch_up()

    async def catch_up(self) -> None:
        """Read what is dirty, in steps."""
        while self.dirty:
            self._read_some()
            if self.dirty:
                await asyncio.sleep(0)

    def catch_up_now(self) -> None:
        """Read the little that has become dirty since."""
        while self.dirty:
            self._read_some()

    def _read_some(self) -> None:
        for key in list(islice(self.dirty, STEP_OBJECTS)):
            del self.dirty[key]
            self._take(key)

    def _take(self, key: tuple[Resource, str]) -> None:
        resource, name = key
        counted = self.counted[resource]
        before = self._used.pop(key, {})
        after = self._use_of(counted, counted.cache.get(self._namespace, name))
        if after:
            self._used[key] = after
        for each in before.keys() | after.keys():
            old, new = before.get(each, _ZERO), after.get(each, _ZERO)
            if new < old:
                self.is_stale = True
            self._total[each] = self._total[each].sub(old).add(new)

    def _use_of(self, counted: Counted, entry: Entry | None) -> dict[str, Quantity]:
        if entry is None:
            return {}
        obj, evaluator = read(entry), counted.evaluator
        try:
            if not all(evaluator.matches(selector, obj) for selector in self._selectors):
                return {}
        except errors.Unreasoned:  # a scope that cannot be told has nothing in it
            return {}
        return {name: amount for name, amount in evaluator.usage(obj).items() if name in counted.names}

    def total(self) -> dict[str, str]:
        """By the names of limits."""
        return {name: str(amount) for name, amount in self._total.items()}


def find_names(evaluator: Evaluator, limits: Iterable[str]) -> frozenset[str]:
    return frozenset(evaluator.limited(limits))
