"""Lists of objects that a webhook may have to convert: selectors see what it makes of them.

The first object that cannot be converted fails the list, whether it is selected or not. A list of an older
resourceVersion (0 among them) shows what was there before that object instead: upstream answers it from a cache of the
version, which has got stuck.

# Differs from upstream: watches select by the labels and fields of the stored version.

Source: apiserver/pkg/storage/{etcd3/store.go,cacher/cacher.go} (GetList).
"""

from __future__ import annotations

from quarterdeck._kernels import watchobject
from quarterdeck.endpoints.handlers.filling import keeps_unfilled
from quarterdeck.registry.scope import Scope
from quarterdeck.storage.cacher import EncodingError, Entry, ListOptions, ListResult, encode, prepare
from quarterdeck.storage.cacher.options import EXACT, parse_revision


async def list_converted(scope: Scope, options: ListOptions) -> ListResult:
    """Raises EncodingError. A page holds those of as many objects as its limit allows which are selected."""
    selection = options.selection
    everything = watchobject.Selection(selection.namespace, selection.name)
    listing = await scope.store.cache.list(options._replace(selection=everything))
    try:
        await prepare(scope.object_form, listing.entries)
    except EncodingError:
        stuck = await _stuck_at(scope, listing.entries)
        if stuck is None or not _is_from_stuck_cache(scope, options, stuck):
            raise
        listing = listing._replace(entries=[entry for entry in listing.entries if entry.revision < stuck.revision])
    if not (selection.labels or selection.fields):
        return listing
    return listing._replace(entries=_select(scope, selection, listing.entries))


def _is_from_stuck_cache(scope: Scope, options: ListOptions, stuck: Entry) -> bool:
    is_asked = bool(options.resource_version) and not options.continue_token
    if not is_asked or options.resource_version_match == EXACT or keeps_unfilled(scope, stuck):
        return False
    return parse_revision(options.resource_version) < stuck.revision


async def _stuck_at(scope: Scope, entries: list[Entry]) -> Entry | None:
    """The oldest object that cannot be converted."""
    for entry in sorted(entries, key=lambda each: each.revision):
        try:
            await prepare(scope.object_form, [entry])
        except EncodingError:
            return entry
    return None


def _select(scope: Scope, selection: watchobject.Selection, entries: list[Entry]) -> list[Entry]:
    converted = [
        Entry(entry.path, entry.namespace, encode(entry, scope.object_form), entry.revision, entry.create_revision)
        for entry in entries
    ]
    chosen = {entry.path for entry in scope.store.cache.select(selection, converted)}
    return [entry for entry in entries if entry.path in chosen]
