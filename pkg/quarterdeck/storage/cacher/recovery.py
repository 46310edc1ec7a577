"""Objects that could not be decrypted when the cache was filled: a key, or the plugin that has it, may come back.

Watches that were opened meanwhile have not seen such an object: they end, and their clients list anew. So it is
upstream, where the watch cache of the resource is filled only then.
"""

from __future__ import annotations

from typing import Final

from quarterdeck._kernels import watchobject
from quarterdeck.storage import interface
from quarterdeck.storage.cacher.cacher import Cacher
from quarterdeck.storage.cacher.resource import ResourceCache

# So many objects of a resource may fail in one round: the others have most likely the same key.
_FAILURES_MAX: Final = 10


async def retry(cacher: Cacher) -> int:
    """Read them again; how many could be read."""
    return sum([await _retry_resource(cache) for cache in cacher.caches() if cache.damaged])


async def _retry_resource(cache: ResourceCache) -> int:
    restored = failed = 0
    for path, error in list(cache.damaged.items()):
        if not isinstance(error, interface.Untransformable):
            continue
        try:
            item = await cache.shared.storage.get(error.key)
        except interface.StorageError as again:
            if isinstance(again, interface.Untransformable) and path in cache.damaged:
                cache.damaged[path] = again
            failed += 1
            if failed == _FAILURES_MAX:
                break
            continue
        if item is not None and path in cache.damaged:  # nobody has written it meanwhile
            _restore(cache, path, item)
            restored += 1
    if restored:
        cache.break_off(cache.revision)
        cache.end_watches()
    return restored


def _restore(cache: ResourceCache, path: str, item: interface.KeyValue) -> None:
    entry = cache.build_entry(*item, None)
    cache.put(entry, None)
    cache.forget_damaged(path)
    change = watchobject.Change(entry, None, entry.revision, cache.shared.now_s())
    for listener in cache.listeners:
        listener(change)
