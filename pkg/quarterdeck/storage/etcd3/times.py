"""How long requests to etcd took, by what they did and the resource of their keys.

Source: apiserver/pkg/storage/etcd3/metrics/metrics.go (RecordEtcdRequest); which requests are told of: store.go.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from quarterdeck._kernels.metrics import Buckets, Histogram, now_s

CREATE: Final = "create"
UPDATE: Final = "update"
DELETE: Final = "delete"
GET: Final = "get"
LIST: Final = "list"
_BOUNDS_S: Final = Buckets(
    (0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60)
)
_KINDS_MAX: Final = 20_000


class Requests:
    """Of one operation on one resource; `errors`: those that etcd did not answer, or refused."""

    __slots__ = ("durations", "errors")

    def __init__(self) -> None:
        self.durations = Histogram(_BOUNDS_S)
        self.errors = 0


class RequestTimes:
    def __init__(self) -> None:
        self._of: dict[tuple[str, str, str], Requests] = {}

    def note(self, operation: str, key: str, begin_s: float, *, is_answered: bool) -> None:
        """`key`, or what keys begin with: /registry/GROUP/RESOURCE/… Others are not told of."""
        parts = key.split("/", 4)
        if len(parts) < 5:
            return
        kind = operation, "" if parts[2] == "core" else parts[2], parts[3]
        requests = self._of.get(kind)
        if requests is None:
            if len(self._of) >= _KINDS_MAX:  # definitions come and go
                self._of.clear()
            requests = self._of[kind] = Requests()
        requests.durations.observe(now_s() - begin_s)
        if not is_answered:
            requests.errors += 1

    def items(self) -> Iterator[tuple[tuple[str, str, str], Requests]]:
        """By operation, group and resource."""
        yield from list(self._of.items())
