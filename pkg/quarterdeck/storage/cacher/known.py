"""Records that many stores of a process have in common, as their caches hold them: made once for all.

A fork of a store holds the very records that it was forked from, until they are written.
"""

from __future__ import annotations

from collections.abc import Mapping

from quarterdeck.storage.cacher.objects import Entry
from quarterdeck.storage.cacher.stored import build_entry
from quarterdeck.storage.interface import KeyValue


class KnownRecords:
    """What caches know of an object besides is each cache's own: entries are not shared, their bytes are."""

    def __init__(self) -> None:
        self._records: Mapping[str, KeyValue] = {}
        self._entries: dict[str, Entry] = {}

    def expect(self, records: Mapping[str, KeyValue]) -> None:
        """By their keys. They stay as they are; others are not remembered."""
        self._records = records
        self._entries = {}

    def build_entry(self, prefix: str, record: KeyValue) -> Entry:
        """As stored.build_entry."""
        if self._records.get(record.key) is not record:
            return build_entry(prefix, *record, None)
        known = self._entries.get(record.key)
        if known is None:
            known = self._entries[record.key] = build_entry(prefix, *record, None)
        return Entry(known.path, known.namespace, known.data, known.revision, known.create_revision)
