"""Tells in the status of flow schemas whether there is the level that they name.

Source: apiserver/pkg/util/flowcontrol/apf_controller.go (syncFlowSchemaStatus).
"""

from __future__ import annotations

from contextlib import suppress

from quarterdeck.apimachinery import errors
from quarterdeck.apimachinery.codec import json as json_codec
from quarterdeck.controllers import ownwrites
from quarterdeck.controllers.workqueue import Clock, Controller
from quarterdeck.registry.builtin.flowcontrol.schemas import TELLER, condition_of_level, is_told, level_of
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
        for schema in self._schemas.store.cache.state.all():  # which may have come before
            self.controller.add(schema.name)

    def _on_schema(self, change: Change) -> None:
        if change.entry is not None:
            self.controller.add(change.entry.name)

    def _on_level(self, change: Change) -> None:
        if change.old is not None and change.entry is not None:
            return
        entry = change.entry or change.old
        assert entry is not None
        needle = f'"{entry.name}"'.encode()
        for schema in self._schemas.store.cache.state.all():
            if needle in schema.data:
                self.controller.add(schema.name)

    async def sync(self, name: str) -> None:
        entry = self._schemas.store.cache.get("", name)
        if entry is None:
            return
        schema: Object = json_codec.load(entry.data)
        exists = self._levels.store.cache.get("", level_of(schema)) is not None
        condition = condition_of_level(level_of(schema), exists=exists)
        if is_told(schema.get("status") or {}, condition):
            return
        with suppress(errors.NotFound):
            members = {"status": {"conditions": [condition]}}
            await ownwrites.apply(self.identity, self._schemas, name, members, TELLER)
