"""Tells in the status of flow schemas when the level that they name comes, or goes, and when a client has written
something else there.

Source: apiserver/pkg/util/flowcontrol/apf_controller.go (syncFlowSchemaStatus).
"""

from __future__ import annotations

from contextlib import suppress

from quarterdeck.apimachinery import errors
from quarterdeck.apimachinery.codec import json as json_codec
from quarterdeck.controllers import ownwrites
from quarterdeck.controllers.workqueue import Clock, Controller
from quarterdeck.registry.builtin.flowcontrol.schemas import DANGLING, TELLER, level_of, tell_of_level
from quarterdeck.registry.identity import UNADMITTED
from quarterdeck.registry.scope import Scope
from quarterdeck.registry.strategy import Object
from quarterdeck.storage.cacher import Change


class MissingLevelController:
    """`schemas` is the scope of the status of flow schemas."""

    def __init__(self, schemas: Scope, levels: Scope, clock: Clock | None = None) -> None:
        self.identity = UNADMITTED
        self._schemas = schemas
        self._levels = levels
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
        if change.entry is not None and self._wanted(json_codec.load(change.entry.data)):
            self.controller.add(change.entry.name)

    async def sync(self, name: str) -> None:
        entry = self._schemas.store.cache.get("", name)
        condition = self._wanted(json_codec.load(entry.data)) if entry is not None else None
        if condition is not None:
            fields = {"status": {"conditions": [condition]}}
            with suppress(errors.NotFound):
                await ownwrites.apply(self.identity, self._schemas, "", name, fields, TELLER)

    def _wanted(self, schema: Object) -> Object | None:
        """The condition that the schema does not have yet."""
        status, exists = schema.get("status") or {}, self._levels.store.cache.get("", level_of(schema)) is not None
        told = tell_of_level(status, level_of(schema), exists=exists)
        if told is status:
            return None
        condition: Object = next(each for each in told["conditions"] if each.get("type") == DANGLING)
        return condition
