"""Tells in the status of flow schemas when the level that they name comes, or goes.

Source: apiserver/pkg/util/flowcontrol/apf_controller.go (syncFlowSchemaStatus).
"""

from __future__ import annotations

from quarterdeck.apimachinery import errors
from quarterdeck.controllers import ownwrites
from quarterdeck.controllers.workqueue import Clock, Controller
from quarterdeck.registry.builtin.flowcontrol.schemas import TELLER, level_of, tell_of_level
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
        try:
            await ownwrites.update(self.identity, self._schemas, "", name, self._tell, TELLER)
        except errors.NotFound:
            return

    def _tell(self, schema: Object) -> Object:
        exists = self._levels.store.cache.get("", level_of(schema)) is not None
        status = tell_of_level(schema.get("status") or {}, level_of(schema), exists=exists)
        return schema if status is schema.get("status") else {**schema, "status": status}
