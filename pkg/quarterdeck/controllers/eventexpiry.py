"""Deletes events an hour after they were last written: what etcd does by leases, for a virtual clock.

Source: pkg/registry/core/event/storage (its TTL), kube-apiserver's --event-ttl.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Final

from quarterdeck.apimachinery import errors
from quarterdeck.controllers.workqueue import Clock, Controller
from quarterdeck.registry.deletion import Options
from quarterdeck.registry.identity import UNADMITTED
from quarterdeck.registry.scope import Scope
from quarterdeck.storage.cacher import Change

TTL_S: Final = 3600.0


class EventExpiryController:
    """`events` is the scope of events; those that were there at the start count as written then."""

    def __init__(self, events: Scope, clock: Clock) -> None:
        self._events = events
        self._clock = clock
        self._written_s: dict[str, float] = {}
        self.controller = Controller("event-ttl", self.sync, clock=clock)

    def take_up(self) -> None:
        cache = self._events.store.cache
        for entry in cache.state.all():
            self._note(entry.path)
        cache.listeners.append(self._on_change)

    def _on_change(self, change: Change) -> None:
        if change.entry is not None:
            self._note(change.entry.path)
        elif change.old is not None:
            self._written_s.pop(change.old.path, None)

    def _note(self, path: str) -> None:
        self._written_s[path] = self._clock.now_s()
        self.controller.add_after(path, TTL_S)

    async def sync(self, path: str) -> None:
        written_s = self._written_s.get(path)
        if written_s is None:
            return
        left_s = written_s + TTL_S - self._clock.now_s()
        if left_s > 0:
            self.controller.add_after(path, left_s)
            return
        namespace, _, name = path.partition("/")
        with suppress(errors.NotFound):
            # As a lease would: nobody is asked.
            await UNADMITTED.delete(self._events, namespace, name, Options())
