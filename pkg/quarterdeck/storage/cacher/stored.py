"""The objects of one resource as the watch cache holds them, and how they are looked at: by key, range and selection.

Labels and selectable fields of objects that were loaded at the start are found when a selector first needs them. That
takes time, and so does evaluating a selector for very many objects: callers ask `fits_a_step` first, and select step by
step (lists.scan) where it is false.

Source of the semantics: apiserver/pkg/storage/cacher/watch_cache.go.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from sys import intern
from typing import Any, Final

from quarterdeck._kernels import objectbytes, watchobject
from quarterdeck._kernels.metrics import now_s
from quarterdeck.apimachinery import errors
from quarterdeck.apimachinery.codec import json as codec
from quarterdeck.storage import interface
from quarterdeck.storage.cacher import refusals
from quarterdeck.storage.cacher.attributes import Attributes, share
from quarterdeck.storage.cacher.counts import Counts
from quarterdeck.storage.cacher.history import History
from quarterdeck.storage.cacher.index import SelectorIndex
from quarterdeck.storage.cacher.shared import SharedState
from quarterdeck.storage.cacher.state import State

CORE: Final = "core"  # stands for the empty group in keys
# Final: compiled code looks up what a module may set anew in a dictionary each time.
_splice_revision: Final = objectbytes.splice_revision
_Entry: Final = watchobject.Entry
_intern: Final = intern

# How many objects are looked at before others have their turn, and how many of them one costs that has to be decoded.
# 100,000 small objects by a label: 20 turns of some 3 ms.
STEP_OBJECTS: int = 5000
DECODED_COST: Final = 20

Entries = list[watchobject.Entry]
SelectFields = Callable[[dict[str, Any]], dict[str, str]]
Coerce = Callable[[bytes], bytes]


def no_fields(obj: dict[str, Any]) -> dict[str, str]:
    return {}


def build_entry(
    prefix: str, key: str, value: bytes, revision: int, create_revision: int, hint: object
) -> watchobject.Entry:
    """`prefix`: that of the key's resource. `hint`: what the writer knows of the object (Attributes), or None."""
    path = key[len(prefix) :]
    namespace, slash, _ = path.partition("/")
    data = _splice_revision(value, revision)
    if data is None:  # written by another hand: brought into our order
        value = codec.encode(codec.canonical_object(codec.load(value)))
        data = codec.splice_resource_version(value, revision)
    labels = fields = None
    if isinstance(hint, Attributes):
        labels, fields = share(hint.labels), share(hint.fields)
    return _Entry(path, _intern(namespace) if slash else "", data, revision, create_revision, labels, fields)


_EVENTS: Final = "/registry/core/events/"


class StoredObjects:
    """`prefix` is "/registry/<group>/<resource>/". `select_fields` finds the values of selectable fields in an object
    whose writer did not tell them. `undecoded` counts the current objects whose labels and fields are not known."""

    def __init__(self, shared: SharedState, prefix: str, floor: int, history_min: int) -> None:
        self.shared = shared
        self.prefix = prefix
        # Upstream keeps no watch cache of them: what is told of limits and revisions is what etcd does.
        self.is_uncached = prefix == _EVENTS
        self.select_fields: SelectFields = no_fields
        self._coerce: Coerce | None = None
        self.history = History(floor, history_min)
        self.state = State()
        self.is_from_start = False  # loaded with the store: older changes may be found there
        self.is_inherited = False  # objects were written under a definition that is no more
        self.counts = Counts()
        self.undecoded = 0
        self.index: SelectorIndex | None = None  # since a selector had to look at very many
        # By path: objects whose records could not be read when the cache was filled. They are there all the same.
        self.damaged: dict[str, interface.Corrupt] = {}
        # Those of them that may be any object of the resource: their own path is lost.
        self.unknown: set[str] = set()

    async def wait_for(self, revision: int) -> None:
        """Return once the cache is not older than `revision`; after 3 s Timeout with "Too large resource version", at
        once where upstream has no cache that could catch up. Raises ServiceUnavailable."""
        if self.is_uncached and revision > (current := await self.shared.newest()):
            raise refusals.revision_too_large(revision, current, 0)
        begin_s = now_s()
        try:
            await self.shared.wait_for(revision)
        finally:
            self.counts.read_waits.observe_since(begin_s)

    @property
    def revision(self) -> int:
        """The revision that the cache reflects: the store's."""
        return self.shared.revision

    @property
    def is_behind(self) -> bool:
        """A consistent read has to wait for the feed."""
        return self.shared.is_behind

    @property
    def object_count(self) -> int:
        return len(self.state)

    # - reading

    def get(self, namespace: str, name: str) -> watchobject.Entry | None:
        """The newest durable state of one object; `namespace` is "" for a cluster-scoped one."""
        return self.state.get(f"{namespace}/{name}" if namespace else name)

    def is_unreadable(self, path: str) -> bool:
        """Whether an object that the cache does not have may be there all the same."""
        return path in self.damaged or bool(self.unknown)

    def damage_of(self, key: str) -> interface.Corrupt:
        return self.damaged.get(key[len(self.prefix) :]) or interface.Corrupt(key, "")

    def check_readable(self, selection: watchobject.Selection) -> None:
        """Raises StorageReadError where an object that could be in the selection cannot be read (KEP-3926)."""
        if not self.damaged:
            return
        paths = sorted(self.damaged)
        if selection.path is not None:
            paths = [path for path in paths if path == selection.path or path in self.unknown]
        elif selection.namespace:
            inside = selection.namespace + "/"
            paths = [path for path in paths if path.startswith(inside) or path in self.unknown]
        if paths:
            raise self.unreadable([self.prefix + path for path in paths])

    def unreadable(self, keys: list[str]) -> errors.APIStatus:
        """The answer that these records should have been in."""
        group, resource = self.prefix.split("/")[2:4]
        known = {self.prefix + path: error for path, error in self.damaged.items()}
        reasons = [refusals.reason_of(known.get(key)) for key in keys]
        return refusals.unreadable("" if group == CORE else group, resource, keys, reasons)

    def unreadable_one(self, error: interface.Corrupt) -> errors.APIStatus:
        group, resource = self.prefix.split("/")[2:4]
        return refusals.unreadable("" if group == CORE else group, resource, [error.key], [refusals.reason_of(error)])

    def fits_a_step(self, selection: watchobject.Selection) -> bool:
        """Whether a selection reads few enough objects for one turn of the event loop."""
        count = len(self.state)
        if count * DECODED_COST <= STEP_OBJECTS or selection.path is not None:
            return True
        if selection.namespace:
            count = self.state.count(selection.namespace + "/")
        if selection.labels or selection.fields:
            count += (DECODED_COST - 1) * min(count, self.undecoded)
        return count <= STEP_OBJECTS

    def select(self, selection: watchobject.Selection, entries: Entries) -> Entries:
        self.counts.fetched += len(entries)
        return entries if selection.is_everything else watchobject.select(self.decode, selection, entries)

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

    def build_index(self, selection: watchobject.Selection) -> None:
        """Take a step toward an index that knows what the selection names."""
        if self.index is None:
            self.index = SelectorIndex(self.decode)
        self.index.build(selection, partial(self.state.range, ""), STEP_OBJECTS)

    # - what is derived from the bytes

    def decode(self, entry: watchobject.Entry) -> None:
        """Find an entry's labels and selectable fields in its bytes."""
        obj = codec.load(entry.data)
        labels = (obj.get("metadata") or {}).get("labels")
        entry.labels = share(labels if isinstance(labels, dict) else {})
        entry.fields = share(self.select_fields(obj))
        self.counts.decoded += 1
        if self.undecoded and self.state.get(entry.path) is entry:
            self.undecoded -= 1

    def add_damaged(self, error: interface.Corrupt) -> None:
        """A record cannot be read."""
        path = error.key[len(self.prefix) :]
        if path not in self.damaged:
            self.damaged[path] = error
            self.shared.damaged_count += 1
        if not error.is_key_certain:
            self.unknown.add(path)

    def lose(self, old: watchobject.Entry | None, error: interface.Corrupt, revision: int) -> None:
        """What another server has written cannot be read. What it is nobody can be told: neither what was there before,
        nor that it is gone. Those who watch are to list anew, and get the error."""
        if old is not None:
            self.remove(old)
        self.add_damaged(error)
        self.break_off(revision)

    def break_off(self, revision: int) -> None:
        """Not all that happened up to a revision can be told: no watch resumes from before it."""
        self.history.forget(revision)
        self.is_from_start = False

    def forget_damaged(self, path: str) -> None:
        """What is stored there is readable again, or gone."""
        if path in self.damaged:
            del self.damaged[path]
            self.unknown.discard(path)
            self.shared.damaged_count -= 1

    def forget_fields(self, select_fields: SelectFields) -> None:
        """The selectable fields are others now."""
        self.select_fields = select_fields
        self.index = None
        for entry in self.state.unordered():
            entry.labels = entry.fields = None
        self.undecoded = len(self.state)

    # - filling

    def build_entry(
        self, key: str, value: bytes, revision: int, create_revision: int, hint: object
    ) -> watchobject.Entry:
        if hint is None and self._coerce is not None:
            value = self._coerce(value)
        return build_entry(self.prefix, key, value, revision, create_revision, hint)

    def coerce_by(self, coerce: Coerce) -> None:
        """From now on what others have written to the store is what `coerce` makes of it. So is what is here already,
        if this is the first."""
        is_first, self._coerce = self._coerce is None, coerce
        for entry in self.state.unordered() if is_first else ():
            value = coerce(entry.data)
            if value is not entry.data:
                key = self.prefix + entry.path
                self.put(build_entry(self.prefix, key, value, entry.revision, entry.create_revision, None), entry)

    def load(self, entries: Entries) -> None:
        """Replace everything."""
        self.index = None
        self.state.load(entries)
        self.undecoded = sum([entry.labels is None for entry in entries])

    def put(self, entry: watchobject.Entry, old: watchobject.Entry | None) -> None:
        if old is not None and old.labels is None:
            self.undecoded -= 1
        if entry.labels is None:
            self.undecoded += 1
        self.state.put(entry)
        index = self.index
        if index is not None:
            index.put(entry)
            if index.is_idle:
                self.index = None

    def remove(self, old: watchobject.Entry) -> None:
        if old.labels is None:
            self.undecoded -= 1
        self.state.remove(old.path)
        if self.index is not None:
            self.index.remove(old.path)
