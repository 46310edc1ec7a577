"""Checks what watchers were told against what was written: the guarantees of a watch, each by name.

    ordered        events come in the order of their revisions
    unique         no event comes twice
    reliable       no event between two that came is missing, and none at the end of a watch that was quiet
    atomic         the initial objects are the state at one revision
    filter         the type and the object are those that the selection asks for (ADDED and DELETED at its edges)
    bookmarkable   nothing at or before a bookmark's revision comes after it or is still missing, and nothing after its
                   revision comes before it
    resumable      a watch from a revision begins with the first event after it

A recorded history is compared with the one that follows from the writes. Source of the guarantees: etcd's API
guarantees and tests/robustness/validate/watch.go.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

Object = dict[str, Any]
Predicate = Callable[[str, Object], bool]  # path, object


class Write(NamedTuple):
    """`obj` None: the path was deleted."""

    revision: int
    path: str
    obj: Object | None


class Told(NamedTuple):
    """One event as a client got it."""

    type: str
    revision: int
    path: str
    obj: Object

    @property
    def is_bookmark(self) -> bool:
        return self.type == "BOOKMARK"

    @property
    def ends_initial_events(self) -> bool:
        annotations = self.obj["metadata"].get("annotations", {})
        return self.is_bookmark and annotations.get("k8s.io/initial-events-end") == "true"


@dataclass
class WatchHistory:
    """`after`: the revision that the watch was opened from. `state_at`: the least revision of the initial objects,
    None where the watch asked for none. `is_quiet`: the watch was open and had time for everything at the end."""

    matches: Predicate
    after: int = 0
    state_at: int | None = None
    wants_end_bookmark: bool = False
    is_quiet: bool = False
    told: list[Told] = field(default_factory=list)


def parse_events(body: bytes) -> list[Told]:
    """The events of a stream's data (whole lines; what follows the last newline is dropped)."""
    events = []
    for line in body.split(b"\n")[:-1]:
        event = json.loads(line)
        obj = event["object"]
        metadata = obj["metadata"]
        namespace, name = metadata.get("namespace", ""), metadata.get("name", "")
        path = f"{namespace}/{name}" if namespace else name
        events.append(Told(event["type"], int(metadata.get("resourceVersion") or 0), path, obj))
    return events


def unframe(data: bytes) -> bytes:
    """The data of whole HTTP/1.1 chunks; a chunk that is cut is dropped."""
    parts, at = [], 0
    while (end := data.find(b"\r\n", at)) >= 0:
        size = int(data[at:end], 16)
        if end + 2 + size + 2 > len(data):
            break
        parts.append(data[end + 2 : end + 2 + size])
        at = end + 2 + size + 2
    return b"".join(parts)


def _content(obj: Object) -> Object:
    """An object without what differs between served versions and revisions."""
    metadata = {name: value for name, value in obj["metadata"].items() if name != "resourceVersion"}
    return {**obj, "apiVersion": "", "metadata": metadata}


def expected_events(writes: Iterable[Write], matches: Predicate, after: int) -> list[Told]:
    """What a watch after a revision has to tell."""
    state: dict[str, Object] = {}
    told = []
    for revision, path, obj in writes:
        old = state.get(path)
        if obj is None:
            state.pop(path, None)
        else:
            state[path] = obj
        if revision <= after:
            continue
        was = old is not None and matches(path, old)
        if obj is not None and matches(path, obj):
            told.append(Told("MODIFIED" if was else "ADDED", revision, path, obj))
        elif was and old is not None:
            told.append(Told("DELETED", revision, path, old))
    return told


def state_at(writes: Iterable[Write], matches: Predicate, revision: int) -> dict[str, tuple[int, Object]]:
    state: dict[str, tuple[int, Object]] = {}
    for write in writes:
        if write.revision > revision:
            break
        if write.obj is None:
            state.pop(write.path, None)
        else:
            state[write.path] = (write.revision, write.obj)
    return {path: found for path, found in sorted(state.items()) if matches(path, found[1])}


def check(history: WatchHistory, writes: list[Write]) -> list[str]:
    """The violations, each beginning with the guarantee's name; empty for a right history."""
    told = list(history.told)
    problems: list[str] = []
    after = history.after
    if history.state_at is not None:
        initial_problems, after, told = _check_initial(history, told, writes)
        problems += initial_problems
        if after < 0:
            return problems
    return problems + _check_live(history, told, writes, after)


def _check_initial(history: WatchHistory, told: list[Told], writes: list[Write]) -> tuple[list[str], int, list[Told]]:
    """Take the initial objects off; returns also the revision that they show (-1: cannot be told)."""
    assert history.state_at is not None
    ends = [at for at, event in enumerate(told) if event.ends_initial_events]
    if not history.wants_end_bookmark:
        if ends:
            return ["bookmarkable: an initial-events-end that nobody asked for"], -1, []
        revision = history.state_at
        expected = state_at(writes, history.matches, revision)
        cut = min(len(expected), len(told))
    else:
        if len(ends) > 1:
            return ["bookmarkable: more than one initial-events-end"], -1, []
        if not ends:
            return (["bookmarkable: no initial-events-end"] if history.is_quiet else []), -1, []
        cut = ends[0]
        revision = told[cut].revision
        if revision < history.state_at:
            return [f"atomic: the initial objects are of {revision}, before {history.state_at}"], -1, []
        expected = state_at(writes, history.matches, revision)
    initial, rest = told[:cut], told[cut:]
    shown = {event.path: (event.revision, _content(event.obj)) for event in initial}
    wanted = {path: (revision, _content(obj)) for path, (revision, obj) in expected.items()}
    problems = []
    if len(shown) != len(initial) or any(event.type != "ADDED" for event in initial):
        problems.append("unique: an initial object came twice, or not as ADDED")
    is_whole = history.wants_end_bookmark or history.is_quiet or bool(rest)
    if (is_whole and shown != wanted) or any(wanted.get(path) != value for path, value in shown.items()):
        problems.append(f"atomic: the initial objects are not the state at {revision}")
    elif [event.path for event in initial] != sorted(shown):
        problems.append("ordered: the initial objects do not come in the order of a list")
    return problems, revision, rest


def _check_live(history: WatchHistory, told: list[Told], writes: list[Write], after: int) -> list[str]:
    problems: list[str] = []
    expected = expected_events(writes, history.matches, after)
    position = 0
    newest = newest_bookmark = after
    seen: set[int] = set()
    for event in told:
        if event.is_bookmark:
            if event.revision < newest_bookmark:
                problems.append(f"bookmarkable: bookmark {event.revision} after bookmark {newest_bookmark}")
            if position < len(expected) and expected[position].revision <= event.revision:
                missing = expected[position].revision
                problems.append(f"bookmarkable: {missing} had not been told before bookmark {event.revision}")
            if event.revision < newest and newest > newest_bookmark:
                problems.append(f"bookmarkable: bookmark {event.revision} after event {newest}")
            newest_bookmark = max(newest_bookmark, event.revision)
            continue
        if event.revision in seen:
            problems.append(f"unique: {event.revision} came twice")
            continue
        if event.revision <= after:
            problems.append(f"resumable: {event.revision} is not after {after}")
            continue
        if event.revision <= newest_bookmark and newest_bookmark > after:
            problems.append(f"bookmarkable: {event.revision} after bookmark {newest_bookmark}")
        if event.revision < newest:
            problems.append(f"ordered: {event.revision} after {newest}")
        seen.add(event.revision)
        newest = max(newest, event.revision)
        while position < len(expected) and expected[position].revision < event.revision:
            if expected[position].revision not in seen:
                problems.append(f"reliable: {expected[position].revision} was left out")
            position += 1
        if position == len(expected) or expected[position].revision != event.revision:
            if not any(right.revision == event.revision for right in expected):
                problems.append(f"filter: {event.type} {event.path} at {event.revision} is not for this watch")
            continue
        right = expected[position]
        position += 1
        if (event.type, event.path) != (right.type, right.path) or _content(event.obj) != _content(right.obj):
            problems.append(
                f"filter: {event.type} {event.path} at {event.revision} should be {right.type} {right.path}"
            )
    if history.is_quiet and position < len(expected):
        problems.append(f"reliable: {expected[position].revision} and later were not told at the end")
    return problems
