"""Whether namespaces are there, and whether they go: what each create in one asks."""

from __future__ import annotations

from enum import Enum
from typing import Final

from quarterdeck.apimachinery import meta
from quarterdeck.apimachinery.codec import json
from quarterdeck.storage.cacher import ResourceCache

_KNOWN_MAX: Final = 256


class Phase(Enum):
    ABSENT = 0
    ACTIVE = 1
    TERMINATING = 2


_ACTIVE: Final = Phase.ACTIVE


class NamespacePhases:
    """Of the namespaces in `cache`; each state of a namespace is looked at once."""

    def __init__(self, cache: ResourceCache) -> None:
        self._cache = cache
        self._active: dict[str, int] = {}  # the revision that is active, by name

    def of(self, name: str) -> Phase:
        entry = self._cache.get("", name)
        if entry is None:
            return Phase.ABSENT
        if self._active.get(name) == entry.revision:
            return _ACTIVE
        if b'"deletionTimestamp"' in entry.data and meta.deletion_timestamp(json.load(entry.data)):
            return Phase.TERMINATING
        if len(self._active) >= _KNOWN_MAX:
            self._active.clear()
        self._active[name] = entry.revision
        return _ACTIVE
