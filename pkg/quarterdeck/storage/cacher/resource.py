"""The cache of one resource: its objects, its recent changes, its watchers.

Fed by the Cacher with each durable write, in revision order; never ahead of the store. Reads are synchronous wherever
the answer is here; what has to wait or to ask the store is a coroutine.

Source of the semantics: apiserver/pkg/storage/cacher/{cacher,watch_cache}.go; resourceVersion rules of
https://kubernetes.io/docs/reference/using-api/api-concepts/#resource-versions.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from functools import partial
from sys import intern
from typing import TYPE_CHECKING, Any, Final

from quarterdeck._kernels import watch as kernel
from quarterdeck._kernels import watchobject
from quarterdeck.apimachinery import errors
from quarterdeck.apimachinery.codec import json as codec
from quarterdeck.storage import interface
from quarterdeck.storage.cacher import frames, lists
from quarterdeck.storage.cacher.attributes import share
from quarterdeck.storage.cacher.forms import EncodingError, Form, base_form, encode
from quarterdeck.storage.cacher.history import History
from quarterdeck.storage.cacher.lanes import Lane, awaited_form, prepare
from quarterdeck.storage.cacher.options import Attributes, Listing, ListOptions, WatchOptions, parse_watch_revision
from quarterdeck.storage.cacher.state import State
from quarterdeck.storage.cacher.watching import Watch

if TYPE_CHECKING:
    from quarterdeck.storage.cacher.cacher import Cacher

CORE: Final = "core"  # stands for the empty group in keys

# How far a watcher may fall behind before it is ended. Upstream's channels hold 10 to 1,000 events and are given up to
# 100 ms; here frames are shared, so that a bound costs memory once a selection and not once a watcher.
FRAMES_MAX: int = 8192
BYTES_MAX: Final = 32 * 1024 * 1024

# Changes older than the window that a resuming watch may have looked up in the store.
STORE_REPLAY_MAX: Final = 10_000

Entries = list[watchobject.Entry]
Changes = list[watchobject.Change]
Seen = list[tuple[int, watchobject.Entry]]
SelectFields = Callable[[dict[str, Any]], dict[str, str]]
Listener = Callable[[watchobject.Change], None]
Listeners = list[Listener]
Watches = list[Watch]


class Counts:
    """What has happened so far: changes that the cache was fed, events of replays, watchers that were given up, lists
    and the objects that they looked at and showed."""

    __slots__ = ("fetched", "initial", "lists", "received", "returned", "terminated_watchers")

    def __init__(self) -> None:
        self.fetched = self.initial = self.lists = self.received = self.returned = self.terminated_watchers = 0


def no_fields(obj: dict[str, Any]) -> dict[str, str]:
    return {}


class ResourceCache:
    """`prefix` is "/registry/<group>/<resource>/". `select_fields` finds the values of selectable fields in an object
    whose writer did not tell them."""

    def __init__(self, cacher: Cacher, prefix: str, floor: int, history_min: int) -> None:
        self.prefix = prefix
        self.select_fields: SelectFields = no_fields
        self.listeners: Listeners = []
        self.watches: dict[Watch, None] = {}
        self.history = History(floor, history_min)
        self.state = State()
        self.hub = kernel.Hub(self._encode_frame, self.decode, FRAMES_MAX, BYTES_MAX)
        self.counts = Counts()
        # Paths of objects whose records could not be read when the cache was filled: they are there all the same.
        self.damaged: set[str] = set()
        self.is_from_start = False  # loaded with the store: older changes may be found there
        self._cacher = cacher
        self._future: Watches = []
        self._lanes: dict[Form, Lane] = {}
        self._deliveries_of_gone_lanes = 0

    @property
    def deliveries(self) -> int:
        """Events that were given to watchers, each counted for each of them."""
        return (
            self.hub.deliveries
            + self._deliveries_of_gone_lanes
            + sum(lane.hub.deliveries for lane in self._lanes.values())
        )

    @property
    def revision(self) -> int:
        """The revision that the cache reflects: the store's."""
        return self._cacher.revision

    @property
    def is_behind(self) -> bool:
        """A consistent read has to wait for the feed."""
        return self._cacher.is_behind

    @property
    def object_count(self) -> int:
        return len(self.state)

    # - reading

    def get(self, namespace: str, name: str) -> watchobject.Entry | None:
        """The newest durable state of one object; `namespace` is "" for a cluster-scoped one."""
        return self.state.get(f"{namespace}/{name}" if namespace else name)

    def check_readable(self, selection: watchobject.Selection) -> None:
        """Raises StorageReadError where an object that could be in the selection cannot be read (KEP-3926)."""
        if not self.damaged:
            return
        paths = sorted(self.damaged)
        if selection.path is not None:
            paths = [path for path in paths if path == selection.path]
        elif selection.namespace:
            paths = [path for path in paths if path.startswith(selection.namespace + "/")]
        if paths:
            group, resource = self.prefix.split("/")[2:4]
            keys = [self.prefix + path for path in paths]
            raise errors.StorageReadError.of("" if group == CORE else group, resource, keys)

    async def wait_for(self, revision: int) -> None:
        """Return once the cache is not older than `revision`; after 3 s Timeout with "Too large resource version"."""
        await self._cacher.wait_for(revision)

    def list_now(self, options: ListOptions) -> Listing | None:
        """The list, or None where it has to be awaited (`list`)."""
        listing = lists.list_now(self, options)
        if listing is not None:
            self._count_list(listing)
        return listing

    async def list(self, options: ListOptions) -> Listing:
        listing = await lists.list_later(self, self._cacher, options)
        self._count_list(listing)
        return listing

    def _count_list(self, listing: Listing) -> None:
        self.counts.lists += 1
        self.counts.returned += len(listing.entries)

    def select(self, selection: watchobject.Selection, entries: Entries) -> Entries:
        self.counts.fetched += len(entries)
        return entries if selection.is_everything else self.hub.select(selection, entries)

    def snapshot(self, selection: watchobject.Selection) -> Entries:
        """What the selection holds now, in key order."""
        if selection.path is not None:
            candidates = self.state.get(selection.path)
            return self.select(selection, [candidates]) if candidates is not None else []
        if selection.namespace:
            return self.select(selection, list(self.state.range(selection.namespace + "/")))
        if selection.name:
            candidates = self.state.get(selection.name)
            if candidates is not None:
                return self.select(selection, [candidates])
        return self.select(selection, self.state.all())

    def decode(self, entry: watchobject.Entry) -> None:
        """Find an entry's labels and selectable fields in its bytes."""
        obj = codec.load(entry.data)
        labels = (obj.get("metadata") or {}).get("labels")
        entry.labels = share(labels if isinstance(labels, dict) else {})
        entry.fields = share(self.select_fields(obj))

    def forget_encodings(self) -> None:
        """Let go of what was encoded: for forms that are no more, and for others, which encode it anew."""
        for entry in self.state.all():
            entry.forget_encodings()

    def forget_fields(self, select_fields: SelectFields) -> None:
        """The selectable fields are others now."""
        self.select_fields = select_fields
        for entry in self.state.all():
            entry.labels = entry.fields = None

    # - feeding (by the Cacher)

    def build_entry(
        self, key: str, value: bytes, revision: int, create_revision: int, note: object
    ) -> watchobject.Entry:
        path = key[len(self.prefix) :]
        namespace, slash, _ = path.partition("/")
        data = watchobject.splice_revision(value, revision)
        if data is None:  # written by another hand: brought into our order
            value = codec.encode(codec.canonical_object(codec.load(value)))
            data = codec.splice_resource_version(value, revision)
        labels = fields = None
        if isinstance(note, Attributes):
            labels, fields = share(note.labels), share(note.fields)
        return watchobject.Entry(
            path, intern(namespace) if slash else "", data, revision, create_revision, labels, fields
        )

    def apply(self, event: interface.Event, now_s: float) -> None:
        old = self.state.get(event.key[len(self.prefix) :])
        if self.damaged:
            self.damaged.discard(event.key[len(self.prefix) :])
        if event.value is None:
            if old is None:
                return
            entry = None
            self.state.remove(old.path)
        else:
            created = old is None or event.created
            create_revision = event.revision if created or old is None else old.create_revision
            entry = self.build_entry(event.key, event.value, event.revision, create_revision, event.note)
            self.state.put(entry)
        self.counts.received += 1
        change = watchobject.Change(entry, old, event.revision, now_s)
        self.history.append(change)
        if self._future:
            self._start_reached(event.revision)
        outcome = self.hub.publish(change)
        if outcome:
            self._deliver(self.hub, outcome)
        for lane in list(self._lanes.values()):
            lane.feed(change)
        for listener in self.listeners:
            listener(change)

    def _deliver(self, hub: kernel.Hub, outcome: int) -> None:
        for watcher in hub.take_ended():
            self.counts.terminated_watchers += 1
            if isinstance(watcher.owner, Watch):
                watcher.owner.end()
        if outcome:
            self._cacher.dispatcher.wake(hub)
        if outcome == kernel.PRESSURE:
            self._cacher.dispatcher.drain(hub)

    def _encode_frame(self, form: Form, kind: int, change: watchobject.Change, is_first: bool) -> bytes | None:
        entry = change.tombstone if kind == kernel.DELETED else change.entry
        assert entry is not None
        try:
            return form.framing.frame_event(kind, form.encode_first(entry) if is_first else encode(entry, form))
        except EncodingError:
            return None
        except Exception as error:  # noqa: BLE001 - a bug in showing one object must not stop the feed of all
            self._cacher.report(f"{self.prefix}{entry.path} cannot be shown in {form!r}", error)
            return None

    # - watching

    def watch(self, options: WatchOptions, form: Form) -> Watch:
        """Open a watch; nothing is written before `Watch.attach`. Raises Unreasoned for a bad resourceVersion."""
        revision = parse_watch_revision(options.resource_version)
        now_s = self._cacher.now_s()
        watch = Watch(self if awaited_form(form) is None else self._lane(form), options, form, now_s)
        self._begin(watch, revision)
        self.watches[watch] = None
        at_s = watch.schedule(now_s)
        if at_s != float("inf"):
            watch.bucket = self._cacher.deadlines.add(watch, at_s)
        return watch

    def _begin(self, watch: Watch, revision: int) -> None:
        wants_objects = watch.options.send_initial_events
        if wants_objects is None:
            wants_objects = revision == 0
        if wants_objects:
            if revision > self.revision:
                watch.prepare(self._begin_later(watch, revision))
            else:
                self._begin_with_objects(watch)
        elif revision == 0 or revision == self.revision:
            self._start(watch, [])
        elif revision > self.revision:
            watch.future_revision = revision
            self._future.append(watch)
        elif revision >= self.history.floor:
            self._start(watch, self._seen_by(watch, self.history.since(revision)))
        elif self._is_in_store(revision) and watch.host is self:
            # Differs from upstream: a client that resumes after a restart of the server is served from the store.
            watch.join()
            newer = self.history.since(self.history.floor)
            up_to = newer[0].revision - 1 if newer else self.revision
            watch.prepare(self._begin_from_store(watch, revision, up_to, newer))
        else:
            watch.fail(self._too_old(revision))

    def _is_in_store(self, revision: int) -> bool:
        """Revision 1 is older than the server's own first objects; nobody has been told of it."""
        is_older_told = self.is_from_start or self.history.is_off
        return is_older_told and revision > 1 and revision >= self._cacher.storage.compacted_revision

    def _start(self, watch: Watch, events: Seen, end_revision: int = 0) -> None:
        """Tell the events, then (with `end_revision`) that they were the initial ones, then what comes."""
        lane = watch.host
        if isinstance(lane, Lane):
            watch.wait()
            lane.open(watch, partial(self._join_in_lane, events=events, end_revision=end_revision))
        else:
            self._join(watch, events, end_revision)

    def _join(self, watch: Watch, events: Seen, end_revision: int) -> None:
        self.counts.initial += len(events)
        has_replay = bool(events or end_revision)
        watch.join(wants_header=not has_replay)
        if has_replay:
            watch.replay(self._pieces(watch.form, iter(events), end_revision))

    async def _join_in_lane(self, watch: Watch, events: Seen, end_revision: int) -> None:
        """All changes that the events include are out; the later ones stand behind in the queue."""
        self._join(watch, events, end_revision)
        await prepare(watch.form, [entry for _, entry in events])
        watch.ready()

    def _lane(self, form: Form) -> Lane:
        lane = self._lanes.get(form)
        if lane is None:
            hub = kernel.Hub(self._encode_frame, self.decode, FRAMES_MAX, BYTES_MAX)
            lane = self._lanes[form] = Lane(form, hub, self._deliver, self._forget_in_lane)
        return lane

    def _forget_in_lane(self, lane: Lane, watch: Watch) -> None:
        self.forget(watch)
        if not lane.watches and self._lanes.pop(lane.form, None) is not None:
            self._deliveries_of_gone_lanes += lane.hub.deliveries

    def _too_old(self, revision: int) -> errors.APIStatus:
        if self.history.is_off:
            return errors.Expired("The resourceVersion for the provided watch is too old.")
        return errors.Expired(f"too old resource version: {revision} ({self.history.floor})")

    def _begin_with_objects(self, watch: Watch) -> None:
        try:
            self.check_readable(watch.options.selection)
        except errors.StorageReadError as error:
            watch.fail(error)
            return
        events = [(kernel.ADDED, entry) for entry in self.snapshot(watch.options.selection)]
        is_told = watch.options.send_initial_events and watch.options.allow_bookmarks
        self._start(watch, events, self.revision if is_told else 0)

    async def _begin_later(self, watch: Watch, revision: int) -> None:
        await self._cacher.wait_for(revision)
        self._begin_with_objects(watch)

    def _seen_by(self, watch: Watch, changes: Changes) -> Seen:
        hub, selection = self.hub, watch.options.selection
        events: Seen = []
        for change in changes:
            entry, old = change.entry, change.old
            was = old is not None and hub.matches(selection, old)
            if entry is not None and hub.matches(selection, entry):
                events.append((kernel.MODIFIED if was else kernel.ADDED, entry))
            elif was:
                events.append((kernel.DELETED, change.tombstone))
        return events

    async def _begin_from_store(self, watch: Watch, revision: int, up_to: int, newer: Changes) -> None:
        """Replay what the store has up to a revision, then the window's changes; the live ones collect meanwhile."""
        try:
            older = await self._read_changes(revision, up_to)
        except interface.Compacted as error:
            raise self._too_old(revision) from error
        if len(older) > STORE_REPLAY_MAX:
            raise self._too_old(revision)
        events = self._seen_by(watch, older + newer)
        assert watch.watcher is not None
        if events:
            self.hub.give_header(watch.watcher)
            watch.replay(self._pieces(watch.form, iter(events), 0))

    async def _read_changes(self, after: int, up_to: int) -> Changes:
        storage = self._cacher.storage
        changes: Changes = []
        last: dict[str, watchobject.Entry | None] = {}
        for event in await storage.events(self.prefix, after):
            if event.revision > up_to:
                break
            path = event.key[len(self.prefix) :]
            old = last.get(path)
            if path not in last and not event.created:
                before = await storage.get(event.key, event.revision - 1)
                old = before and self.build_entry(
                    before.key, before.value, before.revision, before.create_revision, None
                )
            entry = None
            if event.value is not None:
                created = event.revision if old is None else old.create_revision
                entry = self.build_entry(event.key, event.value, event.revision, created, None)
            last[path] = entry
            if entry is not None or old is not None:
                changes.append(watchobject.Change(entry, old, event.revision))
        return changes

    def _pieces(
        self, form: Form, events: Iterator[tuple[int, watchobject.Entry]], end_revision: int
    ) -> Iterator[bytes]:
        """The replay's bytes; with `end_revision` a bookmark ends it that says so."""
        is_first = form.has_header
        if is_first:
            for kind, entry in events:
                yield form.framing.frame_event(kind, form.encode_first(entry))
                is_first = False
                break
        yield from form.framing.frame_many((kind, encode(entry, form)) for kind, entry in events)
        if end_revision:
            data = form.encode_bookmark(end_revision, is_initial_end=True, is_first=is_first)
            yield form.framing.frame_event(frames.BOOKMARK, data)

    def _start_reached(self, revision: int) -> None:
        """Watches of the future see what comes after the revision that they named."""
        reached = [watch for watch in self._future if watch.future_revision < revision]
        if reached:
            self._future = [watch for watch in self._future if watch.future_revision >= revision]
            for watch in reached:
                self._start(watch, [])
                watch.resumed()

    # - for the watches (Host)

    def wake(self) -> None:
        self._cacher.dispatcher.wake(self.hub)

    def forget(self, watch: Watch) -> None:
        self.watches.pop(watch, None)
        if watch in self._future:
            self._future.remove(watch)
        self._cacher.deadlines.remove(watch, watch.bucket)

    def watches_besides(self, forms: Collection[Form]) -> Watches:
        """The watches in other forms than these and those that are made from them."""
        return [watch for watch in self.watches if base_form(watch.form) not in forms]

    def end_watches(self) -> None:
        """Send what is still to be sent, then end them all."""
        self._cacher.dispatcher.drain(self.hub)
        for watch in list(self.watches):
            watch.end()
