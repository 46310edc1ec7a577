"""The events of a gap in the feed, from what was told before it and what lives after it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from quarterdeck.storage import interface


def bridge(told: Mapping[str, int], living: Iterable[interface.KeyValue], revision: int) -> list[interface.Event]:
    """`told`: keys and their revisions before the gap; `living` as of `revision`. An object that is another one of the
    same name was deleted in between, before it was created. When others were deleted nobody knows: at `revision`."""
    events: list[interface.Event] = []
    gone = set(told)
    for item in living:
        known = told.get(item.key, 0)
        gone.discard(item.key)
        if known >= item.revision:
            continue
        is_new = item.create_revision > known
        if known and is_new:
            events.append(interface.Event(item.key, None, item.create_revision - 1, False, None))
        events.append(interface.Event(item.key, item.value, item.revision, is_new, None))
    events += [interface.Event(key, None, revision, False, None) for key in sorted(gone)]
    events.sort(key=lambda event: event.revision)
    return events
