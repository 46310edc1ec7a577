"""Events as a resource of two groups, which share their objects."""

from __future__ import annotations

from collections.abc import Callable

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
        _definition("", EventStrategy(namespaced=True), None),
        _definition("events.k8s.io", EventsEventStrategy(namespaced=True), TIMES.note),
    ]


def _definition(group: str, strategy: BuiltinStrategy, note: Callable[[Object], None] | None) -> Definition:
    resource = describe(group, "events", "Event", short_names=("ev",))
    return Definition(
        resource,
        strategy,
        select_fields=select_event_fields,
        selectable=selectable_of_events(resource.api_version),
        versions=EVENT_VERSIONS,
        note=note,
    )
