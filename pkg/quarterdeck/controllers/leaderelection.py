"""Which of several servers runs kube-controller-manager's controllers: the holder of a Lease that everybody can see.

    candidate --- the lease is free, was given up, or has not been renewed for its duration ---> leader
    leader    --- not renewed for RENEW_DEADLINE, or another holds it ---> candidate

Name, members and durations are those of kube-controller-manager, so that it may be a candidate too. How old a lease is
nobody reads from its times, since clocks differ: its duration counts from when this server saw it change.

A candidate hears of the lease by the watch cache. So it knows at once when it is given up, and acts when it runs out
rather than at the next of its attempts.

Source: client-go/tools/leaderelection/leaderelection.go, resourcelock/leaselock.go; kube-controller-manager's options.
"""

from __future__ import annotations

import asyncio
import logging
import socket
import uuid
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final

from quarterdeck.apimachinery import errors
from quarterdeck.apimachinery.codec import json as json_codec
from quarterdeck.apimachinery.time import format_micro
from quarterdeck.controllers import ownwrites
from quarterdeck.controllers.optional.context import MANAGER
from quarterdeck.controllers.workqueue import Clock, LoopClock
from quarterdeck.registry.identity import UNADMITTED
from quarterdeck.registry.scope import Scope
from quarterdeck.registry.strategy import Object
from quarterdeck.storage.cacher import Change

NAMESPACE: Final = "kube-system"
NAME: Final = "kube-controller-manager"
_RELEASE_S: Final = 2.0
_LOG: Final = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Settings:
    """A leader that could not renew for `renew_deadline_s` stops; it tries each `retry_period_s`. Others take over when
    they saw no change for `lease_duration_s`, whole seconds."""

    lease_duration_s: int = 15
    renew_deadline_s: float = 10.0
    retry_period_s: float = 2.0


class _Held(Exception):
    """Another server leads."""


class LeaderElection:
    """`begin` is called when this server leads, `end` is awaited when it does not any more."""

    def __init__(
        self,
        leases: Scope,
        settings: Settings,
        begin: Callable[[], None],
        end: Callable[[], Awaitable[None]],
        clock: Clock | None = None,
    ) -> None:
        self.identity = UNADMITTED
        self.holder = f"{socket.gethostname()}_{uuid.uuid4()}"
        self.is_leading = False
        self._leases = leases
        self._settings = settings
        self._begin = begin
        self._end = end
        self._clock: Clock = clock or LoopClock()
        self._seen: dict[str, Any] = {}
        self._seen_s = 0.0
        self._changed = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        self._leases.store.cache.listeners.append(self._on_change)
        self._task = asyncio.get_running_loop().create_task(self._run(), name="leader election")

    async def stop(self) -> None:
        """End, and let others lead at once."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task])
        if self.is_leading:
            await self._step_down()
            try:
                async with asyncio.timeout(_RELEASE_S):
                    await ownwrites.update(self.identity, self._leases, NAMESPACE, NAME, self._release, MANAGER)
            except (errors.APIStatus, TimeoutError) as error:
                _LOG.warning("the lease %s/%s was not given up: %s", NAMESPACE, NAME, error)

    # - the two states

    async def _run(self) -> None:
        while True:
            if not await self._try():
                with suppress(TimeoutError):  # not wait_for: Python 3.11's may lose that the task is cancelled
                    async with asyncio.timeout(self._wait_s()):
                        await self._changed.wait()
                self._changed.clear()
                continue
            _LOG.info("this server leads: it runs the controllers from now on")
            self.is_leading = True
            self._begin()
            await self._keep()
            _LOG.warning("this server does not lead any more")
            await self._step_down()

    async def _keep(self) -> None:
        """Until the lease is lost."""
        now_s = asyncio.get_running_loop().time
        renewed_s = now_s()
        while True:
            await asyncio.sleep(self._settings.retry_period_s)
            try:
                async with asyncio.timeout_at(renewed_s + self._settings.renew_deadline_s):
                    while not await self._try():
                        if self._is_held_by_another():
                            return
                        await asyncio.sleep(self._settings.retry_period_s)
            except TimeoutError:
                return
            renewed_s = now_s()

    async def _step_down(self) -> None:
        self.is_leading = False
        await self._end()

    def _wait_s(self) -> float:
        """Until this server may try: a moment when nothing is known."""
        if not self._is_held_by_another():
            return self._settings.retry_period_s
        return max(0.01, self._seen_s + self._duration_s() - self._clock.now_s())

    # - the lease

    def _on_change(self, change: Change) -> None:
        entry = change.entry or change.old
        if entry is None or entry.namespace != NAMESPACE or entry.name != NAME:
            return
        self._observe(json_codec.load(entry.data) if change.entry is not None else {})
        self._changed.set()

    def _observe(self, lease: Object) -> None:
        spec = lease.get("spec") or {}
        if spec != self._seen or not self._seen_s:
            self._seen, self._seen_s = spec, self._clock.now_s()

    def _is_held_by_another(self) -> bool:
        return self._seen.get("holderIdentity", "") not in ("", self.holder)

    def _duration_s(self) -> float:
        return float(self._seen.get("leaseDurationSeconds") or 0)

    async def _try(self) -> bool:
        """Take the lease, or renew it."""
        try:
            if self._leases.store.cache.get(NAMESPACE, NAME) is None:
                await ownwrites.create(self.identity, self._leases, self._new(), MANAGER)
            else:
                await ownwrites.update(self.identity, self._leases, NAMESPACE, NAME, self._renew, MANAGER)
        except _Held:
            return False
        except errors.APIStatus as error:
            _LOG.info("the lease %s/%s was not taken: %s", NAMESPACE, NAME, error)
            return False
        return True

    def _new(self) -> Object:
        now = format_micro(self._clock.wall_s())
        spec = {
            "holderIdentity": self.holder,
            "leaseDurationSeconds": self._settings.lease_duration_s,
            "acquireTime": now,
            "renewTime": now,
            "leaseTransitions": 0,
        }
        metadata = {"name": NAME, "namespace": NAMESPACE}
        return {"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": metadata, "spec": spec}

    def _renew(self, lease: Object) -> Object:
        self._observe(lease)
        known = lease.get("spec") or {}
        is_over = self._seen_s + self._duration_s() <= self._clock.now_s()
        if self._is_held_by_another() and not is_over:
            raise _Held
        spec = self._new()["spec"]
        if known.get("holderIdentity") == self.holder:
            spec["acquireTime"] = known.get("acquireTime")
            spec["leaseTransitions"] = known.get("leaseTransitions") or 0
        else:
            spec["leaseTransitions"] = (known.get("leaseTransitions") or 0) + 1
        return {**lease, "spec": {**known, **spec}}

    def _release(self, lease: Object) -> Object:
        known = lease.get("spec") or {}
        if known.get("holderIdentity") != self.holder:
            return lease
        now = format_micro(self._clock.wall_s())
        freed = {"holderIdentity": "", "leaseDurationSeconds": 1, "acquireTime": now, "renewTime": now}
        return {**lease, "spec": {**known, **freed}}
