"""Watches: how they begin, what selectors make of changes, bookmarks, ends, what slow ones cost."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Callable

import pytest

from quarterdeck._kernels import watchchannel, watchobject
from quarterdeck.apimachinery import errors, offload
from quarterdeck.registry.inflight import InFlight
from quarterdeck.storage.cacher import (
    EncodingError,
    Entry,
    Limits,
    StoredForm,
    aging,
    cacher,
    deadlines,
    resource,
    shared,
    watching,
)
from support import virtual_time
from support.memory_store import MemoryStore
from support.waiting import until
from support.watch_client import API_VERSION, Harness, RecordingWriter, RenamedForm


def test_a_watch_from_a_revision_replays_and_goes_on(run: Callable[..., None]) -> None:
    async def body(harness: Harness) -> None:
        first = await harness.put("a")
        await harness.put("a", n=1)
        await harness.delete("a")
        _, writer = harness.watch(resource_version=str(first))
        await harness.put("b")
        await harness.settle()
        assert writer.shown == ["MODIFIED ns/a 3", "DELETED ns/a 4", "ADDED ns/b 5"]

    run(body)


def test_initial_objects_come_in_list_order_and_end_with_a_bookmark(run: Callable[..., None]) -> None:
    async def body(harness: Harness) -> None:
        await harness.put("c")
        await harness.put("a")
        _, told = harness.watch(send_initial_events=True, allow_bookmarks=True)
        _, silent = harness.watch(send_initial_events=True)
        _, legacy = harness.watch(resource_version="0")
        _, now = harness.watch(send_initial_events=False, resource_version="0")
        await harness.put("b")
        await harness.settle()
        assert told.shown == ["ADDED ns/a 3", "ADDED ns/c 2", "BOOKMARK - 3", "ADDED ns/b 4"]
        assert told.events[2].ends_initial_events
        assert silent.shown == legacy.shown == ["ADDED ns/a 3", "ADDED ns/c 2", "ADDED ns/b 4"]
        assert now.shown == ["ADDED ns/b 4"]

    run(body)


def test_selection_changes_are_additions_and_deletions(run: Callable[..., None]) -> None:
    async def body(harness: Harness) -> None:
        _, writer = harness.watch(resource_version="1", label_selector="app=1")
        await harness.put("a", labels={"app": "1"}, n=1)
        await harness.put("a", labels={"app": "1"}, n=2)
        await harness.put("a", labels={"app": "2"}, n=3)
        await harness.put("a", labels={"app": "2"}, n=4)
        await harness.put("a", labels={"app": "1"}, n=5)
        await harness.delete("a")
        await harness.settle()
        assert writer.shown == [
            "ADDED ns/a 2", "MODIFIED ns/a 3", "DELETED ns/a 4", "ADDED ns/a 6", "DELETED ns/a 7",
        ]  # fmt: skip
        left = writer.events[2].obj
        assert (left["spec"], left["metadata"]["labels"]) == ({"n": 2}, {"app": "1"})  # the old object

    run(body)


def test_a_revision_that_is_gone_is_told_as_an_error_event() -> None:
    async def body() -> None:
        store = MemoryStore(revision=10)
        store.compacted_revision = 7
        harness = await Harness.start(store)
        assert harness.cache.history.floor == 10  # although the cache was made before the store was read
        _, writer = harness.watch(resource_version="5")
        assert writer.is_ended
        status = writer.data[0]
        assert b'"type":"ERROR"' in status
        assert b'"message":"too old resource version: 5 (10)","reason":"Expired","code":410' in status
        await harness.cacher.close()

    virtual_time.run(body())


def test_no_watch_resumes_from_before_its_objects_are_shown_otherwise(run: Callable[..., None]) -> None:
    async def body(harness: Harness) -> None:
        first = await harness.put("a")
        floor = await harness.put("a", n=1)
        harness.cacher.retire(harness.cache, InFlight(), [], [])
        _, old = harness.watch(resource_version=str(first))
        assert f"too old resource version: {first} ({floor})".encode() in old.data[0]
        _, writer = harness.watch(resource_version=str(floor))
        await harness.put("a", n=2)
        await harness.settle()
        assert writer.shown == ["MODIFIED ns/a 4"]
        past = harness.list(resource_version=str(first), resource_version_match="Exact")
        assert [entry.revision for entry in past.entries] == [first]

    run(body)


def test_without_a_window_watches_resume_from_before_such_a_change() -> None:
    async def body() -> None:
        harness = await Harness.start(limits=Limits(history_min=0))
        first = await harness.put("a")
        await harness.put("a", n=1)
        harness.cacher.retire(harness.cache, InFlight(), [], [])
        _, writer = harness.watch(resource_version=str(first))
        await harness.settle()
        assert writer.shown == ["MODIFIED ns/a 3"]
        await harness.cacher.close()

    virtual_time.run(body())


def test_a_resuming_client_is_served_from_the_store_after_a_restart() -> None:
    async def body() -> None:
        store = MemoryStore()
        before = await Harness.start(store)
        first = await before.put("a", labels={"app": "1"}, n=1)
        await before.put("b", labels={"app": "2"})
        await before.put("a", labels={"app": "2"}, n=2)
        await before.delete("b")
        await before.cacher.close()
        store._sink = None
        harness = await Harness.start(store)
        assert harness.cache.is_from_start
        _, everything = harness.watch(resource_version=str(first))
        _, selected = harness.watch(resource_version=str(first), label_selector="app=1")
        await harness.put("c")
        await asyncio.sleep(0.01)
        assert everything.shown == ["ADDED ns/b 3", "MODIFIED ns/a 4", "DELETED ns/b 5", "ADDED ns/c 6"]
        assert selected.shown == ["DELETED ns/a 4"]
        await store.compact(4)
        _, late = harness.watch(resource_version=str(first))
        await asyncio.sleep(0.01)
        assert b"too old resource version: 2 (" in late.data[0]
        await harness.cacher.close()

    virtual_time.run(body())


def test_a_watch_of_the_future_waits_in_silence(run: Callable[..., None]) -> None:
    async def body(harness: Harness) -> None:
        _, writer = harness.watch(resource_version="4")
        for name in "abcd":
            await harness.put(name)
        await harness.settle()
        assert writer.shown == ["ADDED ns/d 5"]

    run(body)


def test_initial_objects_of_the_future_are_waited_for(
    run: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shared, "WAIT_S", 0.05)

    async def body(harness: Harness) -> None:
        _, reached = harness.watch(send_initial_events=True, resource_version="3")
        _, refused = harness.watch(send_initial_events=True, resource_version="9")
        await harness.put("a")
        await harness.put("b")
        await asyncio.sleep(0.1)
        assert reached.shown == ["ADDED ns/a 2", "ADDED ns/b 3"]
        assert refused.is_ended
        assert b"Timeout: Too large resource version: 9, current: 3" in refused.data[0]

    run(body)


def test_a_bad_resource_version_is_500_without_a_reason(run: Callable[..., None]) -> None:
    async def body(harness: Harness) -> None:
        with pytest.raises(errors.Unreasoned, match='parsing "abc": invalid syntax'):
            harness.watch(resource_version="abc")

    run(body)


def test_watches_end_at_their_deadline_with_a_bookmark_before(
    run: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(deadlines, "BUCKET_S", 0.01)
    monkeypatch.setattr(watching, "BOOKMARK_LEAD_S", 0.05)

    async def body(harness: Harness) -> None:
        await harness.put("a")
        watch, writer = harness.watch(resource_version="2", allow_bookmarks=True, timeout_s=0.1)
        _, plain = harness.watch(resource_version="2", timeout_s=0.1)
        await harness.put("b")
        await asyncio.sleep(0.2)
        assert writer.shown == ["ADDED ns/b 3", "BOOKMARK - 3"]
        assert plain.shown == ["ADDED ns/b 3"]
        assert writer.is_ended
        assert plain.is_ended
        assert watch.is_ended
        assert harness.cache.hub.watcher_count == 0
        assert not harness.cache.watches

    run(body)


def test_bookmarks_wait_until_everything_before_has_been_written(
    run: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(deadlines, "BUCKET_S", 0.01)
    monkeypatch.setattr(watching, "BOOKMARK_PERIOD_S", 0.02)

    async def body(harness: Harness) -> None:
        writer = RecordingWriter()
        writer.is_paused = True
        watch, _ = harness.watch(resource_version="1", allow_bookmarks=True, writer=writer)
        await harness.put("a")
        await asyncio.sleep(0.08)
        assert writer.shown == []
        writer.is_paused = False
        watch.resumed()
        await asyncio.sleep(0.08)
        assert writer.shown[0] == "ADDED ns/a 2"
        assert set(writer.shown[1:]) == {"BOOKMARK - 2"}

    run(body)


def test_a_watcher_that_does_not_read_is_ended_and_costs_others_nothing(
    run: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(resource, "FRAMES_MAX", 50)

    async def body(_: Harness) -> None:
        harness = await Harness.start()
        stuck = RecordingWriter()
        stuck.is_paused = True
        watch, _ = harness.watch(resource_version="1", writer=stuck)
        _, healthy = harness.watch(resource_version="1")
        for n in range(60):
            await harness.put("a", n=n)
            await harness.settle()
            assert len(healthy.events) == n + 1
        assert stuck.is_ended
        assert watch.is_ended
        assert stuck.data == []
        assert harness.cache.counts.terminated_watchers == 1
        await harness.cacher.close()

    run(body)


def test_a_burst_larger_than_the_bound_ends_nobody_who_reads(
    run: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(resource, "FRAMES_MAX", 20)

    async def body(_: Harness) -> None:
        harness = await Harness.start()
        _, writer = harness.watch(resource_version="1")
        await asyncio.gather(*(harness.put(f"o{n}") for n in range(500)))  # one commit
        await harness.settle()
        assert len(writer.events) == 500
        await harness.cacher.close()

    run(body)


def test_a_large_replay_is_written_as_the_client_takes_it(run: Callable[..., None]) -> None:
    async def body(harness: Harness) -> None:
        for n in range(40):
            await harness.put(f"o{n:02}", padding="x" * 10_000)

        class Narrow(RecordingWriter):
            """Paused after each write."""

            def write(self, data: bytes) -> None:
                super().write(data)
                self.is_paused = True

        writer = Narrow()
        watch, _ = harness.watch(send_initial_events=True, allow_bookmarks=True, writer=writer)
        await harness.put("late")
        assert len(writer.data) == 1
        for _ in range(20):
            writer.is_paused = False
            watch.resumed()
            await harness.settle()
        assert max(map(len, writer.data)) < 100_000
        shown = writer.shown
        assert len(shown) == 42
        assert shown[-2:] == ["BOOKMARK - 41", "ADDED ns/late 42"]

    run(body)


def test_a_large_replay_leaves_the_loop_to_others_while_the_client_takes_all_at_once(run: Callable[..., None]) -> None:
    async def body(harness: Harness) -> None:
        for n in range(40):
            await harness.put(f"o{n:02}", padding="x" * 300_000)
        writer = RecordingWriter()
        written = 0
        turns: list[int] = []
        watch, _ = harness.watch(send_initial_events=True, allow_bookmarks=True, writer=writer)
        while not turns or turns[-1]:
            size = sum(map(len, writer.data))
            turns.append(size - written)
            written = size
            await asyncio.sleep(0)
        assert written > 12_000_000
        assert max(turns) < watching.TURN_BYTES + 400_000
        assert len(writer.shown) == 41
        watch.end()

    run(body)


class HeaderForm(StoredForm):
    """A form whose first event differs."""

    has_header = True
    is_stored = False

    def encode(self, entry: Entry) -> bytes:
        return entry.data

    def encode_first(self, entry: Entry) -> bytes:
        return entry.data[:-1] + b',"header":true}'


@pytest.mark.parametrize("after", ["1", "2", "3", "0"])
def test_the_header_comes_with_the_first_event_only(run: Callable[..., None], after: str) -> None:
    async def body(harness: Harness) -> None:
        form = HeaderForm(API_VERSION, "Widget")
        await harness.put("a")
        await harness.put("a")
        _, early = harness.watch(resource_version="3", form=form)
        await harness.put("a")
        await harness.settle()
        _, writer = harness.watch(resource_version=after, form=form)
        await asyncio.gather(harness.put("b"), harness.put("c"))
        await harness.settle()
        for client in (early, writer):
            assert ["header" in event.obj for event in client.events] == [True] + [False] * (len(client.events) - 1)
            assert len(client.events) >= 2

    run(body)


def test_forms_encode_an_event_once_for_all_their_watchers(run: Callable[..., None]) -> None:
    async def body(harness: Harness) -> None:
        form = RenamedForm("test.io/v2", "Widget")
        clients = [harness.watch(resource_version="1", form=form)[1] for _ in range(50)]
        clients += [harness.watch(resource_version="1", form=form, namespace="ns")[1] for _ in range(50)]
        await harness.put("a")
        await harness.settle()
        assert form.encoded == 1
        assert {client.events[0].obj["apiVersion"] for client in clients} == {"test.io/v2"}
        _, late = harness.watch(send_initial_events=True, form=form)
        assert len(late.events) == 1
        assert form.encoded == 1

    run(body)


def test_a_form_that_fails_ends_its_own_watchers_only(run: Callable[..., None]) -> None:
    class Failing(RenamedForm):
        def encode(self, entry: Entry) -> bytes:
            raise EncodingError("conversion webhook failed")

    async def body(harness: Harness) -> None:
        failing, healthy = (
            harness.watch(resource_version="1", form=Failing("x/v1", "Widget"))[1],
            harness.watch(resource_version="1")[1],
        )
        await harness.put("a")
        await harness.settle()
        assert failing.is_ended
        assert healthy.shown == ["ADDED ns/a 2"]
        _, replayed = harness.watch(send_initial_events=True, form=Failing("x/v1", "Widget"))
        assert replayed.is_ended

    run(body)


def test_a_bug_in_a_form_is_reported_and_stops_nobody_else(run: Callable[..., None]) -> None:
    class Broken(RenamedForm):
        def encode(self, entry: Entry) -> bytes:
            raise KeyError("spec")

    async def body(harness: Harness) -> None:
        reported: list[dict[str, object]] = []
        asyncio.get_running_loop().set_exception_handler(lambda loop, context: reported.append(context))
        _, broken = harness.watch(resource_version="1", form=Broken("x/v1", "Widget"))
        _, healthy = harness.watch(resource_version="1")
        await harness.put("a")
        await harness.put("b")
        await harness.settle()
        assert broken.is_ended
        assert healthy.shown == ["ADDED ns/a 2", "ADDED ns/b 3"]
        assert [type(context["exception"]) for context in reported] == [KeyError]

    run(body)


def test_a_dropped_resource_tells_what_is_left_and_ends(
    run: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cacher, "RETIRED_S", 0.05)

    async def body(harness: Harness) -> None:
        await harness.put("a")
        _, writer = harness.watch(resource_version="2")
        task = asyncio.ensure_future(harness.delete("a"))
        await task
        harness.cacher.drop(harness.cache, InFlight())
        assert not writer.is_ended
        await until(lambda: writer.is_ended)
        assert writer.shown == ["DELETED ns/a 3"]
        again = harness.cacher.resource("test.io", "widgets")
        assert again is not harness.cache
        assert again.history.floor == 3

    run(body)


def test_what_a_dropped_resource_held_is_given_back_though_something_refers_to_it(
    run: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A handler or a controller may hold the cache for a while."""
    monkeypatch.setattr(cacher, "RETIRED_S", 0.05)
    trims: list[int] = []

    async def body(harness: Harness) -> None:
        gc.collect()
        kept, count = harness.cache, aging.TRIMMED_FROM // 2
        before = watchobject.count_alive()
        monkeypatch.setattr(offload, "trim_heap", lambda: trims.append(watchobject.count_alive()["entries"]))
        for number in range(count):
            await harness.put(f"a{number}")
        for number in range(count):
            await harness.delete(f"a{number}")
        assert len(kept.history) == 2 * count
        harness.cacher.drop(kept, InFlight())
        await until(lambda: bool(trims))
        assert watchobject.count_alive() == before
        assert trims == [before["entries"]]

    run(body)


def test_nothing_of_a_closed_watch_is_left(run: Callable[..., None]) -> None:
    async def body(harness: Harness) -> None:
        gc.collect()  # what is left of other tests must not end meanwhile
        before = watchchannel.count_alive()
        for _ in range(20):
            watch, _ = harness.watch(resource_version="1", allow_bookmarks=True, timeout_s=1000)
            future, _ = harness.watch(resource_version="99", timeout_s=1000)
            watch.closed()
            watch.closed()
            future.closed()
        del watch, future
        after = watchchannel.count_alive()
        assert (after["watchers"], after["channels"]) == (before["watchers"], before["channels"])
        assert not harness.cacher.deadlines._buckets

    run(body)


def test_listeners_see_each_change(run: Callable[..., None]) -> None:
    async def body(harness: Harness) -> None:
        seen: list[tuple[int, bool, bool]] = []
        harness.cache.listeners.append(
            lambda change: seen.append((change.revision, change.entry is not None, change.old is not None))
        )
        await harness.put("a")
        await harness.put("a")
        await harness.delete("a")
        assert seen == [(2, True, False), (3, True, True), (4, False, True)]

    run(body)
