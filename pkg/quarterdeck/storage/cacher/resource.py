"""The cache of one resource: its objects, its recent changes, its watchers.

Fed by the Cacher with each durable write, in revision order; never ahead of the store. Reads are synchronous wherever
the answer is here; what has to wait or to ask the store is a coroutine.

Source of the semantics: apiserver/pkg/storage/cacher/{cacher,watch_cache}.go; resourceVersion rules of
https://kubernetes.io/docs/reference/using-api/api-concepts/#resource-versions.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection
from functools import partial
from typing import Final

from quarterdeck._kernels import watch as kernel
from quarterdeck._kernels import watchobject
from quarterdeck._kernels.metrics import Buckets, Histogram
from quarterdeck.apimachinery import errors
from quarterdeck.storage import interface
from quarterdeck.storage.cacher import lists, picking, refusals, replay
from quarterdeck.storage.cacher.encoding import encode
from quarterdeck.storage.cacher.form_queue import FormQueue, awaited_form, prepare
from quarterdeck.storage.cacher.forms import EncodingError, Form, base_form
from quarterdeck.storage.cacher.options import ListOptions, ListResult, WatchOptions, parse_watch_revision
from quarterdeck.storage.cacher.past import Past
from quarterdeck.storage.cacher.replay import Changes, Events
from quarterdeck.storage.cacher.shared import SharedState
from quarterdeck.storage.cacher.stored import StoredObjects
from quarterdeck.storage.cacher.watching import Watch

# How far a watcher may fall behind before it is ended. Upstream's channels hold 10 to 1,000 events and are given up to
# 100 ms; here frames are shared, so that a bound costs memory once a selection and not once a watcher.
FRAMES_MAX: int = 8192
BYTES_MAX: Final = 32 * 1024 * 1024
_SIZES_BYTES: Final = Buckets([1024 * 2**power for power in range(8)])
# Changes older than the window that a resuming watch may have looked up in the store.
STORE_REPLAY_MAX: Final = 10_000
_INT64_MAX: Final = 2**63 - 1

Listener = Callable[[watchobject.Change], None]
Listeners = list[Listener]
Watches = list[Watch]


class ResourceCache(StoredObjects):
    """`listeners` are called with each change, in the feed: they must not fail, nor take long."""

    def __init__(self, shared: SharedState, prefix: str, floor: int, history_min: int) -> None:
        super().__init__(shared, prefix, floor, history_min)
        self.listeners: Listeners = []
        self.watches: dict[Watch, None] = {}
        self.event_sizes = Histogram(_SIZES_BYTES)
        self.hub = self._build_hub()
        self._future: Watches = []
        self._queues: dict[Form, FormQueue] = {}

    @property
    def deliveries(self) -> int:
        """Events that were given to watchers, each counted for each of them."""
        return self.event_sizes.count

    # - reading

    def list_now(self, options: ListOptions, told: int = 0) -> ListResult | None:
        """The list, or None where it has to be awaited (`list`)."""
        listing = lists.list_now(self, options, told)
        if listing is not None:
            self._count_list(listing)
        return listing

    async def list(self, options: ListOptions, told: int = 0) -> ListResult:
        listing = await lists.list_later(self, options, told)
        self._count_list(listing)
        return listing

    def _count_list(self, listing: ListResult) -> None:
        self.counts.lists += 1
        self.counts.returned += len(listing.entries)

    # - feeding (by the Cacher)

    def apply(self, event: interface.Event, now_s: float) -> None:
        old = self.state.get(event.key[len(self.prefix) :])
        if self.damaged:
            self.forget_damaged(event.key[len(self.prefix) :])
        if event.value is None:
            if isinstance(event.hint, interface.Corrupt):
                self.lose(old, event.hint, event.revision)
                self.end_watches()
                return
            if old is None:
                return
            entry = None
            self.remove(old)
        else:
            created = old is None or event.created
            create_revision = event.revision if created or old is None else old.create_revision
            entry = self.build_entry(event.key, event.value, event.revision, create_revision, event.hint)
            self.put(entry, old)
        self.counts.received += 1
        change = watchobject.Change(entry, old, event.revision, now_s)
        self.history.append(change)
        if self._future:
            self._start_reached(event.revision)
        outcome = self.hub.publish(change)
        if outcome:
            self._deliver(self.hub, outcome)
        for queue in list(self._queues.values()):
            queue.feed(change)
        for listener in self.listeners:
            listener(change)

    def _deliver(self, hub: kernel.Hub, outcome: int) -> None:
        for watcher in hub.take_ended():
            self.counts.terminated_watchers += 1
            if isinstance(watcher.owner, Watch):
                watcher.owner.end()
        if outcome:
            self.shared.dispatcher.wake(hub)
        if outcome == kernel.PRESSURE:
            self.shared.dispatcher.drain(hub)

    def _encode_frame(self, form: Form, kind: int, change: watchobject.Change, is_first: bool) -> bytes | None:
        entry = change.tombstone if kind == kernel.DELETED else change.entry
        assert entry is not None
        try:
            return form.framing.frame_event(kind, form.encode_first(entry) if is_first else encode(entry, form))
        except EncodingError:
            return None
        except Exception as error:  # noqa: BLE001 - a bug in showing one object must not stop the feed of all
            self.shared.report(f"{self.prefix}{entry.path} cannot be shown in {form!r}", error)
            return None

    # - watching

    def watch(self, options: WatchOptions, form: Form) -> Watch:
        """Open a watch; nothing is written before `Watch.attach`. Raises Unreasoned for a bad resourceVersion."""
        revision = parse_watch_revision(options.resource_version)
        now_s = self.shared.now_s()
        watch = Watch(self if awaited_form(form) is None else self._queue_of(form), options, form, now_s)
        self._begin(watch, revision)
        self.watches[watch] = None
        at_s = watch.schedule(now_s)
        if at_s != float("inf"):
            watch.bucket = self.shared.deadlines.add(watch, at_s)
        return watch

    def _begin(self, watch: Watch, revision: int) -> None:
        asked = watch.options.send_initial_events
        if asked or (asked is None and revision == 0):
            if revision > self.revision:
                watch.prepare(self._begin_later(watch, revision))
            elif (rest := self._begin_with_objects(watch)) is not None:
                watch.prepare(rest)
        elif revision == 0 or revision == self.revision:
            self._start(watch, [])
        elif self.is_uncached and revision >= _INT64_MAX:  # the next one is negative where it is asked of etcd
            watch.fail(self._too_old(revision))
        elif revision > self.revision:
            watch.future_revision = revision
            self._future.append(watch)
        elif revision >= self.history.resumable_from:
            changes = self.history.since(revision)
            self._start(watch, replay.seen_by(self, watch.options.selection, changes))
        elif self._is_in_store(revision) and watch.source is self:
            # Differs from upstream: a client that resumes after a restart of the server is served from the store.
            watch.join()
            newer = self.history.since(self.history.floor)
            up_to = newer[0].revision - 1 if newer else self.revision
            watch.prepare(self._begin_from_store(watch, revision, up_to, newer))
        else:
            watch.fail(self._too_old(revision))

    def _is_in_store(self, revision: int) -> bool:
        """Revision 1 is older than the server's own first objects: no client has been told of it."""
        oldest = max(2, self.history.watch_floor, self.shared.storage.compacted_revision)
        return revision >= oldest and (self.is_from_start or self.history.is_off)

    def _start(self, watch: Watch, events: Events, end_revision: int = 0) -> None:
        """Tell the events, then (with `end_revision`) that they were the initial ones, then what comes."""
        queue = watch.source
        if isinstance(queue, FormQueue):
            watch.wait()
            queue.open(watch, partial(self._join_in_queue, events=events, end_revision=end_revision))
        else:
            self._join(watch, events, end_revision)

    def _join(self, watch: Watch, events: Events, end_revision: int) -> None:
        self.counts.initial += len(events)
        has_replay = bool(events or end_revision)
        watch.join(wants_header=not has_replay)
        if has_replay:
            watch.replay(replay.pieces(watch.form, iter(events), end_revision))

    async def _join_in_queue(self, watch: Watch, events: Events, end_revision: int) -> None:
        """All changes that the events include are out; the later ones stand behind in the queue."""
        self._join(watch, events, end_revision)
        await prepare(watch.form, [entry for _, entry in events])
        watch.ready()

    def _queue_of(self, form: Form) -> FormQueue:
        queue = self._queues.get(form)
        if queue is None:
            queue = self._queues[form] = FormQueue(form, self._build_hub(), self._deliver, self._forget_in_queue)
        return queue

    def _build_hub(self) -> kernel.Hub:
        return kernel.Hub(self._encode_frame, self.decode, self.event_sizes, FRAMES_MAX, BYTES_MAX)

    def _forget_in_queue(self, queue: FormQueue, watch: Watch) -> None:
        self.forget(watch)
        if not queue.watches:
            self._queues.pop(queue.form, None)

    def _too_old(self, revision: int) -> errors.APIStatus:
        is_off = self.history.is_off or self.is_uncached
        return refusals.watch_too_old(revision, 0 if is_off else self.history.resumable_from)

    def _begin_with_objects(self, watch: Watch) -> Awaitable[None] | None:
        """Returns what is still to be awaited, where the objects are too many to look at in one step."""
        selection = watch.options.selection
        try:
            self.check_readable(selection)
        except errors.StorageReadError as error:
            watch.fail(error)
            return None
        end_revision = self.revision if watch.tells_of_initial_end else 0
        prefix, past = selection.namespace and selection.namespace + "/", Past(self.revision)
        picked = picking.pick(self, selection, past, prefix, "", 0)
        # Whether the first live event has to bring a form's header is not known before all objects were looked at.
        if picked is None and (self.fits_a_step(selection) or watch.form.has_header or watch.source is not self):
            picked = self.snapshot(selection)
            picking.prepare(self, selection, prefix)
        if picked is not None:
            self._start(watch, replay.added(picked), end_revision)
            return None
        watch.join(wants_header=False)
        return self._begin_in_steps(watch, past, prefix, end_revision)

    async def _begin_in_steps(self, watch: Watch, past: Past, prefix: str, end_revision: int) -> None:
        """The live changes collect meanwhile."""
        scanned = await lists.scan(self, past, watch.options.selection, prefix, "", 0)
        if scanned is None:
            raise self._too_old(past.revision)
        self.counts.initial += len(scanned.chosen)
        if scanned.chosen or end_revision:
            watch.replay(replay.pieces(watch.form, iter(replay.added(scanned.chosen)), end_revision))

    async def _begin_later(self, watch: Watch, revision: int) -> None:
        await self.shared.wait_for(revision)
        rest = self._begin_with_objects(watch)
        if rest is not None:
            await rest

    async def _begin_from_store(self, watch: Watch, revision: int, up_to: int, newer: Changes) -> None:
        """Replay what the store has up to a revision, then the window's changes; the live ones collect meanwhile."""
        try:
            older = await replay.read_changes(self, revision, up_to, STORE_REPLAY_MAX + 1)
        except (interface.Compacted, interface.Corrupt) as error:  # either way these changes are not to be had
            raise self._too_old(revision) from error
        except interface.Unavailable as error:
            raise refusals.unavailable() from error
        if len(older) > STORE_REPLAY_MAX:
            raise self._too_old(revision)
        events = replay.seen_by(self, watch.options.selection, older + newer)
        assert watch.watcher is not None
        if events:
            self.hub.give_header(watch.watcher)
            watch.replay(replay.pieces(watch.form, iter(events), 0))

    def _start_reached(self, revision: int) -> None:
        """Watches of the future see what comes after the revision that they named."""
        reached = [watch for watch in self._future if watch.future_revision < revision]
        if reached:
            self._future = [watch for watch in self._future if watch.future_revision >= revision]
            for watch in reached:
                self._start(watch, [])
                watch.resumed()

    # - for the watches (WatchSource)

    def wake(self) -> None:
        self.shared.dispatcher.wake(self.hub)

    def forget(self, watch: Watch) -> None:
        self.watches.pop(watch, None)
        if watch in self._future:
            self._future.remove(watch)
        self.shared.deadlines.remove(watch, watch.bucket)

    def watches_in(self, forms: Collection[Form]) -> Watches:
        """The watches in these forms and in those that are made from them."""
        return [watch for watch in self.watches if base_form(watch.form) in forms]

    def end_watches(self) -> None:
        """Send what is still to be sent, then end them all."""
        self.shared.dispatcher.drain(self.hub)
        for watch in list(self.watches):
            watch.end()
