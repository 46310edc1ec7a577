"""All that a server shows and holds of its objects: a write that stores nothing has to leave every bit of it alone.

`TracedServer` is a whole server in this process. Each of its caches is watched, and its store fails on demand.
"""

from __future__ import annotations

import asyncio
import json
from collections import deque
from collections.abc import Awaitable, Callable, Coroutine, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from quarterdeck.controllers.workqueue import Controller
from quarterdeck.metrics import exposition
from quarterdeck.registry.builtin.core.service import resource
from quarterdeck.registry.builtin.core.service.allocation import Allocators
from quarterdeck.server import apiserver, pki, storing
from quarterdeck.server.config import Config
from quarterdeck.storage import sqlite
from quarterdeck.storage.cacher import Cacher, StoredForm, WatchOptions, build_selection
from quarterdeck.storage.sqlite import SQLiteStorage
from support.in_process import TOKEN, InProcess
from support.traceless import Call, Fail, Kind, Writes
from support.waiting import PATIENCE_S, until
from support.watch_client import RecordingWriter

Object = dict[str, Any]

# Controllers that ask servers behind APIServices again and again, whatever is written.
_ASKING = (
    "available",
    "discovery-manager",
    "open_api_aggregation_controller",
    "open_api_v3_aggregation_controller",
)
# So late comes only what is done again by the clock: a busy machine would see it, whatever is written.
_BY_THE_CLOCK_S = 10.0
_OPENAPI = "/openapi"
_DOCUMENTS = ("/api", "/api/v1", "/apis", f"{_OPENAPI}/v3")
# Metrics of what is stored, told and queued; the others count requests and time.
_METRICS = (
    "apiserver_resource_objects",
    "apiserver_storage_objects",
    "apiserver_terminated_watchers_total",
    "apiserver_watch_cache_events",
    "apiserver_watch_cache_resource_version",
    "apiserver_watch_events_total",
    "quarterdeck_panics_total",
    "quarterdeck_storage_damaged_records",
    "quarterdeck_storage_pending_rows",
    "quarterdeck_storage_rows_total",
    "watch_cache_capacity",
    "workqueue_adds_total",
    "workqueue_depth",
    "workqueue_retries_total",
)


class FailingStorage:
    """The real store, whose next writes fail: each with the next error of `failures`, the last one again and again."""

    def __init__(self, storage: SQLiteStorage) -> None:
        self._storage = storage
        self.failures: Sequence[Fail] = ()
        self._used = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._storage, name)

    def fail(self, failures: Sequence[Fail]) -> None:
        self.failures, self._used = failures, 0

    def create(self, key: str, value: bytes, hint: object = None) -> Awaitable[int]:
        return self._fail(key) or self._storage.create(key, value, hint)

    def update(self, key: str, value: bytes, expected_revision: int, hint: object = None) -> Awaitable[int]:
        return self._fail(key) or self._storage.update(key, value, expected_revision, hint)

    def delete(self, key: str, expected_revision: int, hint: object = None) -> Awaitable[int]:
        return self._fail(key) or self._storage.delete(key, expected_revision, hint)

    def _fail(self, key: str) -> Awaitable[int] | None:
        if not self.failures:
            return None
        failure = self.failures[min(self._used, len(self.failures) - 1)]
        self._used += 1
        future: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        future.set_exception(failure(key))
        return future


@contextmanager
def serving(folder: Path, fill: Callable[[TracedServer], Coroutine[None, None, None]]) -> Iterator[TracedServer]:
    """A server that `fill` has been run on."""
    with pytest.MonkeyPatch.context() as monkeypatch:
        made = TracedServer(folder, monkeypatch)
        made.runner.run(fill(made))
        yield made
        made.close()


class TracedServer:
    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.runner = asyncio.Runner()
        self.folder = folder
        self._monkeypatch = monkeypatch
        self.runner.run(self._start())

    async def _start(self) -> None:
        allocators: list[Allocators] = []
        caches: list[Cacher] = []
        storages: list[FailingStorage] = []

        def make_allocators(*parts: Any) -> Allocators:
            allocators.append(Allocators(*parts))
            return allocators[-1]

        def make_cacher(*arguments: Any) -> Cacher:
            caches.append(Cacher(*arguments))
            return caches[-1]

        class Opener:
            @staticmethod
            async def open(*arguments: Any, **named: Any) -> FailingStorage:
                storages.append(FailingStorage(await SQLiteStorage.open(*arguments, **named)))
                return storages[-1]

        self._monkeypatch.setattr(resource, "Allocators", make_allocators)
        self._monkeypatch.setattr(storing, "Cacher", make_cacher)
        self._monkeypatch.setattr(sqlite, "SQLiteStorage", Opener)
        add_after = Controller.add_after

        def add_once(controller: Controller, key: str, delay_s: float) -> None:
            if controller.name not in _ASKING and delay_s < _BY_THE_CLOCK_S:
                add_after(controller, key, delay_s)

        self._monkeypatch.setattr(Controller, "add_after", add_once)
        data_dir, tokens = self.folder / "data", self.folder / "tokens.csv"
        data_dir.mkdir()
        tokens.write_text(f'{TOKEN},admin,admin,"system:masters"\n')
        pki.ensure(data_dir, "127.0.0.1", None)
        self.server = await apiserver.build(Config(data_dir=data_dir, token_auth_file=tokens))
        await self.server.start()
        self.calls = InProcess(self.server)
        (self.allocators,), (self.cacher,), (self.storage,) = allocators, caches, storages
        await self.calls.until_served("/api/v1/namespaces/default")

    # - before the writes

    async def call(self, method: str, address: str, body: Any = None, content_type: str = "application/json") -> Any:
        answer = await self.calls.call(method, address, body, content_type)
        return answer.status, bytes(answer.body) if isinstance(answer.body, bytes) else b"".join(answer.body)

    async def make(self, path: str, obj: Object) -> None:
        status, answer = await self.call("POST", path, obj)
        assert status == 201, answer

    async def make_both(self, kind: Kind) -> None:
        """The object that lives and the one that a finalizer holds."""
        await self.make(kind.path, kind.named(kind.live))
        await self.make(kind.path, kind.named(kind.leaving, finalizers=["example.com/hold"]))
        status, answer = await self.call("DELETE", f"{kind.path}/{kind.leaving}")
        assert status in (200, 202), answer

    async def rest(self) -> None:
        """Wait until no controller has anything to do."""
        await until(lambda: all(queue.is_idle for queue in self.server.controllers.queues()))

    async def settle(self) -> None:
        """Wait until no controller has anything to do, then watch everything."""
        await self.rest()
        self.writers = [self._watch(cache) for cache in self.cacher.caches()]
        self.documents = [*_DOCUMENTS, *(await self._group_versions())]

    def _watch(self, cache: Any) -> RecordingWriter:
        writer = RecordingWriter()
        form = StoredForm("test.io/v1", "Any")
        cache.watch(WatchOptions(build_selection(), str(self.cacher.revision)), form).attach(writer)
        return writer

    async def _group_versions(self) -> list[str]:
        _, found = await self.call("GET", "/apis")
        versions = (version for group in json.loads(found)["groups"] for version in group["versions"])
        return [f"/apis/{version['groupVersion']}" for version in versions]

    # - the writes

    def check(self, asked: Writes) -> None:
        """Ask for all of it at once. Fails if that leaves a trace."""
        before = self.state()
        self.storage.fail(asked.failures)
        answers = self.runner.run(self._ask(asked.calls))
        self.storage.fail(())
        after = self.state()
        for part, then in before.items():
            assert after[part] == then, (part, _only_in(after[part], then), _only_in(then, after[part]), asked, answers)

    async def _ask(self, calls: Sequence[Call]) -> list[Any]:
        async with asyncio.timeout(PATIENCE_S):
            filled = [await self._name_revision(*call) for call in calls]
            return await asyncio.gather(*(self.call(*each) for each in filled))

    async def _name_revision(self, method: str, address: str, body: Any, content_type: str) -> Call:
        """Some kinds can be replaced only by those who name the revision that they replace."""
        if method == "PUT" and "resourceVersion" not in body["metadata"]:
            status, found = await self.call("GET", address)
            if status == 200:
                revision = json.loads(found)["metadata"]["resourceVersion"]
                body = {**body, "metadata": {**body["metadata"], "resourceVersion": revision}}
        return method, address, body, content_type

    # - what there is

    def state(self) -> Object:
        """Everything but the large documents. Compared part by part, so that a difference is short."""
        return self.runner.run(self._state())

    async def _state(self) -> Object:
        caches = self.cacher.caches()
        pools = (self.allocators.addresses, self.allocators.node_ports)
        return {
            "revision": (self.cacher.revision, self.storage.revision),
            "objects": {cache.prefix: [_show_entry(entry) for entry in cache.state.all()] for cache in caches},
            "damage": {cache.prefix: (set(cache.damaged), set(cache.unknown)) for cache in caches},
            "history": {cache.prefix: len(cache.history) for cache in caches},
            "watches": {cache.prefix: (len(cache.watches), cache.deliveries) for cache in caches},
            "told": [b"".join(writer.data) for writer in self.writers],
            "ended": [writer.is_ended for writer in self.writers],
            "allocations": [(dict(pool._held), dict(pool._reserved)) for pool in pools],
            "discovery": {path: (await self.call("GET", path)) for path in self.documents},
            "metrics": self._metrics(),
            "sizes": dict(_sizes(self.server.controllers, "controllers", set())),
        }

    def _metrics(self) -> list[str]:
        text = b"".join(exposition.format_pieces(self.server.metrics)).decode()
        return [line for line in text.splitlines() if line.startswith(_METRICS)]

    def large_documents(self) -> list[Any]:
        """OpenAPI's, which take long to read."""
        groups = [path for path in self.documents if path.count("/") > 1 and not path.startswith(_OPENAPI)]
        paths = [f"{_OPENAPI}/v2", *(f"{_OPENAPI}/v3{path}" for path in groups)]
        return [self.runner.run(self.call("GET", path)) for path in paths]

    def close(self) -> None:
        self.runner.run(self.server.stop())
        self.runner.close()


def _only_in(part: Any, other: Any) -> Any:
    """What of a list another does not have; all of anything else."""
    return [each for each in part if each not in other] if isinstance(part, list) else part


def _show_entry(entry: Any) -> tuple[Any, ...]:
    return (
        entry.path,
        entry.revision,
        entry.create_revision,
        bytes(entry.data),
        dict(entry.labels or {}),
        dict(entry.fields or {}),
    )


def _sizes(value: object, path: str, seen: set[int]) -> Iterator[tuple[str, int]]:
    """How many things each container holds that the server's own objects keep."""
    if id(value) in seen:
        return
    seen.add(id(value))
    if isinstance(value, (dict, list, set, frozenset, tuple, deque)):
        yield path, len(value)
        items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
        for key, item in items:
            yield from _sizes(item, f"{path}[{key}]", seen)
    elif type(value).__module__.startswith("quarterdeck.controllers"):
        for name in dir(value):
            if not name.startswith("__") and not isinstance(getattr(type(value), name, None), property):
                attribute = getattr(value, name)
                if not callable(attribute):
                    yield from _sizes(attribute, f"{path}.{name}", seen)
