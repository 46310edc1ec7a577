"""What has happened to one resource of the watch cache, for metrics."""

from __future__ import annotations

from typing import Final

from quarterdeck._kernels.metrics import Buckets, Histogram

_WAITS_S: Final = Buckets((0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1.0, 1.25, 1.5, 2, 3))


class ListCounts:
    """Lists, the objects that were read for them, those of them that a selector was asked for, and those shown."""

    __slots__ = ("evaluated", "fetched", "lists", "returned")

    def __init__(self) -> None:
        self.lists = self.fetched = self.evaluated = self.returned = 0


class Counts(ListCounts):
    """What has happened so far: changes that the cache was fed, events of replays, watchers that were given up, objects
    whose labels and fields had to be found; lists, and those that were read from the store (`from_store`).

    `consistent`: lists that had to be as new as the store, and were answered; for `consistent_from_store` of them the
    cache was too late. `read_waits`: how long reads waited for a revision."""

    __slots__ = (
        "consistent",
        "consistent_failed",
        "consistent_from_store",
        "decoded",
        "from_store",
        "initial",
        "read_waits",
        "received",
        "terminated_watchers",
    )

    def __init__(self) -> None:
        ListCounts.__init__(self)
        self.decoded = 0
        self.initial = self.received = self.terminated_watchers = 0
        self.consistent = self.consistent_from_store = self.consistent_failed = 0
        self.from_store = ListCounts()
        self.read_waits = Histogram(_WAITS_S)
