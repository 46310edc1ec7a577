"""Lists: which state is shown, from which key on, and how far.

The state is the newest one, or that of an older revision: rebuilt from the window of changes where it reaches, read
from the store where it does not. Tokens of pages hold the revision, so that later pages show the state of the first.

Source: apiserver/pkg/storage/util.go (ValidateListOptions), storage/cacher/{delegator,cacher}.go (shouldDelegateList,
GetList, computeListLimit), storage/etcd3/{store,errors}.go.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING, Final, NamedTuple

from quarterdeck._kernels import watchobject
from quarterdeck.apimachinery import errors
from quarterdeck.storage import interface
from quarterdeck.storage.cacher import tokens
from quarterdeck.storage.cacher.options import EXACT, NOT_OLDER_THAN, Listing, ListOptions, parse_list_revision

if TYPE_CHECKING:
    from quarterdeck.storage.cacher.cacher import Cacher
    from quarterdeck.storage.cacher.resource import ResourceCache

TOO_OLD: Final = "The resourceVersion for the provided list is too old."
# Pages read from the store where a selector may refuse most of what they hold.
STORE_PAGE_MAX: Final = 10_000


class Plan(NamedTuple):
    """`exact`: the one revision to show (0: the newest). `at_least`: how new the cache must be. `start`: relative to
    `prefix`, the listed range."""

    prefix: str
    start: str
    exact: int
    at_least: int
    limit: int
    is_consistent: bool


def plan_list(options: ListOptions) -> Plan:
    """Raises BadRequest with upstream's texts."""
    prefix = options.namespace + "/" if options.namespace else ""
    # Differs in nothing from upstream, surprising as it is: resourceVersion "0" takes the limit away.
    limit = 0 if options.resource_version == "0" else max(options.limit, 0)
    if options.continue_token:
        start, revision = tokens.decode_continue(options.continue_token)
        if options.resource_version not in ("", "0"):
            raise errors.BadRequest("specifying resource version is not allowed when using continue")
        return Plan(prefix, prefix + start, max(revision, 0), 0, limit, revision < 0)
    revision = parse_list_revision(options.resource_version)
    match = options.resource_version_match
    # A revision with a limit means that very revision, save where the key of one object is known.
    if match == EXACT or (match == "" and limit > 0 and revision > 0 and not options.is_single):
        return Plan(prefix, "", revision, 0, limit, False)
    assert match in ("", NOT_OLDER_THAN)
    return Plan(prefix, "", 0, revision, limit, not options.resource_version)


def list_now(cache: ResourceCache, options: ListOptions) -> Listing | None:
    plan = plan_list(options)
    if cache.damaged:
        cache.check_readable(options.selection)
    if plan.is_consistent and cache.is_behind:
        return None
    if plan.exact:
        if not cache.history.floor <= plan.exact <= cache.revision:
            return None
        if plan.exact < cache.revision:
            past = cache.history.undo(plan.exact)
            return _take(cache, options, plan, plan.exact, cache.state.range_at(past, plan.prefix, plan.start))
    elif plan.at_least > cache.revision:
        return None
    revision = cache.revision
    if not plan.limit and not plan.start:
        return Listing(cache.snapshot(options.selection), revision)
    return _take(cache, options, plan, revision, cache.state.range(plan.prefix, plan.start))


async def list_later(cache: ResourceCache, cacher: Cacher, options: ListOptions) -> Listing:
    plan = plan_list(options)
    if plan.exact and not cache.history.floor <= plan.exact <= cache.revision:
        return await _list_from_store(cache, cacher, options, plan)
    is_asked_of_etcd = options.is_single and plan.limit and not options.resource_version_match
    if is_asked_of_etcd and plan.at_least > cacher.storage.revision:  # which does not wait
        raise errors.Timeout.resource_version_too_large(plan.at_least, cacher.storage.revision, 0)
    await cacher.wait_for(max(plan.at_least, cacher.storage.revision if plan.is_consistent else 0))
    listing = list_now(cache, options)
    assert listing is not None
    return listing


def _take(
    cache: ResourceCache, options: ListOptions, plan: Plan, revision: int, found: Iterator[watchobject.Entry]
) -> Listing:
    """A page of `found`: as many as the limit lets pass and the selection wants."""
    if not plan.limit:
        return Listing(cache.select(options.selection, list(found)), revision)
    chosen: list[watchobject.Entry] = []
    last = None
    while len(chosen) < plan.limit:
        batch = list(islice(found, plan.limit - len(chosen)))
        if not batch:
            break
        last = batch[-1]
        chosen += cache.select(options.selection, batch)
    if len(chosen) < plan.limit or options.is_single or last is None:
        return Listing(chosen, revision)
    rest = next(found, None)
    if rest is None:
        return Listing(chosen, revision)
    remaining = None
    if not options.has_selectors:
        if revision == cache.revision:
            remaining = cache.state.count(plan.prefix, rest.path)
        else:
            remaining = 1 + sum(1 for _ in found)
    return Listing(chosen, revision, tokens.encode_continue(last.path[len(plan.prefix) :] + "\0", revision), remaining)


async def _list_from_store(cache: ResourceCache, cacher: Cacher, options: ListOptions, plan: Plan) -> Listing:
    chosen: list[watchobject.Entry] = []
    start, remaining = plan.start, 0
    page = plan.limit if plan.limit and not options.has_selectors else (STORE_PAGE_MAX if plan.limit else 0)
    last = ""
    while True:
        result = await _read_range(cache, cacher, options, plan, start, page)
        for at, item in enumerate(result.items):
            entry = cache.build_entry(item.key, item.value, item.revision, item.create_revision, None)
            last = entry.path
            chosen += cache.select(options.selection, [entry])
            if plan.limit and len(chosen) == plan.limit:
                remaining = len(result.items) - at - 1 + result.remaining
                break
        else:
            if result.remaining:
                start = last + "\0"
                continue
        break
    if not remaining or options.is_single:
        return Listing(chosen, plan.exact)
    token = tokens.encode_continue(last[len(plan.prefix) :] + "\0", plan.exact)
    return Listing(chosen, plan.exact, token, None if options.has_selectors else remaining)


async def _read_range(
    cache: ResourceCache, cacher: Cacher, options: ListOptions, plan: Plan, start: str, limit: int
) -> interface.RangeResult:
    start_key = cache.prefix + start if start else ""
    try:
        return await cacher.storage.range(
            cache.prefix + plan.prefix, start_key=start_key, limit=limit, revision=plan.exact
        )
    except interface.Compacted as error:
        if options.continue_token:
            raise tokens.ContinueExpired(start[len(plan.prefix) :]) from error
        raise errors.Expired(TOO_OLD) from error
    except interface.FutureRevision as error:
        raise errors.Timeout.resource_version_too_large(plan.exact, error.current, 0) from error
