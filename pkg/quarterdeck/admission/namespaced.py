"""The objects of a kind by namespace, decoded once, as plugins that look at few of them want them."""

from __future__ import annotations

from typing import Any

from quarterdeck.apimachinery.codec import json
from quarterdeck.storage.cacher import Change, Entry, ResourceCache


class ByNamespace:
    """Follows the feed of commits of `cache`."""

    def __init__(self, cache: ResourceCache) -> None:
        self._found: dict[str, dict[str, dict[str, Any]]] = {}
        for entry in cache.state.all():
            self._note(entry)
        cache.listeners.append(self._on_change)

    def of(self, namespace: str) -> list[dict[str, Any]]:
        """By name. Nobody changes them."""
        found = self._found.get(namespace)
        return [found[name] for name in sorted(found)] if found else []

    def _on_change(self, change: Change) -> None:
        if change.entry is not None:
            self._note(change.entry)
        elif change.old is not None:
            there = self._found.get(change.old.namespace, {})
            there.pop(change.old.name, None)
            if not there:
                self._found.pop(change.old.namespace, None)

    def _note(self, entry: Entry) -> None:
        self._found.setdefault(entry.namespace, {})[entry.name] = json.load(entry.data)
