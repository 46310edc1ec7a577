"""What a start makes of what is stored: entries, by the prefixes of their resources."""

from __future__ import annotations

from quarterdeck._kernels import watchload, watchobject
from quarterdeck.storage import interface
from quarterdeck.storage.cacher.known import KnownRecords
from quarterdeck.storage.cacher.prefixes import ROOT, prefix_of
from quarterdeck.storage.cacher.stored import build_entry


def build_entries(
    items: list[interface.KeyValue], known: KnownRecords | None, loaded: dict[str, list[watchobject.Entry]]
) -> None:
    """Add the items to what is loaded. Keys of no resource are left out."""
    at = 0
    while at < len(items):
        item = items[at]
        if not item.key.startswith(ROOT):
            at += 1
            continue
        prefix = prefix_of(item.key)
        entries = loaded.get(prefix)
        if entries is None:
            entries = loaded[prefix] = []
        until = watchload.take_in(items, at, prefix, entries) if known is None else at
        if until == at:
            entries.append(known.build_entry(prefix, item) if known else build_entry(prefix, *item, None))
            until += 1
        at = until
