"""Events as a resource of two groups, which share their objects."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from quarterdeck.registry.builtin.core import eventtimes
from quarterdeck.registry.builtin.core.event import (
    EVENT_VERSIONS,
    TIMES,
    EventsEventStrategy,
    EventStrategy,
    select_event_fields,
    selectable_of_events,
)
from quarterdeck.registry.builtin.definition import Definition, describe
from quarterdeck.registry.builtin.strategy import BuiltinStrategy
from quarterdeck.registry.strategy import Object


def definitions() -> list[Definition]:
    return [
        _definition("", EventStrategy(namespaced=True), partial(eventtimes.note, is_core=True)),
        _definition("events.k8s.io", EventsEventStrategy(namespaced=True), _note_times),
    ]


def _note_times(body: Object) -> None:
    TIMES.note(body)
    eventtimes.note(body, is_core=False)


def _definition(group: str, strategy: BuiltinStrategy, note: Callable[[Object], None]) -> Definition:
    resource = describe(group, "events", "Event", short_names=("ev",))
    return Definition(
        resource,
        strategy,
        select_fields=select_event_fields,
        selectable=selectable_of_events(resource.api_version),
        versions=EVENT_VERSIONS,
        note=note,
    )
