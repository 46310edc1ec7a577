"""How long requests to etcd took, by what they did and the resource of their keys.

Source: apiserver/pkg/storage/etcd3/metrics/metrics.go (RecordEtcdRequest); which requests are told of: store.go.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from quarterdeck._kernels.metrics import Buckets, Histogram, now_s
from quarterdeck.metrics import bounds
from quarterdeck.storage.value.resources import prefix_of

CREATE: Final = "create"
UPDATE: Final = "update"
DELETE: Final = "delete"
GET: Final = "get"
LIST: Final = "list"
_BUCKETS: Final = Buckets(bounds.REQUESTS_S)
_KINDS_MAX: Final = 20_000


class Requests:
    """Of one operation on one resource; `errors`: those that etcd did not answer, or refused."""

    __slots__ = ("durations", "errors")

    def __init__(self) -> None:
        self.durations = Histogram(_BUCKETS)
        self.errors = 0


class RequestTimes:
    def __init__(self) -> None:
        self._of: dict[tuple[str, str], Requests] = {}

    @contextmanager
    def timing(self, operation: str, key: str) -> Iterator[None]:
        """Around one request; what is raised within says that it is not answered. `key` may be what keys begin with;
        those that belong to no resource are not told of."""
        begin_s, is_answered = now_s(), False
        try:
            yield
            is_answered = True
        finally:
            if prefix := prefix_of(key):
                self._note(operation, prefix, now_s() - begin_s, is_answered=is_answered)

    def _note(self, operation: str, prefix: str, duration_s: float, *, is_answered: bool) -> None:
        requests = self._of.get((operation, prefix))
        if requests is None:
            if len(self._of) >= _KINDS_MAX:  # definitions come and go
                self._of.clear()
            requests = self._of[operation, prefix] = Requests()
        requests.durations.observe(duration_s)
        if not is_answered:
            requests.errors += 1

    def items(self) -> list[tuple[str, str, Requests]]:
        """By operation, and the prefix of the resource's keys."""
        return [(operation, prefix, requests) for (operation, prefix), requests in self._of.items()]
