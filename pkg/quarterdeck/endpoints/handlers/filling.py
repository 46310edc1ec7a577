"""Lists and watches that upstream answers from the cache of a version are refused while that cannot be filled.

Source: apiserver/pkg/storage/cacher/{cacher,delegator}.go (GetList, Watch, ShouldDelegateList).
"""

from __future__ import annotations

from quarterdeck._kernels.watchobject import Selection
from quarterdeck.apimachinery import errors
from quarterdeck.registry.scope import Scope
from quarterdeck.registry.showing import check_shown, find_refusal
from quarterdeck.storage.cacher import EncodingError, Entry, ListOptions


def is_unfilled(scope: Scope) -> bool:
    """Whether `fill` has something to do."""
    return scope.filling is not None and not scope.filling.is_done


def is_from_cache(options: ListOptions) -> bool:
    """Whether upstream asks a cache for this list that is not filled, and cannot tell which revisions it has."""
    return options.limit <= 0 or options.has_selectors


async def fill(scope: Scope) -> None:
    """Raises TooManyRequests where an object that was there when the version began to be served cannot be shown."""
    if (refusal := await find_refusal(scope)) is not None:
        raise refusal


async def check_deleted(scope: Scope, options: ListOptions) -> None:
    """Of a collection, which upstream reads in pages. Raises TooManyRequests."""
    if options.has_selectors and is_unfilled(scope):
        await fill(scope)


def keeps_unfilled(scope: Scope, entry: Entry) -> bool:
    """Whether an object that cannot be shown has kept the cache from being filled. Otherwise it came after that, and a
    cache that cannot take it in stays as it was."""
    return is_unfilled(scope) and scope.filling is not None and entry.revision <= scope.filling.since


async def check_list(scope: Scope, options: ListOptions) -> None:
    """Raises TooManyRequests, Unreasoned."""
    refusal = await find_refusal(scope)
    if refusal is not None and is_from_cache(options):
        raise refusal
    if refusal is not None and not scope.codec.waits:
        await _check_namespace(scope, options)


async def _check_namespace(scope: Scope, options: ListOptions) -> None:
    """Upstream reads all that lies where a list is asked for, be it selected or not. Raises Unreasoned."""
    everything = options._replace(selection=Selection(options.namespace), limit=0, has_selectors=False)
    try:
        await check_shown(scope, (await scope.store.cache.list(everything)).entries)
    except EncodingError as error:
        raise errors.Unreasoned(str(error)) from error
