"""The watch cache: a mirror of the whole store in memory, a ResourceCache for each resource.

It is the one sink of the store's feed. Every durable write reaches exactly one resource's cache, found by the key's
prefix in a dict; nothing here looks at all resources for one write. A cache is made when it is asked for or when the
store holds something of its resource, and goes when it is dropped.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Coroutine, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, Protocol

from quarterdeck._kernels import watch as kernel
from quarterdeck._kernels import watchchannel
from quarterdeck.apimachinery.fields import METADATA_NAME, METADATA_NAMESPACE
from quarterdeck.storage import interface
from quarterdeck.storage.cacher import frames, history, upkeep
from quarterdeck.storage.cacher.aging import Aging
from quarterdeck.storage.cacher.deadlines import Deadlines
from quarterdeck.storage.cacher.forms import EncodingError, Form
from quarterdeck.storage.cacher.known import KnownRecords
from quarterdeck.storage.cacher.objects import Entry
from quarterdeck.storage.cacher.prefixes import build_prefix, prefix_of
from quarterdeck.storage.cacher.resource import Listener, ResourceCache
from quarterdeck.storage.cacher.shared import SharedState
from quarterdeck.storage.cacher.starting import build_entries
from quarterdeck.storage.cacher.stored import SelectFields
from quarterdeck.storage.cacher.watching import Watch

# How long watches outlive a change of what their objects are shown by, or its end, at least: upstream gives requests
# that hold the old definition a second to be counted, waits for them, and ends its storage and with it the watches
# (customresource_handler.go, tearDown). Requests have deadlines of their own, so that this waits without one.
RETIRED_S: float = 1.0
_LOAD_ROWS: Final = 2000


@dataclass(frozen=True, slots=True)
class Limits:
    """`history_min`: --default-watch-cache-size; `history_min_of`: --watch-cache-sizes, by prefix. The least number of
    changes that a window holds before it drops one; 0: there is no window, watches resume from the store. Without a
    cache upstream (`has_cache`: --watch-cache; `uncached`: of prefixes), limits and resourceVersions are etcd's.

    Differs from upstream: its sizes other than 0 have no effect, and those of custom resources none at all; objects are
    read from memory here even where upstream's 0 sends each read to etcd, since memory is as new as the store."""

    history_min: int = history.CAPACITY_MIN
    history_min_of: dict[str, int] | None = None
    has_cache: bool = True
    uncached: frozenset[str] = frozenset()


class InFlight(Protocol):
    """The requests that what is retired was made for."""

    async def drained(self) -> None:
        """Return when none is left."""


class Cacher:
    """`others`: the stores of resources that are not in `storage`, by the prefix of their keys. Each has a cacher of
    its own: a resource's objects, changes and revision are of one store, and changes of several have no order. Who
    needs one (an owner before its dependents) has to `catch_up`."""

    def __init__(
        self,
        storage: interface.Storage,
        limits: Limits | None = None,
        others: Mapping[str, interface.Storage] | None = None,
        known: KnownRecords | None = None,
    ) -> None:
        self.storage = storage
        self.deadlines: Deadlines[Watch] = Deadlines(self._expire)
        self.shared = SharedState(storage, self.deadlines)
        self._loaded_revision = 0
        self.late_prefixes: Collection[str] = ()  # of resources that are served from the start
        self._limits = limits or Limits()
        self._known = known
        self._caches: dict[str, ResourceCache] = {}
        self._listeners: list[Listener] = []
        self._made_listeners: list[Callable[[ResourceCache], None]] = []
        self._early: list[tuple[Sequence[interface.Event], int]] | None = []
        self._dropped: set[ResourceCache] = set()  # whose watches are still to be ended
        self._endings: set[asyncio.Task[None]] = set()
        self._aging = Aging(lambda: [cache.history for cache in self._caches.values()], self.shared.now_s)
        self._siblings: list[Cacher] = []
        self._elsewhere: dict[str, Cacher] = {}
        for prefix, other in (others or {}).items():
            self._elsewhere[prefix] = self._sibling_over(other)
        for each in (self, *self._siblings) if self._siblings else ():
            each.shared.is_alone = False

    def _sibling_over(self, storage: interface.Storage) -> Cacher:
        for sibling in self._siblings:
            if sibling.storage is storage:
                return sibling
        sibling = Cacher(storage, self._limits)
        self._siblings.append(sibling)
        return sibling

    @property
    def revision(self) -> int:
        """The cache shows the store as of it."""
        return self.shared.revision

    @property
    def is_of_several_stores(self) -> bool:
        """Whether there is no order among the changes of all resources."""
        return bool(self._siblings)

    @property
    def damaged_count(self) -> int:
        """How many stored records cannot be read."""
        return self.shared.damaged_count + sum([sibling.damaged_count for sibling in self._siblings])

    # - life

    async def start(self) -> None:
        """Subscribe to the store and load what it holds. A damaged record costs its object, not the start: the
        cache knows that it is there."""
        self.shared.start()
        self.storage.subscribe(self._receive)
        loaded: dict[str, list[Entry]] = {}
        revision = self.storage.revision  # load_all reads as of this revision: nothing is awaited before it begins
        damaged: list[interface.Corrupt] = []
        async for batch in self.storage.load_all(_LOAD_ROWS, partial(upkeep.report_damage, damaged)):
            build_entries(batch, self._known, loaded)  # now: the bytes as they are stored go with the batch
        self.shared.revision = self._loaded_revision = revision
        for cache in self._caches.values():  # made before the store was read
            cache.history.floor = revision
        for prefix, entries in loaded.items():
            cache = self._caches.get(prefix) or self._make(prefix)
            cache.load(entries)
        for error in damaged:
            prefix = prefix_of(error.key)
            cache = self._caches.get(prefix) or self._make(prefix)
            cache.add_damaged(error)
        early, self._early = self._early or [], None
        for events, after in early:
            self._receive([event for event in events if event.revision > revision], after)
        self._aging.start()
        for sibling in self._siblings:
            await sibling.start()

    async def close(self) -> None:
        """End all watches."""
        for sibling in self._siblings:
            await sibling.close()
        for cache in (*self._caches.values(), *self._dropped):
            cache.end_watches()
        for ending in self._endings:
            ending.cancel()
        self.deadlines.close()
        self._aging.stop()

    # - the caches

    def resource(self, group: str, resource: str, select_fields: SelectFields | None = None) -> ResourceCache:
        """The cache of a resource, made where there is none. `select_fields` finds the selectable fields of objects
        whose writers did not tell them; another function than before means that known fields are found anew."""
        prefix = build_prefix(group, resource)
        sibling = self._elsewhere.get(prefix)
        if sibling is not None:
            return sibling.resource(group, resource, select_fields)
        cache = self._caches.get(prefix) or self._make(prefix)
        if select_fields is not None and select_fields is not cache.select_fields:
            cache.forget_fields(select_fields)
        return cache

    async def catch_up(self) -> None:
        """Return once all of it is as new as its stores were. Raises ServiceUnavailable, Timeout."""
        await asyncio.gather(*[each.shared.catch_up() for each in (self, *self._siblings)])

    def caches(self) -> list[ResourceCache]:
        return [*self._caches.values(), *[cache for sibling in self._siblings for cache in sibling.caches()]]

    def follow(self, listener: Listener) -> None:
        """From now on it is called with each change of any resource, as the listeners of one are."""
        self._listeners.append(listener)
        for cache in self._caches.values():
            cache.listeners.append(listener)
        for sibling in self._siblings:
            sibling.follow(listener)

    def follow_made(self, listener: Callable[[ResourceCache], None]) -> None:
        """From now on it is called with each cache that is made, before that is used."""
        self._made_listeners.append(listener)
        for sibling in self._siblings:
            sibling.follow_made(listener)

    def drop(self, cache: ResourceCache, in_flight: InFlight) -> None:
        """The resource is no more. Its watches get what there is for them, and end a little later."""
        if self._caches.get(cache.prefix) is cache:
            del self._caches[cache.prefix]
            self.shared.damaged_count -= len(cache.damaged)
        self._dropped.add(cache)
        self._run(self._end_dropped(cache, in_flight))

    def retire(
        self, cache: ResourceCache, in_flight: InFlight, forms: Collection[Form], fields: Collection[str]
    ) -> None:
        """The objects are shown in `forms` no more, and selected by `fields` from now on. Watches in the forms end a
        little later, and what was encoded in them is dropped. Those that select by other fields end at once, since such
        fields are not found in objects any more. No watch resumes from before: upstream makes a new cache, whose window
        begins when it is made."""
        cache.history.refuse_watches_before(cache.revision)
        stale = cache.watches_in(forms)
        known = {METADATA_NAME, METADATA_NAMESPACE, *fields}
        for watch in stale:
            if any(field not in known for field, _, _ in watch.options.selection.fields):
                watch.end()
        self._run(self._end_retired(cache, in_flight, stale, frozenset(forms)))

    def _run(self, ending: Coroutine[Any, Any, None]) -> None:
        task = self.shared.loop.create_task(ending)
        self._endings.add(task)
        task.add_done_callback(self._endings.discard)

    async def _end_retired(
        self, cache: ResourceCache, in_flight: InFlight, stale: list[Watch], forms: frozenset[Form]
    ) -> None:
        await asyncio.sleep(RETIRED_S)
        await in_flight.drained()
        self.shared.dispatcher.drain(cache.hub)
        for watch in stale:
            watch.end()
        await upkeep.forget_encodings(cache, forms)

    async def _end_dropped(self, cache: ResourceCache, in_flight: InFlight) -> None:
        await asyncio.sleep(RETIRED_S)
        await in_flight.drained()
        cache.end_watches()
        self._dropped.discard(cache)
        self._aging.give_back(*await upkeep.release(cache))

    def _make(self, prefix: str) -> ResourceCache:
        limits = self._limits
        history_min = (limits.history_min_of or {}).get(prefix, limits.history_min)
        is_late = prefix in self.late_prefixes  # without a cache nothing of it has changed
        cache = ResourceCache(self.shared, prefix, self._loaded_revision if is_late else self.revision, history_min)
        cache.is_uncached |= not limits.has_cache or prefix in limits.uncached
        cache.listeners += self._listeners
        cache.is_from_start = is_late or self.revision == self._loaded_revision
        self._caches[prefix] = cache
        for made in self._made_listeners:
            made(cache)
        return cache

    # - the feed

    def _receive(self, events: Sequence[interface.Event], revision: int) -> None:
        """The store's sink."""
        if self._early is not None:
            self._early.append((events, revision))
            return
        now_s = self.shared.now_s()
        caches, shared = self._caches, self.shared
        for event in events:
            prefix = prefix_of(event.key)
            cache = caches.get(prefix) or self._make(prefix)
            shared.revision = event.revision
            cache.apply(event, now_s)
        shared.reach(revision)

    # - bookmarks and deadlines

    def _expire(self, due: list[Watch]) -> None:
        now_s = self.shared.now_s()
        bookmarked: dict[tuple[kernel.Hub, Form], list[watchchannel.Watcher]] = {}
        for watch in due:
            if watch.is_ended:
                continue
            if watch.deadline_s <= now_s:
                watch.end()
                continue
            watcher = watch.watcher
            if watch.is_caught_up and watcher is not None:
                if watcher.needs_header:
                    self._send_first_bookmark(watch, watcher)
                else:
                    bookmarked.setdefault((watch.source.hub, watch.form), []).append(watcher)
            watch.bucket = self.deadlines.add(watch, watch.schedule(now_s))
        for (hub, form), watchers in bookmarked.items():
            try:
                data = form.encode_bookmark(self.revision, is_initial_end=False, is_first=False)
            except EncodingError:
                upkeep.end_all(watchers)
                continue
            for watcher, rest in hub.send_each(watchers, form.framing.frame_event(frames.BOOKMARK, data)):
                if isinstance(watcher.owner, Watch):
                    watcher.owner.write_chunks(rest)

    def _send_first_bookmark(self, watch: Watch, watcher: watchchannel.Watcher) -> None:
        data = watch.form.encode_bookmark(self.revision, is_initial_end=False, is_first=True)
        hub = watch.source.hub
        hub.give_header(watcher)
        for _, rest in hub.send_each([watcher], watch.form.framing.frame_event(frames.BOOKMARK, data)):
            watch.write_chunks(rest)
