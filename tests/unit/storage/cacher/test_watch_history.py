"""Many watchers of every kind, writers, compaction, slow readers, reconnects: every watch keeps its guarantees; and the
checker finds the bugs that are planted in right histories."""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import Callable

import pytest

from quarterdeck.storage import interface
from quarterdeck.storage.cacher import Limits, StoredForm, deadlines, watching
from support import virtual_time
from support.memory_store import MemoryStore
from support.watch_client import API_VERSION, Harness, RecordingWriter, RenamedForm
from support.watch_history import Object, Told, WatchHistory, Write, check

# Of a clock that only sleeps move: bookmarks, which come every BOOKMARK_PERIOD_S, fall between the writes.
BOOKMARK_PERIOD_S = 0.03
WRITE_PAUSE_MAX_S = 0.02
WriteFrames = Callable[[RecordingWriter, bytes], None]

SELECTIONS: list[tuple[dict[str, str], Callable[[str, Object], bool]]] = [
    ({}, lambda path, obj: True),
    ({"namespace": "a"}, lambda path, obj: path.startswith("a/")),
    ({"label_selector": "app=1"}, lambda path, obj: obj["metadata"].get("labels", {}).get("app") == "1"),
    ({"label_selector": "app!=1"}, lambda path, obj: obj["metadata"].get("labels", {}).get("app") != "1"),
    ({"label_selector": "app in (1,2)"}, lambda path, obj: obj["metadata"].get("labels", {}).get("app") in ("1", "2")),
    ({"field_selector": "metadata.name=w3"}, lambda path, obj: path.endswith("/w3")),
    ({"namespace": "b", "field_selector": "metadata.name=w1"}, lambda path, obj: path == "b/w1"),
    ({"field_selector": "spec.color=red"}, lambda path, obj: obj["spec"].get("color") == "red"),
]


class Client:
    """A watcher: opens in some way, reads or not, reconnects from where it was."""

    def __init__(self, harness: Harness, rng: random.Random, forms: list[object]) -> None:
        self.harness = harness
        self.rng = rng
        self.form = rng.choice(forms)
        self.selectors, self.matches = rng.choice(SELECTIONS)
        self.is_slow = rng.random() < 0.1
        self.reconnects = rng.random() < 0.05
        self.done: list[WatchHistory] = []
        self.open(rng.choice(["exact", "now", "zero", "objects", "objects"]), harness.cacher.revision)

    def open(self, how: str, revision: int) -> None:
        self.writer = RecordingWriter()
        options: dict[str, object] = {"resource_version": str(revision), "allow_bookmarks": self.rng.random() < 0.7}
        self.history = WatchHistory(self.matches, after=revision)
        if how == "zero":
            options |= {"resource_version": "0"}
            self.history.state_at = self.harness.cacher.revision
        elif how == "objects":
            options |= {"send_initial_events": True}
            self.history.state_at = revision
            self.history.wants_end_bookmark = bool(options["allow_bookmarks"])
            if not options["allow_bookmarks"]:
                self.history.state_at = self.harness.cacher.revision
        elif how == "now":
            options |= {"resource_version": "", "send_initial_events": False}
            self.history.after = self.harness.cacher.revision
        self.watch, _ = self.harness.watch(
            **self.selectors, form=self.form, writer=self.writer, timeout_s=60.0, **options
        )

    def finish(self, *, is_quiet: bool) -> None:
        self.history.told = self.writer.events
        self.history.is_quiet = is_quiet
        self.done.append(self.history)

    def reconnect(self) -> None:
        """The client goes away and comes back from the newest revision that it has seen."""
        self.watch.closed()
        self.finish(is_quiet=False)
        told = self.history.told
        initial = self.history.state_at is not None and not any(event.ends_initial_events for event in told)
        if initial or not told or told[-1].type == "ERROR":
            self.open("objects", self.harness.cacher.revision)
        else:
            self.open("exact", told[-1].revision)

    def step(self) -> None:
        if self.writer.is_ended:
            # Ended by the cache (it was too slow): everything that was told before has to be right.
            self.reconnect()
        elif self.reconnects and self.rng.random() < 0.05:
            self.reconnect()
        elif self.is_slow:
            was_paused, self.writer.is_paused = self.writer.is_paused, self.rng.random() < 0.8
            if was_paused and not self.writer.is_paused:
                self.watch.resumed()


async def write(harness: Harness, rng: random.Random, count: int) -> None:
    for _ in range(count):
        namespace, name = rng.choice("abc"), f"w{rng.randrange(6)}"
        labels = {"app": rng.choice("123")} if rng.random() < 0.8 else None
        members = {"labels": labels} if labels else {}
        try:
            if harness.cache.get(namespace, name) is not None and rng.random() < 0.3:
                await harness.delete(name, namespace)
            else:
                color = rng.choice(["red", "blue"])
                await harness.put(name, namespace, lazy=rng.random() < 0.5, color=color, n=rng.random(), **members)
        except interface.StorageError:
            pass  # another writer was faster
        if rng.random() < 0.3:
            await asyncio.sleep(rng.random() * WRITE_PAUSE_MAX_S)


async def play(watchers: int, writes: int, seed: int) -> tuple[list[WatchHistory], list[Write]]:
    rng = random.Random(seed)
    store = MemoryStore()
    harness = await Harness.start(store, Limits(history_min=10_000))
    forms: list[object] = [Harness.form, RenamedForm("test.io/v2", "Widget"), RenamedForm("test.io/v3", "Widget")]
    clients = [Client(harness, rng, forms) for _ in range(watchers // 2)]
    writers = [asyncio.ensure_future(write(harness, rng, writes // 8)) for _ in range(8)]
    while not all(writer.done() for writer in writers):
        if len(clients) < watchers:
            clients += [Client(harness, rng, forms) for _ in range(5)]
        for client in clients:
            client.step()
        if rng.random() < 0.05 and store.revision > store.compacted_revision:
            await store.compact(store.revision)
        await asyncio.sleep(0.001)
    await asyncio.gather(*writers)
    for client in clients:
        client.writer.is_paused = False
        client.watch.resumed()
    await asyncio.sleep(0.1)
    await harness.settle()
    for client in clients:
        client.finish(is_quiet=not client.writer.is_ended)
    await harness.cacher.close()
    prefix = harness.cache.prefix
    done = [
        Write(event.revision, event.key.removeprefix(prefix), json.loads(event.value) if event.value else None)
        for event in store.log
    ]
    return [history for client in clients for history in client.done], done


@pytest.fixture(autouse=True)
def often(monkeypatch: pytest.MonkeyPatch) -> None:
    """Bookmarks many times in a test instead of once a minute."""
    monkeypatch.setattr(watching, "BOOKMARK_PERIOD_S", BOOKMARK_PERIOD_S)
    monkeypatch.setattr(deadlines, "BUCKET_S", 0.01)


def check_all(watchers: int, writes: int, seed: int) -> None:
    histories, done = virtual_time.run(play(watchers, writes, seed))
    problems = [problem for history in histories for problem in check(history, done)]
    assert not problems, (seed, problems[:10])
    told = [event for history in histories for event in history.told]
    assert {"ADDED", "MODIFIED", "DELETED", "BOOKMARK"} <= {event.type for event in told}


def test_a_hundred_watchers_keep_every_guarantee() -> None:
    check_all(100, 1500, seed=1)


@pytest.mark.slow
def test_a_thousand_watchers_keep_every_guarantee() -> None:
    check_all(1000, 1200, seed=2)


# - planted bugs


def drop(write: WriteFrames, writer: RecordingWriter, frames: bytes) -> None:
    if random.random() > 0.01:
        write(writer, frames)


def duplicate(write: WriteFrames, writer: RecordingWriter, frames: bytes) -> None:
    for _ in range(2 if random.random() < 0.01 else 1):
        write(writer, frames)


def reorder(write: WriteFrames, writer: RecordingWriter, frames: bytes) -> None:
    write(writer, frames)
    if random.random() < 0.05 and len(writer.data) > 1:
        writer.data[-2:] = reversed(writer.data[-2:])


@pytest.mark.parametrize(
    ("bug", "guarantee"), [(drop, "reliable|atomic"), (duplicate, "unique"), (reorder, "ordered|reliable")]
)
def test_a_cache_with_a_bug_is_found_out(
    bug: Callable[..., None], guarantee: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    write = RecordingWriter.write
    monkeypatch.setattr(RecordingWriter, "write", lambda writer, frames: bug(write, writer, frames))
    random.seed(7)
    with pytest.raises(AssertionError, match=guarantee):
        check_all(40, 400, seed=3)


@pytest.mark.parametrize("difference", [-100, 100], ids=["late", "early"])
def test_a_cache_with_wrong_bookmarks_is_found_out(difference: int, monkeypatch: pytest.MonkeyPatch) -> None:
    encode = StoredForm.encode_bookmark

    def encode_wrong(form: StoredForm, revision: int, *, is_initial_end: bool, is_first: bool) -> bytes:
        told = revision if is_initial_end else revision + difference
        return encode(form, told, is_initial_end=is_initial_end, is_first=is_first)

    monkeypatch.setattr(StoredForm, "encode_bookmark", encode_wrong)
    with pytest.raises(AssertionError, match="bookmarkable"):
        check_all(40, 600, seed=4)


@pytest.fixture(scope="module")
def recorded() -> tuple[WatchHistory, list[Write]]:
    """A right history with initial objects, every type of event, and bookmarks between."""
    obj: Object = {"apiVersion": API_VERSION, "kind": "Widget", "spec": {}}

    def thing(n: int, app: str = "1") -> Object:
        return {**obj, "metadata": {"name": "x", "labels": {"app": app}}, "spec": {"n": n}}

    writes = [Write(revision, "a/x", thing(revision)) for revision in range(2, 12)]
    writes += [Write(12, "a/y", thing(12, "2")), Write(13, "a/x", thing(13, "2")), Write(14, "a/x", thing(14))]
    writes += [Write(15, "a/x", None), Write(16, "a/z", thing(16))]
    matches = SELECTIONS[2][1]
    end = {"metadata": {"annotations": {"k8s.io/initial-events-end": "true"}}}
    told = [Told("ADDED", 4, "a/x", thing(4)), Told("BOOKMARK", 4, "", end)]
    told += [Told("MODIFIED", revision, "a/x", thing(revision)) for revision in range(5, 12)]
    told += [Told("BOOKMARK", 12, "", {"metadata": {}}), Told("DELETED", 13, "a/x", thing(11))]
    told += [Told("ADDED", 14, "a/x", thing(14)), Told("DELETED", 15, "a/x", thing(14))]
    told += [Told("ADDED", 16, "a/z", thing(16))]
    return WatchHistory(matches, 0, 2, wants_end_bookmark=True, is_quiet=True, told=told), writes


def planted(history: WatchHistory, told: list[Told]) -> WatchHistory:
    return WatchHistory(history.matches, history.after, history.state_at, True, True, told)


def test_the_recorded_history_is_right(recorded: tuple[WatchHistory, list[Write]]) -> None:
    assert check(*recorded) == []


@pytest.mark.parametrize("at", range(14))
def test_a_dropped_event_is_found(recorded: tuple[WatchHistory, list[Write]], at: int) -> None:
    history, writes = recorded
    told = [event for place, event in enumerate(history.told) if place != at]
    if history.told[at].is_bookmark and not history.told[at].ends_initial_events:
        assert check(planted(history, told), writes) == []  # bookmarks are no promise
    else:
        assert check(planted(history, told), writes)


@pytest.mark.parametrize("at", [0, 2, 5, 10, 13])
def test_a_duplicate_is_found(recorded: tuple[WatchHistory, list[Write]], at: int) -> None:
    history, writes = recorded
    told = [*history.told[: at + 1], *history.told[at:]]
    assert any(problem.startswith("unique") for problem in check(planted(history, told), writes))


@pytest.mark.parametrize("at", [2, 5, 7, 10, 11, 12])
def test_two_events_in_the_wrong_order_are_found(recorded: tuple[WatchHistory, list[Write]], at: int) -> None:
    history, writes = recorded
    told = list(history.told)
    told[at], told[at + 1] = told[at + 1], told[at]
    assert check(planted(history, told), writes)


def test_an_early_bookmark_is_found(recorded: tuple[WatchHistory, list[Write]]) -> None:
    history, writes = recorded
    told = list(history.told)
    told.insert(6, told.pop(9))  # before the events that it claims to follow
    assert any(problem.startswith("bookmarkable") for problem in check(planted(history, told), writes))


@pytest.mark.parametrize("at", [10, 11, 12, 13])
def test_a_late_bookmark_is_found(recorded: tuple[WatchHistory, list[Write]], at: int) -> None:
    history, writes = recorded
    told = list(history.told)
    told.insert(at, told.pop(9))  # behind events that came after its revision
    assert any(problem.startswith("bookmarkable") for problem in check(planted(history, told), writes))


def test_a_wrong_type_and_a_wrong_object_are_found(recorded: tuple[WatchHistory, list[Write]]) -> None:
    history, writes = recorded
    wrong_type = [*history.told[:10], history.told[10]._replace(type="MODIFIED"), *history.told[11:]]
    assert any(problem.startswith("filter") for problem in check(planted(history, wrong_type), writes))
    new_object = history.told[11].obj  # DELETED has to carry the old one
    wrong_object = [*history.told[:10], history.told[10]._replace(obj=new_object), *history.told[11:]]
    assert any(problem.startswith("filter") for problem in check(planted(history, wrong_object), writes))


def test_initial_objects_of_two_revisions_are_found(recorded: tuple[WatchHistory, list[Write]]) -> None:
    history, writes = recorded
    mixed = [history.told[0]._replace(revision=3), *history.told[1:]]
    assert any(problem.startswith("atomic") for problem in check(planted(history, mixed), writes))
