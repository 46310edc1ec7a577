"""Records what a watcher of a store sees, and checks what every feed promises."""

from __future__ import annotations

from collections.abc import Sequence

from quarterdeck.storage import interface


class Feed:
    """Subscribe with `store.subscribe(feed)`. Ordered and unique: each event is newer than the one before."""

    def __init__(self, revision: int = 0) -> None:
        self.events: list[interface.Event] = []
        self.batches: list[list[interface.Event]] = []
        self.revision = revision

    def __call__(self, events: Sequence[interface.Event], revision: int) -> None:
        if not events:  # of a store that lags: what happened is nobody's
            assert revision >= self.revision
            return
        for event in events:
            assert event.revision > self.revision, "the feed went back or repeated itself"
            self.revision = event.revision
        assert self.revision == revision, "the store's revision is not that of the last event"
        self.batches.append(list(events))
        self.events.extend(events)
