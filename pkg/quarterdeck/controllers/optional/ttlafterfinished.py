"""Deletes jobs some time after they have finished, where their spec says how long.

Source: pkg/controller/ttlafterfinished/ttlafterfinished_controller.go.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Final

from quarterdeck.apimachinery import errors, meta
from quarterdeck.apimachinery.time import parse_rfc3339
from quarterdeck.controllers.optional.context import ControllerContext, find, follow, split
from quarterdeck.controllers.workqueue import Controller
from quarterdeck.registry.deletion import Options
from quarterdeck.registry.strategy import Object
from quarterdeck.storage.cacher import Change, Entry

_FINISHED: Final = ("Complete", "Failed")
_MENTIONED: Final = b'"ttlSecondsAfterFinished"'


class TTLAfterFinishedController:
    def __init__(self, context: ControllerContext) -> None:
        self._jobs = context.scope("batch", "jobs")
        self._clock = context.time()
        self._identity = context.identity_of("ttl-after-finished-controller")
        self.controller = Controller("ttl_jobs_to_delete", self.sync, clock=context.clock)

    def take_up(self) -> None:
        for entry in self._jobs.store.cache.state.all():
            self._consider(entry)
        follow(self._jobs.store.cache, self._on_job)

    def _on_job(self, change: Change) -> None:
        if change.entry is not None:
            self._consider(change.entry)

    def _consider(self, entry: Entry) -> None:
        if _MENTIONED in entry.data:
            self.controller.add(entry.path)

    async def sync(self, path: str) -> None:
        namespace, name = split(path)
        job = find(self._jobs, namespace, name)
        if job is None or meta.deletion_timestamp(job):
            return
        expires_s = find_expiry_s(job)
        if expires_s is None:
            return
        remaining_s = expires_s - self._clock.wall_s()
        if remaining_s > 0:
            self.controller.add_after(path, remaining_s)
            return
        options = Options(propagation_policy="Foreground", precondition_uid=job["metadata"]["uid"])
        with suppress(errors.NotFound, errors.Conflict):
            await self._identity.delete(self._jobs, namespace, name, options)


def find_expiry_s(job: Object) -> float | None:
    """When a job is to go, in seconds since 1970; None where it has not finished or may stay."""
    ttl_s = job["spec"].get("ttlSecondsAfterFinished")
    if ttl_s is None:
        return None
    for condition in (job.get("status") or {}).get("conditions") or ():
        if condition.get("type") in _FINISHED and condition.get("status") == "True":
            finished = parse_rfc3339(condition.get("lastTransitionTime") or "")
            return None if finished is None else finished + ttl_s
    return None
