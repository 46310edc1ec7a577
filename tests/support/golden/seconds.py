"""Writes that are stored or not as the seconds fall.

Entries of managedFields are sorted by the second of their writes, and a write that changes their order alone is stored:
a client that writes again what it has written comes after another client's entry if a second ended in between.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from support.golden.quickjson import write_sorted

Object = dict[str, Any]


class _Shown(NamedTuple):
    """What an answer said; `entries` without times."""

    revision: int
    entries: list[bytes]
    content: bytes


class Seconds:
    """Watches the objects that a scenario's answers show. `same` gives the revision that one stands for which such a
    write made."""

    def __init__(self) -> None:
        self._shown: dict[str, _Shown] = {}
        self.same: dict[int, int] = {}

    def show(self, body: Any) -> None:
        metadata = body.get("metadata") if isinstance(body, dict) else None
        if not isinstance(metadata, dict) or not metadata.get("managedFields") or "resourceVersion" not in metadata:
            return
        new, before = _read(body), self._shown.get(metadata["uid"])
        if before is not None and before.revision == new.revision:
            return
        self._shown[metadata["uid"]] = new
        if before is not None and _differ_in_order(before, new):
            self.same[new.revision] = self.same.get(before.revision, before.revision)


def _read(body: Object) -> _Shown:
    """A copy: the body loses members later."""
    metadata = body["metadata"]
    entries = [write_sorted({**entry, "time": ""}) for entry in metadata["managedFields"]]
    kept = {name: value for name, value in metadata.items() if name not in ("resourceVersion", "managedFields")}
    return _Shown(int(metadata["resourceVersion"]), entries, write_sorted({**body, "metadata": kept}))


def _differ_in_order(old: _Shown, new: _Shown) -> bool:
    return old.entries != new.entries and sorted(old.entries) == sorted(new.entries) and old.content == new.content
