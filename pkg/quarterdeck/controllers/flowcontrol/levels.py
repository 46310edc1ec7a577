"""Tells in the status of flow schemas when the level that they name comes, or goes, and when a client has written
something else there. Whoever tells otherwise again and again is answered a few times a minute.

Source: apiserver/pkg/util/flowcontrol/apf_controller.go (syncFlowSchemaStatus, shouldDelayUpdate).
"""

from __future__ import annotations

from collections import deque
from contextlib import suppress
from typing import Final

from quarterdeck.apimachinery import errors
from quarterdeck.apimachinery.codec import json as json_codec
from quarterdeck.controllers import ownwrites
from quarterdeck.controllers.workqueue import Clock, Controller, LoopClock
from quarterdeck.registry.builtin.flowcontrol.schemas import DANGLING, TELLER, level_of, tell_of_level
from quarterdeck.registry.identity import UNADMITTED
from quarterdeck.registry.scope import Scope
from quarterdeck.registry.strategy import Object
from quarterdeck.storage.cacher import Change

WRITES_MAX: Final = 6
"""Of one schema, in PERIOD_S."""
PERIOD_S: Final = 60.0


class MissingLevelController:
    """`schemas` is the scope of the status of flow schemas."""

    def __init__(self, schemas: Scope, levels: Scope, clock: Clock | None = None) -> None:
        self.identity = UNADMITTED
        self._schemas = schemas
        self._levels = levels
        self._clock = clock or LoopClock()
        self._written_s: dict[str, deque[float]] = {}  # schema: when it was told of late
        self.controller = Controller("missing-priority-level", self.sync, clock=clock)

    def take_up(self) -> None:
        self._levels.store.cache.listeners.append(self._on_level)
        self._schemas.store.cache.listeners.append(self._on_schema)

    def _on_level(self, change: Change) -> None:
        if change.old is not None and change.entry is not None:
            return
        entry = change.entry or change.old
        assert entry is not None
        needle = f'"{entry.name}"'.encode()
        for schema in self._schemas.store.cache.state.all():
            if needle in schema.data:
                self.controller.add(schema.name)

    def _on_schema(self, change: Change) -> None:
        if change.entry is None:
            assert change.old is not None
            self._written_s.pop(change.old.name, None)
        elif self._wanted(json_codec.load(change.entry.data)):
            self.controller.add(change.entry.name)

    async def sync(self, name: str) -> None:
        entry = self._schemas.store.cache.get("", name)
        if entry is None:
            self._written_s.pop(name, None)
            return
        condition = self._wanted(json_codec.load(entry.data))
        if condition is None:
            return
        now_s, written_s = self._clock.now_s(), self._written_s.setdefault(name, deque(maxlen=WRITES_MAX))
        if len(written_s) == WRITES_MAX and now_s < written_s[0] + PERIOD_S:
            self.controller.add_after(name, written_s[0] + PERIOD_S - now_s)
            return
        written_s.append(now_s)
        with suppress(errors.NotFound):
            await ownwrites.apply(
                self.identity, self._schemas, "", name, {"status": {"conditions": [condition]}}, TELLER
            )

    def _wanted(self, schema: Object) -> Object | None:
        """The condition that the schema does not have yet."""
        status, exists = schema.get("status") or {}, self._levels.store.cache.get("", level_of(schema)) is not None
        told = tell_of_level(status, level_of(schema), exists=exists)
        if told is status:
            return None
        condition: Object = next(each for each in told["conditions"] if each.get("type") == DANGLING)
        return condition
