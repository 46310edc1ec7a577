"""Lists of objects that a webhook may have to convert: selectors see what it makes of them.

The first object that cannot be converted fails the list, whether it is selected or not. A list of resourceVersion 0
shows what was there before that object instead: upstream answers it from a cache of the version, which has got stuck.

# Differs from upstream: watches select by the labels and fields of the stored version.

Source: apiserver/pkg/storage/{etcd3/store.go,cacher/cacher.go} (GetList).
"""

from __future__ import annotations

from quarterdeck._kernels import watchobject
from quarterdeck.registry.scope import Scope
from quarterdeck.storage.cacher import EncodingError, Entry, ListOptions, ListResult, encode, prepare


async def list_converted(scope: Scope, options: ListOptions) -> ListResult:
    """Raises EncodingError. A page holds those of as many objects as its limit allows which are selected."""
    selection = options.selection
    everything = watchobject.Selection(selection.namespace, selection.name)
    listing = await scope.store.cache.list(options._replace(selection=everything))
    try:
        await prepare(scope.object_form, listing.entries)
    except EncodingError:
        if options.resource_version != "0" or options.resource_version_match:
            raise
        listing = listing._replace(entries=await _before_failure(scope, listing.entries))
    if not (selection.labels or selection.fields):
        return listing
    return listing._replace(entries=_select(scope, selection, listing.entries))


async def _before_failure(scope: Scope, entries: list[Entry]) -> list[Entry]:
    """The objects older than the first that cannot be converted."""
    shown: set[Entry] = set()
    for entry in sorted(entries, key=lambda each: each.revision):
        try:
            await prepare(scope.object_form, [entry])
        except EncodingError:
            break
        shown.add(entry)
    return [entry for entry in entries if entry in shown]


def _select(scope: Scope, selection: watchobject.Selection, entries: list[Entry]) -> list[Entry]:
    converted = [
        Entry(entry.path, entry.namespace, encode(entry, scope.object_form), entry.revision, entry.create_revision)
        for entry in entries
    ]
    chosen = {entry.path for entry in scope.store.cache.select(selection, converted)}
    return [entry for entry in entries if entry.path in chosen]
