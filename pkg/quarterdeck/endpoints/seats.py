"""Seats of priority and fairness that a request holds because it takes its time (docs/adr/0100).

A read that waits for the store's revision alone costs this server nothing meanwhile, and nearly all such waits are over
within a millisecond: it counts as answered at once. One that lasts, since etcd is slow or away, holds its seats.
"""

from __future__ import annotations

import asyncio
from typing import Final

from quarterdeck._kernels.metrics import now_s
from quarterdeck.endpoints.context import RequestContext

LATE_S: Final = 0.05


def take_seats(request: RequestContext) -> None:
    """Until it is answered. Those that it has already are enough."""
    lane = request.lane
    if lane is not None and request.release is None:
        request.release = lane.begin(request.work, request, request.received_s)


class LateSeats:
    """Gives seats to requests that are still here `late_s` after they came, or up to as much later: one timer looks
    after all. Whoever adds a request discards it."""

    __slots__ = ("_late_s", "_requests", "_timer")

    def __init__(self, late_s: float = LATE_S) -> None:
        self._late_s = late_s
        self._requests: set[RequestContext] = set()
        self._timer: asyncio.TimerHandle | None = None

    def add(self, request: RequestContext) -> None:
        self._requests.add(request)
        if self._timer is None:
            self._look_later()

    def discard(self, request: RequestContext) -> None:
        self._requests.discard(request)

    def _look_later(self) -> None:
        self._timer = asyncio.get_running_loop().call_later(self._late_s, self._look)

    def _look(self) -> None:
        self._timer = None
        came_s = now_s() - self._late_s
        for request in [each for each in self._requests if each.received_s <= came_s]:
            self._requests.discard(request)
            take_seats(request)
        if self._requests:
            self._look_later()
