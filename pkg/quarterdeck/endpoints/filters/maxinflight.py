"""Bounds how many requests are under way at once, where priority and fairness are switched off.

What is answered at once never meets another request: those count that wait for something (a commit, a webhook) or whose
answer is still being sent.

Source: apiserver/pkg/server/filters/maxinflight.go (WithMaxInFlightLimit).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from quarterdeck.endpoints.context import RequestContext
from quarterdeck.endpoints.filters import overload
from quarterdeck.endpoints.longrunning import is_long_running
from quarterdeck.endpoints.metrics import RequestMetrics
from quarterdeck.endpoints.request_info import RequestInfo
from quarterdeck.flowcontrol.lane import Lane
from quarterdeck.flowcontrol.work import Work
from quarterdeck.transport.messages import Response

_RETRY_AFTER_S: Final = 1


class _Counted(Lane):
    """`limit` 0: none."""

    __slots__ = ("count", "limit")

    def __init__(self, limit: int) -> None:
        super().__init__([], None)
        self.limit = limit
        self.count = 0

    def begin(self, work: Work, details: object, arrived_s: float) -> Callable[[], None]:
        self.count += 1
        return self._end

    def _end(self) -> None:
        self.count -= 1


class MaxInFlightFilter:
    """Limits of reads and of writes; 0: none."""

    def __init__(self, reads_max: int, writes_max: int, metrics: RequestMetrics) -> None:
        self._reads = _Counted(reads_max)
        self._writes = _Counted(writes_max)
        self._metrics = metrics

    def __call__(self, request: RequestContext, info: RequestInfo) -> Response | None:
        if is_long_running(info):
            return None
        counted = self._reads if info.verb in overload.READS else self._writes
        if not counted.limit:
            return None
        if counted.count < counted.limit:
            request.lane = counted
        elif not request.user.is_master:
            return overload.refuse(self._metrics, request, _RETRY_AFTER_S)
        return None
