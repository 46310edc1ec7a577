"""Which conditions objects ever had: the lists called `conditions` in their status, of maps with type and status.

What is stored is looked at, whoever wrote it: in the store's feed, so that it is bounded how much of an object is.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from quarterdeck.apimachinery.codec import json
from quarterdeck.apimachinery.meta import split_api_version
from quarterdeck.coverage.paths import CHARS_MAX, DEPTH_MAX, LIST_ITEM, member

STATES_MAX: Final = 20_000
REASONS_MAX: Final = 64
BYTES_MAX: Final = 256 * 1024  # of an object: 2 ms
VALUES_MAX: Final = 2000  # of lists, maps and conditions in a status: 2 ms
_CONDITIONS: Final = "conditions"
_TEXT: Final = b'"conditions"'


class Subject(NamedTuple):
    """The conditions of one type, of one kind of objects. `path` is that of the list."""

    group: str
    kind: str
    path: str
    type: str


class Conditions:
    """`left_out` counts what there was no room for."""

    def __init__(self) -> None:
        self.left_out = 0
        self._number = 0
        self._states: dict[Subject, dict[tuple[str, str], int]] = {}

    def look(self, data: bytes) -> None:
        """At an object as it is stored."""
        if _TEXT not in data:
            return
        if len(data) > BYTES_MAX:
            self.left_out += 1
            return
        obj = json.load(data)
        group, _ = split_api_version(obj.get("apiVersion") or "")
        kind = obj.get("kind")
        for path, condition in _find(obj.get("status")):
            if condition is None:
                self.left_out += 1
                return
            told = [condition.get(name) or "" for name in ("type", "status", "reason")]
            if told[0] and told[1] and all(isinstance(each, str) for each in told):
                self._note(Subject(group, str(kind), path, told[0]), told[1], told[2])

    def _note(self, subject: Subject, status: str, reason: str) -> None:
        states = self._states.get(subject)
        known = None if states is None else states.get((status, reason))
        if states is not None and known is not None:
            states[status, reason] = known + 1
            return
        is_long = sum(map(len, (*subject, status, reason))) > CHARS_MAX
        if is_long or self._number >= STATES_MAX or (states is not None and len(states) >= REASONS_MAX):
            self.left_out += 1
            return
        self._states.setdefault(subject, {})[status, reason] = 1
        self._number += 1

    def all(self) -> Iterator[tuple[Subject, str, str, int]]:
        """In order: what, its status, its reason, how many writes left an object with it."""
        for subject, states in sorted(self._states.items()):
            for (status, reason), count in sorted(states.items()):
                yield subject, status, reason, count

    def clear(self) -> None:
        self._states.clear()
        self._number = self.left_out = 0


def _find(status: Any) -> Iterator[tuple[str, dict[str, Any] | None]]:
    """Conditions, with the path of the list that each is in: that of the status, and those of what it tells of. None
    where there are too many values."""
    pending: list[tuple[str, Any, int]] = [(".status", status, 0)]
    left = VALUES_MAX
    while pending:
        path, value, depth = pending.pop()
        left -= len(value) if isinstance(value, (dict, list)) else 0
        if left < 0:
            yield path, None
            return
        if depth >= DEPTH_MAX or len(path) > CHARS_MAX:
            continue
        if isinstance(value, list):
            is_named = path.endswith(f".{_CONDITIONS}")
            for each in value:
                if is_named and isinstance(each, dict):
                    yield path, each
                elif isinstance(each, (dict, list)):
                    pending.append((path + LIST_ITEM, each, depth + 1))
        elif isinstance(value, dict):
            pending += [
                (member(path, name), each, depth + 1) for name, each in value.items() if isinstance(each, (dict, list))
            ]
