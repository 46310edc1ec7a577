"""Events that are too large lose their objects; those that still are, are lost.

Source: apiserver/plugin/pkg/audit/truncate/truncate.go.
"""

from __future__ import annotations

from collections.abc import Iterator

from quarterdeck.audit.event import Event
from quarterdeck.audit.failures import TRUNCATE, Failures
from quarterdeck.audit.settings import TruncateSettings


def truncate(event: Event, truncating: TruncateSettings, failures: Failures) -> Event | None:
    """The event as it may be sent; None: it is lost, and counted."""
    if not truncating.is_enabled or event.line_bytes() <= truncating.event_bytes_max:
        return event
    if event.holds_objects:
        event = event.truncated()
        if event.line_bytes() <= truncating.event_bytes_max:
            return event
    failures.add(TRUNCATE, 1, "event is too large even after truncating")
    return None


def split(events: list[Event], truncating: TruncateSettings) -> Iterator[list[Event]]:
    """Batches of the size allowed. Differs from upstream: its batches are made behind this check."""
    if not truncating.is_enabled:
        yield events
        return
    batch: list[Event] = []
    size = 0
    for event in events:
        more = event.line_bytes()
        if batch and size + more > truncating.batch_bytes_max:
            yield batch
            batch, size = [], 0
        batch.append(event)
        size += more
    if batch:
        yield batch
