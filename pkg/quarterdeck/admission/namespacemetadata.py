"""What is asked of namespaces at each write: whether they are there and stay, their labels and annotations."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Any, Final

from quarterdeck.apimachinery.codec import json
from quarterdeck.storage.cacher import ResourceCache

_KNOWN_MAX: Final = 256


class Phase(Enum):
    ABSENT = 0
    ACTIVE = 1
    TERMINATING = 2


ACTIVE: Final = Phase.ACTIVE  # which each create asks for: an enumeration's members are looked up by name


class NamespaceMetadata:
    """Of the namespaces in `cache`; those of one state of a namespace are decoded once."""

    def __init__(self, cache: ResourceCache) -> None:
        self._cache = cache
        self._known: dict[str, tuple[int, Mapping[str, Any]]] = {}  # with the revision that has it

    def exists(self, name: str) -> bool:
        return self._cache.get("", name) is not None

    def phase_of(self, name: str) -> Phase:
        found = self._of(name)
        if found is None:
            return Phase.ABSENT
        return Phase.TERMINATING if found.get("deletionTimestamp") else ACTIVE

    def labels_of(self, name: str) -> Mapping[str, str] | None:
        """None: there is no such namespace. Nobody changes them."""
        found = self._of(name)
        return None if found is None else found.get("labels") or {}

    def annotations_of(self, name: str) -> Mapping[str, str] | None:
        """As labels."""
        found = self._of(name)
        return None if found is None else found.get("annotations") or {}

    def _of(self, name: str) -> Mapping[str, Any] | None:
        entry = self._cache.get("", name)
        if entry is None:
            return None
        known = self._known.get(name)
        if known is not None and known[0] == entry.revision:
            return known[1]
        found: Mapping[str, Any] = json.load(entry.data)["metadata"]
        if len(self._known) >= _KNOWN_MAX:
            self._known.clear()
        self._known[name] = (entry.revision, found)
        return found
