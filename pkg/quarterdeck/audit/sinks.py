"""All backends as one. Source: apiserver/pkg/audit/union.go."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Sequence
from typing import Protocol

from quarterdeck.audit.event import Event
from quarterdeck.audit.metrics import AuditMetrics


class Backend(Protocol):
    """`waits_first`: it is waited for before anything is done for a request."""

    @property
    def waits_first(self) -> bool: ...

    def process(self, event: Event, *, is_last: bool = True) -> Awaitable[bool] | None:
        """What it gives is to be awaited before the request goes on: whether the event was kept, as far as that matters
        in its mode. `is_last`: nothing comes behind it that would be awaited as well."""

    async def close(self) -> None:
        """Return when what it was given is delivered, or nobody waits for that any longer."""


class Backends:
    def __init__(self, backends: Sequence[Backend], metrics: AuditMetrics) -> None:
        self._backends = tuple(backends)
        self._events = metrics.events
        self.waits_first = any(backend.waits_first for backend in backends)

    def process(self, event: Event, *, is_last: bool = True) -> Awaitable[bool] | None:
        self._events.inc()
        if len(self._backends) == 1:
            return self._backends[0].process(event, is_last=is_last)
        found = [backend.process(event, is_last=is_last) for backend in self._backends]
        waits = [waiting for waiting in found if waiting is not None]
        return asyncio.ensure_future(_all_kept(waits)) if waits else None

    async def close(self) -> None:
        for backend in self._backends:
            await backend.close()


async def _all_kept(waits: list[Awaitable[bool]]) -> bool:
    return all([await waiting for waiting in waits])
