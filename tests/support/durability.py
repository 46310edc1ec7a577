"""Judges what a store holds after a crash by the answers that its writers had before.

A writer tells the history when it begins a write and how that ended: acknowledged (with its revision), refused (it
certainly did not happen), or nothing (unknown: it happened whole, or not at all). Each key has one writer at a time.

Rules: no acknowledged write is lost; no refused one shows; an unknown one is there whole or not at all; nothing else
is there; revisions rise strictly, also across restarts.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass
class _Key:
    """`value` None: absent. `unknown`: values that later writes may have left; None among them: a deletion."""

    value: bytes | None = None
    revision: int = 0
    unknown: list[bytes | None] = field(default_factory=list)


class History:
    def __init__(self) -> None:
        self.keys: dict[str, _Key] = {}
        self.revision = 0
        self.acknowledged_count = 0
        self.problems: list[str] = []

    def begin(self, key: str, value: bytes | None) -> None:
        """A write of `value` (None: a deletion) is on its way; its outcome is unknown until told."""
        self.keys.setdefault(key, _Key()).unknown.append(value)

    def acknowledge(self, key: str, revision: int) -> None:
        """The latest write of the key happened."""
        known = self.keys[key]
        if revision <= known.revision:
            self.problems.append(f"{key}: acknowledged {revision} after {known.revision}")
        known.value, known.revision = known.unknown[-1], revision
        known.unknown.clear()
        self.revision = max(self.revision, revision)
        self.acknowledged_count += 1

    def refuse(self, key: str) -> None:
        """The latest write of the key did not happen."""
        self.keys[key].unknown.pop()

    def check(self, found: Mapping[str, tuple[bytes, int]], revision: int) -> list[str]:
        """Compare with what lives after a restart (key → value, revision) and the store's revision then.

        What is found is taken for known from then on, so that the next round can go on with the same history.
        """
        problems, self.problems = self.problems, []
        if revision < self.revision:
            problems.append(f"the store's revision fell from {self.revision} to {revision}")
        seen: set[int] = set()
        for key in self.keys.keys() | found.keys():
            known = self.keys.setdefault(key, _Key())
            value, at = found.get(key, (None, 0))
            problem = _judge(known, value, at)
            if problem:
                problems.append(f"{key}: {problem}")
            if at in seen and at:
                problems.append(f"{key}: revision {at} belongs to another key too")
            if at > revision:
                problems.append(f"{key}: revision {at} is newer than the store's {revision}")
            seen.add(at)
            known.value, known.revision = value, max(at, known.revision)
            known.unknown.clear()
        self.revision = max(self.revision, revision)
        return problems


def _judge(known: _Key, value: bytes | None, revision: int) -> str | None:
    if value == known.value and (value is None or revision == known.revision):
        return None
    if value in known.unknown and (value is None or revision > known.revision):
        return None
    if known.value is not None and value is None:
        return f"the acknowledged write at {known.revision} is lost"
    if value is not None and known.value is None:
        return f"a value at {revision} that nobody wrote, or that was deleted: {value[:60]!r}"
    return f"found {value!r:.60} at {revision} instead of the acknowledged {known.value!r:.60} at {known.revision}"
