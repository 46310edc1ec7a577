"""Deletes the objects of a definition that is being deleted, then lets the definition go.

As long as an object is left, or may be left, the definition stays: its objects would be out of reach without it.
Source: apiextensions-apiserver/pkg/controller/finalizer/crd_finalizer.go.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from contextlib import suppress
from typing import Final, NoReturn

from quarterdeck.apiextensions import conditions
from quarterdeck.apiextensions.conditions import Condition
from quarterdeck.apiextensions.served import ServedDefinition
from quarterdeck.apiextensions.strategy import CLEANUP_FINALIZER
from quarterdeck.apimachinery import errors
from quarterdeck.apimachinery.concurrency import for_each
from quarterdeck.controllers.definitions import Definition, Definitions
from quarterdeck.controllers.workqueue import Clock, Controller, LoopClock
from quarterdeck.registry.deletion import Options
from quarterdeck.registry.showing import check_shown, find_refusal
from quarterdeck.registry.writes import WriteContext
from quarterdeck.storage.cacher import Change, EncodingError, Entry, ResourceCache, build_selection

# How often the objects that are left (held by finalizers) are deleted again, how long until the definition says that
# they are still there. The end of the last one wakes the controller at once; upstream looks every 5 s.
RECHECK_S: Final = 5.0
PATIENCE_S: Final = 60.0
# Between the report that a definition ends and its end: upstream takes 12 ms where there are objects, 115 where none.
PAUSE_S: Final = 0.012

_IN_PROGRESS: Final = ("InstanceDeletionInProgress", "CustomResource deletion is in progress")
_FAILED: Final = "InstanceDeletionFailed"
_OVERLAPPING: Final = ("OverlappingBuiltInResource", "instances overlap with built-in resources in storage")


class InstancesRemainError(Exception):
    """The definition cannot go yet; it comes again, later each time."""


class FinalizerController:
    """`served_of(definition)` finds the resource through which the objects are deleted; None where it cannot be
    served. `own`: group and name of each resource of the server's own, whose objects no definition takes along."""

    def __init__(
        self,
        definitions: Definitions,
        served_of: Callable[[Definition], ServedDefinition | None],
        clock: Clock | None = None,
        own: Collection[tuple[str, str]] = (),
    ) -> None:
        self._own = own
        self._definitions = definitions
        self._served_of = served_of
        self._clock = clock or LoopClock()
        self._waits: dict[str, _Wait] = {}
        self.controller = Controller("crd_finalizer", self.sync, clock=self._clock, pause_s=PAUSE_S)

    async def sync(self, name: str) -> None:
        definition = self._definitions.get(name)
        if definition is None or not _is_held(definition):
            self._forget(name)
            return
        if _reason_of(definition) not in (_FAILED, _IN_PROGRESS[0]):
            self.controller.rest(name)  # the report brings it again
            await self._report(definition, *_IN_PROGRESS)
            return
        if (definition["spec"]["group"], definition["spec"]["names"]["plural"]) in self._own:
            await self._finish(definition, *_OVERLAPPING)
        elif not conditions.is_true(definition, conditions.ESTABLISHED):
            await self._finish(definition, "NeverEstablished", "resource was never established")
        elif await self._delete_instances(definition):
            await self._finish(definition, "InstanceDeletionCompleted", "removed all instances")

    async def _delete_instances(self, definition: Definition) -> bool:
        """Whether all are gone. Raises where they cannot be deleted, or have not gone for a long time."""
        name = definition["metadata"]["name"]
        served = self._served_of(definition)
        if served is None:
            accepted = definition["status"]["acceptedNames"]["plural"]
            text = f"unable to find a custom resource client for {accepted}.{definition['spec']['group']}"
            await self._fail(definition, _FAILED, f"could not list instances: {text}")
        if (refusal := await find_refusal(served.storage_scope)) is not None:
            await self._fail(definition, _FAILED, f"could not list instances: {refusal.message}")
        try:
            await check_shown(served.storage_scope, served.store.cache.state.all())
        except EncodingError as error:
            await self._fail(definition, _FAILED, f"could not list instances: {error}")
        try:
            await delete_all(served)
        except errors.APIStatus as error:
            await self._fail(definition, _FAILED, f"could not issue all deletes: {error.message}")
        if not len(served.store.cache.state):
            self._forget(name)
            return True
        await self._wait(definition, served.store.cache)
        return False

    async def _wait(self, definition: Definition, cache: ResourceCache) -> None:
        name, now_s = definition["metadata"]["name"], self._clock.now_s()
        wait = self._waits.get(name)
        if wait is None or wait.cache is not cache:
            self._forget(name)
            wait = self._waits[name] = _Wait(cache, now_s, lambda: self.controller.add_paused(name))
        if now_s - wait.begin_s >= PATIENCE_S:
            wait.begin_s = now_s
            text = "could not confirm zero CustomResources remaining: context deadline exceeded"
            await self._fail(definition, "InstanceDeletionCheck", text)
        await self._report(definition, *_IN_PROGRESS)  # after a failure that has passed
        self.controller.add_after(name, RECHECK_S)

    def _forget(self, name: str) -> None:
        if (wait := self._waits.pop(name, None)) is not None:
            wait.end()

    async def _fail(self, definition: Definition, reason: str, message: str) -> NoReturn:
        await self._report(definition, reason, message)
        raise InstancesRemainError(message)

    async def _report(self, definition: Definition, reason: str, message: str) -> bool:
        """False: the definition has changed meanwhile."""
        wanted = conditions.build(conditions.TERMINATING, "True", reason, message)
        if conditions.says_the_same(conditions.find(definition, conditions.TERMINATING), wanted):
            return True
        return await self._definitions.set_conditions(definition, wanted)

    async def _finish(self, definition: Definition, reason: str, message: str) -> None:
        wanted: Condition = conditions.build(conditions.TERMINATING, "False", reason, message)

        def change(live: Definition) -> Definition:
            changed = conditions.with_condition(live["status"].get("conditions"), wanted)
            metadata = dict(live["metadata"])
            metadata["finalizers"] = [held for held in metadata.get("finalizers") or [] if held != CLEANUP_FINALIZER]
            if not metadata["finalizers"]:
                del metadata["finalizers"]
            return {**live, "metadata": metadata, "status": {**live["status"], "conditions": changed}}

        await self._definitions.update_status(definition, change)


class _Wait:
    """Wakes the controller when the last object of a resource is gone."""

    def __init__(self, cache: ResourceCache, begin_s: float, wake: Callable[[], None]) -> None:
        self.cache = cache
        self.begin_s = begin_s
        self._wake = wake
        cache.listeners.append(self._follow)

    def _follow(self, change: Change) -> None:
        if change.entry is None and not len(self.cache.state):
            self._wake()

    def end(self) -> None:
        with suppress(ValueError):
            self.cache.listeners.remove(self._follow)


def _is_held(definition: Definition) -> bool:
    metadata = definition["metadata"]
    return bool(metadata.get("deletionTimestamp")) and CLEANUP_FINALIZER in (metadata.get("finalizers") or ())


def _reason_of(definition: Definition) -> str:
    reason: str = (conditions.find(definition, conditions.TERMINATING) or {}).get("reason", "")
    return reason


async def delete_all(served: ServedDefinition) -> None:
    """Delete every object, or mark it where finalizers hold it. Raises the first failure after all that was begun."""
    scope = served.storage_scope
    context = WriteContext(dry_run=False, warnings=[])

    async def delete(entry: Entry) -> None:
        with suppress(errors.NotFound):
            await served.store.delete(scope, entry.namespace, entry.name, Options(), context)

    await for_each(served.store.cache.state.all(), delete, at_once=served.store.deletions_at_once)
    served.store.cache.check_readable(build_selection())
