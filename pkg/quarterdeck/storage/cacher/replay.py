"""What a watch is sent before the live changes: initial objects, changes that it has missed, and the bytes of both."""

from __future__ import annotations

from collections.abc import Iterator

from quarterdeck._kernels import watch as kernel
from quarterdeck._kernels import watchobject
from quarterdeck.storage.cacher import frames
from quarterdeck.storage.cacher.encoding import encode
from quarterdeck.storage.cacher.forms import Form
from quarterdeck.storage.cacher.stored import Entries, StoredObjects

Changes = list[watchobject.Change]
Events = list[tuple[int, watchobject.Entry]]


def added(entries: Entries) -> Events:
    return [(kernel.ADDED, entry) for entry in entries]


def seen_by(cache: StoredObjects, selection: watchobject.Selection, changes: Changes) -> Events:
    """What a selection sees of the changes."""
    decode = cache.decode
    events: Events = []
    for change in changes:
        entry, old = change.entry, change.old
        was = old is not None and watchobject.matches(decode, selection, old)
        if entry is not None and watchobject.matches(decode, selection, entry):
            events.append((kernel.MODIFIED if was else kernel.ADDED, entry))
        elif was:
            events.append((kernel.DELETED, change.tombstone))
    return events


async def read_changes(cache: StoredObjects, after: int, up_to: int, limit: int) -> Changes:
    """The changes after one revision, up to another, from the store: the first `limit` of them. Raises Compacted."""
    storage = cache.shared.storage
    changes: Changes = []
    last: dict[str, watchobject.Entry | None] = {}
    for event in await storage.events(cache.prefix, after, limit=limit):
        if event.revision > up_to:
            break
        path = event.key[len(cache.prefix) :]
        old = last.get(path)
        if path not in last and not event.created:
            before = await storage.get(event.key, event.revision - 1)
            old = before and cache.build_entry(before.key, before.value, before.revision, before.create_revision, None)
        entry = None
        if event.value is not None:
            created = event.revision if old is None else old.create_revision
            entry = cache.build_entry(event.key, event.value, event.revision, created, None)
        last[path] = entry
        if entry is not None or old is not None:
            changes.append(watchobject.Change(entry, old, event.revision))
    return changes


def pieces(form: Form, events: Iterator[tuple[int, watchobject.Entry]], end_revision: int) -> Iterator[bytes]:
    """The bytes of the events; with `end_revision` a bookmark ends them that says so."""
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
