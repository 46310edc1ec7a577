"""Lists: which state is shown, from which key on, and how far.

The state is the newest one, or that of an older revision: rebuilt from the window of changes where it reaches, read
from the store where it does not. Tokens of pages hold the revision, so that later pages show the state of the first.

What takes long is done in steps (`scan`), between which others have their turn; writes go on meanwhile, and each step
shows the state of the revision at which the list began.

Source: apiserver/pkg/storage/util.go (ValidateListOptions), storage/cacher/{delegator,cacher}.go (shouldDelegateList,
GetList, computeListLimit), storage/etcd3/{store,errors}.go.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from itertools import islice
from typing import Final, NamedTuple

from quarterdeck._kernels import watchobject
from quarterdeck.apimachinery import errors
from quarterdeck.storage import interface
from quarterdeck.storage.cacher import picking, refusals, stored, tokens
from quarterdeck.storage.cacher.kept import KeptList
from quarterdeck.storage.cacher.options import EXACT, NOT_OLDER_THAN, ListOptions, ListResult, parse_list_revision
from quarterdeck.storage.cacher.past import Past
from quarterdeck.storage.cacher.stored import DECODED_COST, StoredObjects

# Pages read from the store where a selector may refuse most of what they hold.
STORE_PAGE_MAX: Final = 10_000
# Objects that a selector is asked for at once.
_BATCH: Final = 250


class Plan(NamedTuple):
    """`exact`: the one revision to show (0: the newest). `at_least`: how new the cache must be. `start`: relative to
    `prefix`, the listed range."""

    prefix: str
    start: str
    exact: int
    at_least: int
    limit: int
    is_consistent: bool


def plan_list(cache: StoredObjects, options: ListOptions) -> Plan:
    """Raises BadRequest with upstream's texts."""
    prefix = options.namespace + "/" if options.namespace else ""
    # Differs in nothing from upstream, surprising as it is: resourceVersion "0" takes the limit away in its cache.
    limit = 0 if options.resource_version == "0" and not cache.is_uncached else max(options.limit, 0)
    if options.continue_token:
        start, revision = tokens.decode_continue(options.continue_token)
        if options.resource_version not in ("", "0"):
            raise refusals.continue_with_revision()
        return Plan(prefix, prefix + start, max(revision, 0), 0, limit, revision < 0)
    revision = parse_list_revision(options.resource_version)
    match = options.resource_version_match
    # A revision with a limit means that very revision, save where the key of one object is known.
    if match == EXACT or (match == "" and limit > 0 and revision > 0 and not options.is_single):
        return Plan(prefix, "", revision, 0, limit, False)
    assert match in ("", NOT_OLDER_THAN)
    return Plan(prefix, "", 0, revision, limit, not options.resource_version)


class Scanned(NamedTuple):
    """`chosen` in key order; `rest` is the path of the first object behind them that was not looked at, "": none."""

    chosen: list[watchobject.Entry]
    rest: str


def waits_for_newest(cache: StoredObjects, options: ListOptions) -> bool:
    """Whether the list has to be as new as the store, of which only the store knows how new it is."""
    return cache.is_behind and plan_list(cache, options).is_consistent


def list_now(cache: StoredObjects, options: ListOptions, told: int = 0) -> ListResult | None:
    """The list, or None where it has to be awaited: `list_later`. `told`: the store has told this revision since the
    list was asked for."""
    plan = plan_list(cache, options)
    wants_newest = plan.is_consistent
    if told and told <= cache.shared.revision:
        plan = plan._replace(is_consistent=False)  # it is, now
    listing = _list_at_once(cache, options, plan)
    if listing is not None:
        if wants_newest:
            cache.counts.consistent += 1
        if wants_newest or plan.at_least:
            cache.counts.read_waits.observe(0)
    return listing


def _list_at_once(cache: StoredObjects, options: ListOptions, plan: Plan) -> ListResult | None:
    if cache.damaged:
        cache.check_readable(options.selection)
    if plan.is_consistent and cache.is_behind:
        return None
    if plan.at_least > cache.revision:
        return None
    is_narrowed = picking.is_narrowed(options.selection)
    if _is_whole(options, plan) and (kept := cache.state.kept(plan.prefix)) is not None:
        return ListResult(kept.entries, cache.revision, kept=kept)
    is_short = 0 < plan.limit <= stored.STEP_OBJECTS and not is_narrowed
    if not is_narrowed and not is_short and not cache.fits_a_step(options.selection):
        return None
    past = Past(cache.revision)
    if plan.exact:
        if not cache.history.floor <= plan.exact <= cache.revision:
            return None
        if plan.exact < cache.revision:
            past = cache.history.past_at(plan.exact)
            if not cache.history.follow(past, stored.STEP_OBJECTS):
                return None
    if is_narrowed:
        picked = picking.pick(cache, options.selection, past, plan.prefix, plan.start, plan.limit)
        if picked is not None:
            return _page(cache, options, plan, past, _cut(cache, past, plan.prefix, plan.limit, picked))
        if not cache.fits_a_step(options.selection):
            return None
        picking.prepare(cache, options.selection, plan.prefix)
    if not plan.limit and not plan.start and not past.entries:
        return ListResult(cache.snapshot(options.selection), past.revision)
    return _take(cache, options, plan, past, cache.state.range_at(past, plan.prefix, plan.start))


def _is_whole(options: ListOptions, plan: Plan) -> bool:
    """Whether all objects of the range are listed as they are now. Such a list of many is kept for who asks next."""
    return not (plan.limit or plan.start or plan.exact or picking.is_narrowed(options.selection))


async def list_later(cache: StoredObjects, options: ListOptions, told: int = 0) -> ListResult:
    """`told` as for `list_now`."""
    plan = plan_list(cache, options)
    if not plan.is_consistent:
        return await _list_when_fresh(cache, options, plan, told)
    try:
        listing = await _list_when_fresh(cache, options, plan, told)
    except errors.APIStatus:
        cache.counts.consistent_failed += 1
        raise
    cache.counts.consistent += 1
    return listing


async def _list_when_fresh(cache: StoredObjects, options: ListOptions, plan: Plan, told: int) -> ListResult:
    shared = cache.shared
    if plan.exact > cache.revision and not options.is_single and shared.storage.seek(plan.exact):
        await cache.wait_for(plan.exact)
    if plan.exact and not cache.history.floor <= plan.exact <= cache.revision:
        return await _list_from_store(cache, options, plan)
    is_asked_of_etcd = options.is_single and plan.limit and not options.resource_version_match
    current = (told or await shared.newest()) if plan.is_consistent or is_asked_of_etcd else 0
    if is_asked_of_etcd and plan.at_least > current:  # which does not wait
        raise refusals.revision_too_large(plan.at_least, current, 0)
    wanted = current if plan.is_consistent else plan.at_least
    if wanted > shared.revision and not shared.storage.seek(wanted):
        current = current or await shared.newest()
        if current >= wanted:
            cache.counts.consistent_from_store += plan.is_consistent
            return await _list_from_store(cache, options, plan._replace(exact=current))
    await cache.wait_for(wanted)
    plan = plan._replace(is_consistent=False)  # it is, now
    return _list_at_once(cache, options, plan) or await _list_in_steps(cache, options, plan)


async def _list_in_steps(cache: StoredObjects, options: ListOptions, plan: Plan) -> ListResult:
    past = cache.history.past_at(plan.exact) if plan.exact else Past(cache.revision)
    scanned = await scan(cache, past, options.selection, plan.prefix, plan.start, plan.limit)
    if scanned is None:
        return await _list_from_store(cache, options, plan._replace(exact=past.revision))
    if _is_whole(options, plan) and not past.entries:
        kept = KeptList(scanned.chosen)
        cache.state.keep(plan.prefix, kept)
        return ListResult(scanned.chosen, past.revision, kept=kept)
    return _page(cache, options, plan, past, scanned)


async def scan(
    cache: StoredObjects, past: Past, selection: watchobject.Selection, prefix: str, start: str, limit: int
) -> Scanned | None:
    """What a selection holds at the revision of `past`, at most `limit` objects (0: all). Others have their turns in
    between. None: the window of changes was overtaken."""
    chosen: list[watchobject.Entry] = []
    while True:
        is_current = cache.history.follow(past, stored.STEP_OBJECTS)
        if is_current is None:
            return None
        if is_current and not chosen:
            picked = picking.pick(cache, selection, past, prefix, start, limit)
            if picked is not None:
                return _cut(cache, past, prefix, limit, picked)
        picking.prepare(cache, selection, prefix)
        cost = 0
        found = cache.state.range_at(past, prefix, start)
        while is_current and cost < stored.STEP_OBJECTS:
            batch = list(islice(found, _BATCH))
            if not batch:
                return Scanned(chosen, "")
            decoded = cache.counts.decoded
            chosen += cache.select(selection, batch)
            cost += len(batch) + DECODED_COST * (cache.counts.decoded - decoded)
            if limit and len(chosen) >= limit:
                return _cut(cache, past, prefix, limit, chosen)
            start = batch[-1].path + "\0"
        await asyncio.sleep(0)


def _cut(cache: StoredObjects, past: Past, prefix: str, limit: int, chosen: list[watchobject.Entry]) -> Scanned:
    """A page of those that were chosen from the range."""
    if not limit or len(chosen) < limit:
        return Scanned(chosen, "")
    del chosen[limit:]
    rest = next(cache.state.range_at(past, prefix, chosen[-1].path + "\0"), None)
    return Scanned(chosen, rest.path if rest is not None else "")


def _take(
    cache: StoredObjects, options: ListOptions, plan: Plan, past: Past, found: Iterator[watchobject.Entry]
) -> ListResult:
    """A page of `found`: as many as the limit lets pass and the selection wants."""
    if not plan.limit:
        return ListResult(cache.select(options.selection, list(found)), past.revision)
    chosen: list[watchobject.Entry] = []
    while len(chosen) < plan.limit:
        batch = list(islice(found, plan.limit - len(chosen)))
        if not batch:
            return ListResult(chosen, past.revision)
        chosen += cache.select(options.selection, batch)
    rest = next(found, None)
    return _page(cache, options, plan, past, Scanned(chosen, rest.path if rest is not None else ""))


def _page(cache: StoredObjects, options: ListOptions, plan: Plan, past: Past, scanned: Scanned) -> ListResult:
    """`past` fits the newest state. Where objects are left the last chosen one fills the page."""
    chosen, rest = scanned
    if not rest or options.is_single:
        return ListResult(chosen, past.revision)
    remaining = None if options.has_selectors else cache.state.count_at(past, plan.prefix, rest)
    token = tokens.encode_continue("/" + chosen[-1].path[len(plan.prefix) :] + "\0", past.revision)
    return ListResult(chosen, past.revision, token, remaining)


async def _list_from_store(cache: StoredObjects, options: ListOptions, plan: Plan) -> ListResult:
    chosen: list[watchobject.Entry] = []
    start, remaining = plan.start, 0
    page = plan.limit if plan.limit and not options.has_selectors else (STORE_PAGE_MAX if plan.limit else 0)
    last = ""
    counts = cache.counts.from_store
    counts.lists += 1
    while True:
        result = await _read_range(cache, options, plan, start, page)
        counts.fetched += len(result.items)
        for at, item in enumerate(result.items):
            entry = cache.build_entry(item.key, item.value, item.revision, item.create_revision, None)
            last = entry.path
            counts.evaluated += 1
            chosen += cache.select(options.selection, [entry])
            if plan.limit and len(chosen) == plan.limit:
                remaining = len(result.items) - at - 1 + result.remaining
                break
        else:
            if result.remaining:
                start = last + "\0"
                continue
        break
    counts.returned += len(chosen)
    if not remaining or options.is_single:
        return ListResult(chosen, plan.exact)
    token = tokens.encode_continue("/" + last[len(plan.prefix) :] + "\0", plan.exact)
    return ListResult(chosen, plan.exact, token, None if options.has_selectors else remaining)


async def _read_range(
    cache: StoredObjects, options: ListOptions, plan: Plan, start: str, limit: int
) -> interface.RangeResult:
    start_key = cache.prefix + start if start else ""
    try:
        return await cache.shared.storage.range(
            cache.prefix + plan.prefix, start_key=start_key, limit=limit, revision=plan.exact
        )
    except interface.Compacted as error:
        if options.continue_token:
            token = tokens.encode_continue(start[len(plan.prefix) :], -1)
            raise refusals.ContinueExpired(token) from error
        raise refusals.list_too_old() from error
    except interface.FutureRevision as error:
        raise refusals.revision_too_large(plan.exact, error.current, 0) from error
    except interface.Corrupt as error:
        raise cache.unreadable_one(error) from error
    except interface.Unavailable as error:
        raise refusals.unavailable() from error
