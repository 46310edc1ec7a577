"""Who watches what, since when, and what they have still to get.

    GET /quarterdeck/v1/watches    the furthest behind first, at most 1,000 of them; `count` is how many there are

A watch is noted when it opens and forgotten when it ends; where it stands is looked at when somebody asks, a bounded
part of all watches in a turn of the event loop.
"""

from __future__ import annotations

import asyncio
import heapq
from typing import Any, Final, NamedTuple

from quarterdeck._kernels.metrics import now_s
from quarterdeck.endpoints.context import RequestContext
from quarterdeck.endpoints.query import first, parse_query
from quarterdeck.storage.cacher import Watch

PATH: Final = "/quarterdeck/v1/watches"
_TOLD_MAX: Final = 1000
_LOOKED_AT_ONCE: Final = 500
_TEXT_CHARS_MAX: Final = 256


# What stays the same while a watch lasts; `accept` is the form that was asked for.
_TEXTS: Final = (
    *("user", "userAgent", "address", "group", "version", "resource", "namespace", "name"),
    *("labelSelector", "fieldSelector", "accept"),
)


class _Noted(NamedTuple):
    """`texts` in the order of _TEXTS."""

    texts: tuple[str, ...]
    begun_s: float


class Watches:
    def __init__(self) -> None:
        self._noted: dict[Watch, _Noted] = {}

    def note(self, request: RequestContext, watch: Watch) -> None:
        scope, query, headers = request.scope, parse_query(request.query), request.headers
        assert scope is not None
        resource, address = scope.resource, request.info.address
        texts = (
            *(request.user.name, headers.get("user-agent", ""), request.connection.remote_address),
            *(resource.group, resource.version, resource.name, address.namespace, address.name),
            *(first(query, "labelSelector"), first(query, "fieldSelector"), headers.get("accept", "")),
        )
        self._noted[watch] = _Noted(tuple(each[:_TEXT_CHARS_MAX] for each in texts), request.received_s)
        watch.on_end = lambda: self._forget(watch)

    def _forget(self, watch: Watch) -> None:
        self._noted.pop(watch, None)

    async def tell(self) -> dict[str, Any]:
        """Those that are furthest behind, by bytes."""
        all_of_them = list(self._noted.items())
        behind: list[tuple[int, int, Watch, _Noted]] = []
        for place, (watch, noted) in enumerate(all_of_them):
            if place % _LOOKED_AT_ONCE == _LOOKED_AT_ONCE - 1:
                await asyncio.sleep(0)
            entry = (watch.watcher.lag_bytes if watch.watcher is not None else 0, -place, watch, noted)
            if len(behind) < _TOLD_MAX:
                heapq.heappush(behind, entry)
            else:
                heapq.heappushpop(behind, entry)
        told = [_describe(watch, noted) for _, _, watch, noted in sorted(behind, reverse=True)]
        return {"count": len(all_of_them), "watches": told}


def _describe(watch: Watch, noted: _Noted) -> dict[str, Any]:
    watcher = watch.watcher
    return {
        **dict(zip(_TEXTS, noted.texts, strict=True)),
        "seconds": round(now_s() - noted.begun_s, 3),
        "state": "live" if watcher is not None and watcher.is_live else "beginning",
        "sent": watcher.taken if watcher is not None else 0,
        "behind": watcher.lag if watcher is not None else 0,
        "behindBytes": watcher.lag_bytes if watcher is not None else 0,
        "isPaused": watch.is_paused,
    }
