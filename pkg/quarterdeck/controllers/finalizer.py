"""Deletes the objects of a definition that is being deleted, then lets the definition go.

Source: apiextensions-apiserver/pkg/controller/finalizer/crd_finalizer.go.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from quarterdeck.apiextensions import conditions
from quarterdeck.apiextensions.served import ServedDefinition
from quarterdeck.apiextensions.strategy import CLEANUP_FINALIZER
from quarterdeck.apimachinery import errors
from quarterdeck.controllers.definitions import Definition, Definitions
from quarterdeck.controllers.workqueue import Controller
from quarterdeck.registry.deletion import Options
from quarterdeck.registry.store import WriteContext

# How often the remaining objects (held by finalizers) are looked at; a deletion of the last one comes sooner by event.
RECHECK_S: Final = 5.0


class FinalizerController:
    """`served_of(definition)` finds the resource through which the objects are deleted; None where never served."""

    def __init__(self, definitions: Definitions, served_of: Callable[[Definition], ServedDefinition | None]) -> None:
        self._definitions = definitions
        self._served_of = served_of
        self.controller = Controller("finalizer", self.sync)

    async def sync(self, name: str) -> None:
        definition = self._definitions.get(name)
        if definition is None or not _is_waiting(definition):
            return
        if not conditions.is_true(definition, conditions.ESTABLISHED):
            await self._finish(name, "NeverEstablished", "resource was never established")
            return
        await self._set_terminating(name, "InstanceDeletionInProgress", "CustomResource deletion is in progress")
        served = self._served_of(definition)
        if served is not None and await delete_all(served):
            self.controller.add_after(name, RECHECK_S)
            return
        await self._finish(name, "InstanceDeletionCompleted", "removed all instances")

    async def _set_terminating(self, name: str, reason: str, message: str) -> None:
        def change(live: Definition) -> Definition | None:
            condition = conditions.build(conditions.TERMINATING, "True", reason, message)
            changed = conditions.with_condition(live["status"].get("conditions"), condition)
            return {**live, "status": {**live["status"], "conditions": changed}}

        await self._definitions.update_status(name, change)

    async def _finish(self, name: str, reason: str, message: str) -> None:
        def change(live: Definition) -> Definition | None:
            condition = conditions.build(conditions.TERMINATING, "False", reason, message)
            changed = conditions.with_condition(live["status"].get("conditions"), condition)
            metadata = dict(live["metadata"])
            metadata["finalizers"] = [held for held in metadata.get("finalizers") or [] if held != CLEANUP_FINALIZER]
            if not metadata["finalizers"]:
                del metadata["finalizers"]
            return {**live, "metadata": metadata, "status": {**live["status"], "conditions": changed}}

        await self._definitions.update_status(name, change)


def _is_waiting(definition: Definition) -> bool:
    metadata = definition["metadata"]
    return bool(metadata.get("deletionTimestamp")) and CLEANUP_FINALIZER in (metadata.get("finalizers") or ())


async def delete_all(served: ServedDefinition) -> int:
    """Delete every object; how many are left, waiting for finalizers of their own."""
    scope = served.storage_scope
    context = WriteContext(dry_run=False, warnings=[])
    for entry in list(served.store.cache.state.all()):
        try:
            await served.store.delete(scope, entry.namespace, entry.name, Options(), context)
        except errors.NotFound:
            continue
    return len(served.store.cache.state)
