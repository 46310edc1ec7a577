"""A cache over a store in memory, and clients of its watches that record what they are told."""

from __future__ import annotations

import asyncio
import json
from typing import Any

from quarterdeck.apimachinery import fields, labels
from quarterdeck.storage.cacher import (
    Attributes,
    Cacher,
    Entry,
    Limits,
    ListOptions,
    StoredForm,
    Watch,
    WatchOptions,
    build_selection,
)
from support.memory_store import MemoryStore
from support.watch_history import Told, parse_events, unframe

API_VERSION = "test.io/v1"


def make_object(name: str, namespace: str = "ns", *, labels: dict[str, str] | None = None, **spec: Any) -> bytes:
    metadata: dict[str, Any] = {"name": name, "namespace": namespace}
    if labels is not None:
        metadata["labels"] = labels
    obj = {"apiVersion": API_VERSION, "kind": "Widget", "metadata": metadata, "spec": spec}
    return json.dumps(obj, separators=(",", ":")).encode()


def select_fields(obj: dict[str, Any]) -> dict[str, str]:
    return {"spec.color": str((obj.get("spec") or {}).get("color", ""))}


class RecordingWriter:
    """The transport's side of a watch: keeps what is written, is paused when told to, never has a socket."""

    def __init__(self) -> None:
        self.data: list[bytes] = []
        self.is_paused = False
        self.is_ended = False

    def write(self, data: bytes) -> None:
        assert not self.is_ended
        self.data.append(data)

    def write_chunks(self, chunks: bytes) -> None:
        self.write(unframe(chunks))

    def direct(self) -> tuple[int, None, None]:
        return -1, None, None

    def end(self) -> None:
        self.is_ended = True

    @property
    def events(self) -> list[Told]:
        return parse_events(b"".join(self.data))

    @property
    def shown(self) -> list[str]:
        """TYPE path revision of each event."""
        return [f"{event.type} {event.path or '-'} {event.revision}" for event in self.events]


class RenamedForm(StoredForm):
    """Another served version: the same objects under another apiVersion, kept with the entries."""

    is_stored = False
    is_kept = True

    def __init__(self, api_version: str, kind: str) -> None:
        super().__init__(api_version, kind)
        self._new = f'"apiVersion":"{api_version}"'.encode()
        self.encoded = 0

    def encode(self, entry: Entry) -> bytes:
        self.encoded += 1
        return entry.data.replace(f'"apiVersion":"{API_VERSION}"'.encode(), self._new, 1)


class Harness:
    form = StoredForm(API_VERSION, "Widget")

    def __init__(self, store: Any, limits: Limits | None = None) -> None:
        self.store = store
        self.cacher = Cacher(store, limits)
        self.cache = self.cacher.resource("test.io", "widgets", select_fields)

    @classmethod
    async def start(cls, store: Any = None, limits: Limits | None = None) -> Harness:
        harness = cls(store or MemoryStore(), limits)
        await harness.cacher.start()
        harness.cache = harness.cacher.resource("test.io", "widgets", select_fields)
        return harness

    def key(self, name: str, namespace: str = "ns") -> str:
        return f"{self.cache.prefix}{namespace}/{name}"

    async def put(self, name: str, namespace: str = "ns", *, lazy: bool = False, **members: Any) -> int:
        """Create or replace; returns the revision."""
        value = make_object(name, namespace, **members)
        hint = None if lazy else Attributes(members.get("labels") or {}, {"spec.color": str(members.get("color", ""))})
        entry = self.cache.get(namespace, name)
        if entry is None:
            return int(await self.store.create(self.key(name, namespace), value, hint))
        return int(await self.store.update(self.key(name, namespace), value, entry.revision, hint))

    async def delete(self, name: str, namespace: str = "ns") -> int:
        entry = self.cache.get(namespace, name)
        assert entry is not None
        return int(await self.store.delete(self.key(name, namespace), entry.revision))

    def list(self, **options: Any) -> Any:
        listing = self.cache.list_now(self.list_options(**options))
        assert listing is not None
        return listing

    def list_options(
        self, namespace: str = "", label_selector: str = "", field_selector: str = "", **options: Any
    ) -> ListOptions:
        selection = build_selection(namespace, "", labels.parse(label_selector), fields.parse(field_selector))
        is_single = selection.path is not None and not options.get("continue_token")
        return ListOptions(namespace, selection, bool(label_selector or field_selector), is_single=is_single, **options)

    def watch(
        self,
        *,
        namespace: str = "",
        label_selector: str = "",
        field_selector: str = "",
        form: Any = None,
        writer: RecordingWriter | None = None,
        **options: Any,
    ) -> tuple[Watch, RecordingWriter]:
        selection = build_selection(namespace, "", labels.parse(label_selector), fields.parse(field_selector))
        watch = self.cache.watch(WatchOptions(selection, **options), form or self.form)
        writer = writer or RecordingWriter()
        watch.attach(writer)
        return watch, writer

    async def settle(self) -> None:
        """Let the dispatcher finish."""
        for _ in range(3):
            await asyncio.sleep(0)
        while self.cache.hub.has_work:
            await asyncio.sleep(0)


def names(listing: Any) -> list[str]:
    return [entry.path for entry in listing.entries]
