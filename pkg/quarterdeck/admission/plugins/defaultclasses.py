"""Classes of which one is everybody's: whoever names none gets it, the newest of several."""

from __future__ import annotations

from quarterdeck.apimachinery.codec import json
from quarterdeck.storage.cacher import Change, ResourceCache


class DefaultClasses:
    """`classes` holds them; one of the annotations `marks` says "true" where a class is everybody's."""

    def __init__(self, classes: ResourceCache, marks: tuple[str, ...]) -> None:
        self._marks = marks
        self._made: dict[str, str] = {}  # name → when it was made
        for entry in classes.state.all():
            self._note(entry.name, entry.data)
        classes.listeners.append(self._on_change)

    def find(self) -> str | None:
        """The first by name of those that were made last; None where none is everybody's."""
        if not self._made:
            return None
        last = max(self._made.values())
        return min(name for name, made in self._made.items() if made == last)

    def _on_change(self, change: Change) -> None:
        if change.old is not None:
            self._made.pop(change.old.name, None)
        if change.entry is not None:
            self._note(change.entry.name, change.entry.data)

    def _note(self, name: str, data: bytes) -> None:
        if b"is-default-class" not in data:
            return
        metadata = json.load(data)["metadata"]
        annotations = metadata.get("annotations") or {}
        if any(annotations.get(each) == "true" for each in self._marks):
            self._made[name] = metadata.get("creationTimestamp") or ""
