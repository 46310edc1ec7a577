"""Lists and beginnings of watches by selector: through the index of labels and fields where that is less work than
looking at all objects of the range.

What the index names is sorted by key and evaluated. That is less than to look at all where few are named: sorting and
fetching cost several times what looking does. A page of a list may be found sooner by looking, too.
"""

from __future__ import annotations

from operator import attrgetter

from quarterdeck._kernels import watchobject
from quarterdeck.storage.cacher import stored
from quarterdeck.storage.cacher.past import Past
from quarterdeck.storage.cacher.stored import StoredObjects

# Ranges of fewer objects are looked at: that takes a tenth of a millisecond.
INDEXED_MIN: int = 1000
# How many objects are looked at in the time in which one is fetched by the index.
FETCH_COST: int = 4

_by_path = attrgetter("path")


def is_narrowed(selection: watchobject.Selection) -> bool:
    """Whether some objects of the range may not be in the selection."""
    return bool(selection.name or selection.labels or selection.fields)


def pick(
    cache: StoredObjects, selection: watchobject.Selection, past: Past, prefix: str, start: str, limit: int
) -> list[watchobject.Entry] | None:
    """The objects of a selection at the revision of `past`, which fits the newest state, in key order: all from `start`
    on, or the first `limit` (0: all). None: they are to be found by looking at the range."""
    path = selection.path or (selection.name if not selection.namespace else "")
    if path:
        entry = past.entries[path] if path in past.entries else cache.state.get(path)
        if entry is not None and entry.path >= start:
            return cache.select(selection, [entry])
        if selection.path is not None:
            return []
    index = cache.index
    if index is None or not is_narrowed(selection):
        return None
    numbers = index.find(selection, stored.STEP_OBJECTS // stored.DECODED_COST)
    if numbers is None:
        return None
    count = len(numbers) + len(past.entries)
    looked_at = cache.state.count(prefix, start)
    if limit and numbers:
        looked_at = min(looked_at, limit * cache.object_count // len(numbers))
    if count > stored.STEP_OBJECTS or count * FETCH_COST > looked_at:
        return None
    candidates = index.entries(numbers)
    if past.entries:
        candidates = [entry for entry in candidates if entry.path not in past.entries]
        candidates += [entry for entry in past.entries.values() if entry is not None]
    if start:
        candidates = [entry for entry in candidates if entry.path >= start]
    candidates.sort(key=_by_path)
    chosen = cache.select(selection, candidates)
    return chosen[:limit] if limit else chosen


def prepare(cache: StoredObjects, selection: watchobject.Selection, prefix: str) -> None:
    """Take a step toward an index, after a range was looked at for want of one."""
    if is_narrowed(selection) and selection.path is None and cache.state.count(prefix) >= INDEXED_MIN:
        cache.build_index(selection)
