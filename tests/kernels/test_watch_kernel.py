"""The edges of the fan-out kernel: bytes that are not canonical, sockets that take little, bounds, leaks, misuse."""

from __future__ import annotations

import gc
import socket
import zlib

import pytest

from quarterdeck._kernels import metrics, watch, watchchannel, watchobject
from quarterdeck.transport.messages import frame_chunk
from support import watch_hubs


def encode(form: object, kind: int, change: watchobject.Change, with_header: bool) -> bytes:
    entry = change.entry or change.tombstone
    return b"%d:%b;" % (kind, entry.data)


def decode(entry: watchobject.Entry) -> None:
    entry.labels, entry.fields = {}, {}


def make_hub(frames_max: int = 100, bytes_max: int = 1 << 20) -> watch.Hub:
    return watch_hubs.build(encode, decode, frames_max, bytes_max)


def make_entry(data: bytes = b"x", path: str = "ns/a", revision: int = 1) -> watchobject.Entry:
    return watchobject.Entry(path, path.partition("/")[0], data, revision, 1)


def test_a_full_socket_gives_the_rest_back_and_nothing_twice() -> None:
    ours, theirs = socket.socketpair()
    ours.setblocking(False)
    hub = make_hub()
    watcher = hub.open(watchobject.Selection(), "form")
    hub.release(watcher, ours.fileno())
    sent, rests = b"", b""
    for n in range(40):
        data = b"%02d" % n * 5000
        hub.publish(watchobject.Change(make_entry(data), None, n + 1))
        sent += frame_chunk(b"0:%b;" % data)
        for _, rest in hub.flush(10, 1 << 20):
            rests += rest
    assert rests
    assert not watcher.is_direct
    received = b""
    theirs.settimeout(1)
    while len(received) + len(rests) < len(sent):
        received += theirs.recv(1 << 20)
    assert received + rests == sent
    ours.close()
    theirs.close()


def test_a_dead_socket_is_handed_back() -> None:
    ours, theirs = socket.socketpair()
    theirs.close()
    hub = make_hub()
    watcher = hub.open(watchobject.Selection(), "form")
    hub.release(watcher, ours.fileno())
    hub.publish(watchobject.Change(make_entry(), None, 1))
    assert hub.flush(10, 100) == [(watcher, frame_chunk(b"0:x;"))]
    assert hub.send_one(watcher, ours.fileno(), b"again") == b"again"
    ours.close()


def test_sizes_of_events_are_noted_once_for_each_watcher() -> None:
    sizes = metrics.Histogram(metrics.Buckets([4, 8]))
    hub = watch.Hub(encode, decode, sizes, 100, 1 << 20)
    first, second = (hub.open(watchobject.Selection(), form) for form in ("form", "form"))
    hub.publish(watchobject.Change(make_entry(), None, 1))  # "0:x;"
    assert (sizes.cumulate(), sizes.sum) == ([2, 2, 2], 8)
    hub.close(second)
    hub.publish(watchobject.Change(make_entry(b"y" * 20), None, 2))
    assert (sizes.cumulate(), sizes.sum) == ([2, 2, 3], 8 + 23)
    hub.close(first)
    hub.publish(watchobject.Change(make_entry(), None, 3))
    assert sizes.count == 3


def test_one_large_frame_passes_any_bound_and_the_next_ends_the_watch() -> None:
    hub = make_hub(frames_max=10, bytes_max=5)
    watcher = hub.open(watchobject.Selection(), "form")
    assert hub.publish(watchobject.Change(make_entry(b"y" * 100), None, 1)) == watch.PRESSURE
    assert watcher.lag == 1
    assert hub.take_ended() == []
    hub.publish(watchobject.Change(make_entry(), None, 2))
    assert hub.take_ended() == [watcher]
    assert (watcher.is_open, watcher.end_reason, hub.watcher_count) == (False, "overflow", 0)


def test_an_event_wakes_only_those_who_can_care() -> None:
    hub = make_hub()
    nodes = [hub.open(watchobject.Selection("", "", (), (("spec.node", False, f"n{n}"),)), "form") for n in range(100)]
    labelled = [
        hub.open(watchobject.Selection("", "", (("app", watchobject.IN, frozenset({f"{n}"})),)), "form")
        for n in range(100)
    ]
    entry = watchobject.Entry("ns/a", "ns", b"x", 1, 1, {"app": "7"}, {"spec.node": "n3"})
    assert hub.publish(watchobject.Change(entry, None, 1)) == watch.WAKE
    assert [watcher.lag for watcher in nodes].index(1) == 3
    assert [watcher.lag for watcher in labelled].index(1) == 7
    assert sum(watcher.lag for watcher in nodes + labelled) == 2
    moved = watchobject.Entry("ns/a", "ns", b"x", 2, 1, {"app": "8"}, {"spec.node": "n4"})
    hub.publish(watchobject.Change(moved, entry, 2))
    assert [watcher.lag for watcher in nodes[3:5] + labelled[7:9]] == [2, 1, 2, 1]
    assert hub.publish(watchobject.Change(make_entry(path="other/b"), None, 3)) == watch.IDLE


def test_work_is_bounded_and_takes_turns() -> None:
    hub = make_hub()
    watchers = [hub.open(watchobject.Selection(namespace), "form") for namespace in ("", "ns") for _ in range(10)]
    for watcher in watchers:
        hub.release(watcher, -1)
    hub.publish(watchobject.Change(make_entry(), None, 1))
    handed: list[watchchannel.Watcher] = []
    while hub.has_work:
        part = hub.flush(4, 100)
        assert len(part) <= 4
        handed += [watcher for watcher, _ in part]
    assert sorted(map(watchers.index, handed)) == list(range(20))


def test_watchers_that_leave_during_a_pass_disturb_nobody() -> None:
    for leaving in range(10):
        hub = make_hub()
        watchers = [hub.open(watchobject.Selection(), "form") for _ in range(10)]
        for watcher in watchers:
            hub.release(watcher, -1)
        hub.publish(watchobject.Change(make_entry(), None, 1))
        handed = [watcher for watcher, _ in hub.flush(5, 100)]
        hub.close(watchers[leaving])
        while hub.has_work:
            handed += [watcher for watcher, _ in hub.flush(5, 100)]
        expected = {watcher for at, watcher in enumerate(watchers) if at != leaving or watcher in handed[:5]}
        assert set(handed) == expected
        assert len(handed) == len(expected)
        for watcher in watchers:
            hub.close(watcher)
        assert hub.watcher_count == 0


@pytest.mark.parametrize("late", range(10))
def test_who_is_released_behind_a_pass_is_not_forgotten(late: int) -> None:
    """A client that falls behind and catches up while the others of its channel are being sent to."""
    hub = make_hub()
    watchers = [hub.open(watchobject.Selection(), "form") for _ in range(10)]
    for watcher in watchers:
        if watcher is not watchers[late]:
            hub.release(watcher, -1)
    hub.publish(watchobject.Change(make_entry(), None, 1))
    handed = [watcher for watcher, _ in hub.flush(5, 100)]
    hub.release(watchers[late], -1)
    while hub.has_work:
        handed += [watcher for watcher, _ in hub.flush(5, 100)]
    assert sorted(map(watchers.index, handed)) == list(range(10))


def test_what_cannot_be_encoded_is_work_for_the_caller() -> None:
    hub = watch_hubs.build(lambda form, kind, change, first: None, decode, 10, 100)
    watcher = hub.open(watchobject.Selection(), "bad")
    assert hub.publish(watchobject.Change(make_entry(), None, 1)) == watch.WAKE, "there are watches to be ended"
    assert hub.take_ended() == [watcher]


def test_what_cannot_be_encoded_ends_its_channel() -> None:
    hub = watch_hubs.build(lambda form, kind, change, first: None if form == "bad" else b"x", decode, 10, 100)
    good, bad = hub.open(watchobject.Selection(), "good"), hub.open(watchobject.Selection(), "bad")
    hub.publish(watchobject.Change(make_entry(), None, 1))
    assert hub.take_ended() == [bad]
    assert (bad.end_reason, good.lag) == ("encoding", 1)


def test_bookmarks_go_only_to_those_who_have_everything() -> None:
    hub = make_hub()
    ours, theirs = socket.socketpair()
    behind, direct, indirect, held = (hub.open(watchobject.Selection(), "form") for _ in range(4))
    hub.release(direct, ours.fileno())
    hub.release(indirect, -1)
    hub.release(behind, -1)
    closed = hub.open(watchobject.Selection(), "form")
    hub.close(closed)
    assert hub.send_each([direct, indirect, held, closed], b"mark") == [(indirect, frame_chunk(b"mark"))]
    assert theirs.recv(100) == frame_chunk(b"mark")
    hub.publish(watchobject.Change(make_entry(), None, 1))
    assert hub.send_each([behind], b"mark") == []
    ours.close()
    theirs.close()


def test_encodings_are_kept_by_the_identity_of_the_form() -> None:
    entry = make_entry()
    first, second = object(), object()
    entry.keep_encoding(first, b"1")
    entry.keep_encoding(second, b"2")
    entry.keep_encoding(first, b"3")
    assert (entry.encoding(first), entry.encoding(second), entry.encoding(object())) == (b"3", b"2", None)
    entry.forget_encodings(frozenset({first}))
    assert (entry.encoding(first), entry.encoding(second)) == (None, b"2")
    entry.forget_encodings(frozenset({second}))
    assert entry.encoding(second) is None


def test_encodings_of_forms_that_are_made_from_others_go_with_those() -> None:
    class Derived:
        base = object()

    made, other, entry = Derived(), object(), make_entry()
    for form in (made, other, Derived.base):
        entry.keep_encoding(form, b"x")
    entry.forget_encodings(frozenset({Derived.base}))
    assert (entry.encoding(made), entry.encoding(Derived.base), entry.encoding(other)) == (None, None, b"x")


def test_everything_is_let_go() -> None:
    gc.collect()
    before = watchchannel.count_alive() | watchobject.count_alive()
    hub = make_hub()
    for n in range(50):
        watcher = hub.open(watchobject.Selection("ns", "", (("app", watchobject.IN, frozenset({str(n)})),)), "form")
        watcher.owner = hub
        entry = watchobject.Entry("ns/a", "ns", b"x", n, 1, {"app": str(n)}, {})
        hub.publish(watchobject.Change(entry, None, n))
        if n % 2:
            hub.close(watcher)
    del watcher, entry
    for left in hub.watchers():
        hub.close(left)
        left.owner = None
    del hub, left
    gc.collect()
    assert watchchannel.count_alive() | watchobject.count_alive() == before


@pytest.mark.parametrize(
    "misuse",
    [
        lambda: watch_hubs.build(encode, decode, 0, 1),
        lambda: watchobject.Change(None, None, 1),
        lambda: watchobject.Change(make_entry(), None, 1).tombstone,
    ],
)
def test_misuse_raises(misuse: object) -> None:
    with pytest.raises(ValueError):
        misuse()  # type: ignore[operator]


def test_a_watcher_tells_what_it_has_got_and_what_it_has_not() -> None:
    hub = make_hub()
    first = hub.open(watchobject.Selection(), "form")
    assert (first.taken, first.lag, first.lag_bytes) == (0, 0, 0)
    for revision in (1, 2):
        hub.publish(watchobject.Change(make_entry(revision=revision), None, revision))
    late = hub.open(watchobject.Selection(), "form")
    frame = len(encode(None, 0, watchobject.Change(make_entry(), None, 1), False))
    assert (first.taken, first.lag, first.lag_bytes) == (0, 2, 2 * frame)
    assert (late.taken, late.lag, late.lag_bytes) == (0, 0, 0)
    hub.release(first, -1)
    hub.flush(10, 1 << 20)
    assert (first.taken, first.lag, first.lag_bytes) == (2, 0, 0)
    hub.close(first)
    assert (first.lag, first.lag_bytes) == (0, 0)


def test_an_old_object_that_is_held_packed_is_the_same_to_who_reads_it() -> None:
    data = b'{"metadata":{"resourceVersion":"1"},"spec":"' + b"x" * 10_000 + b'"}'
    old = make_entry(data)
    change = watchobject.Change(None, old, 7)
    plain = change.tombstone
    assert change.tombstone is plain
    packed = zlib.compress(data)
    change.hold_packed(packed)
    assert (old.data, old.held_bytes) == (data, len(packed))
    assert watchobject.gather_data([old]) == [data]
    unpacked = change.tombstone
    assert (unpacked.data, unpacked.revision) == (plain.data, 7)
    with pytest.raises(ValueError, match="nothing to pack"):
        change.hold_packed(packed)
    with pytest.raises(ValueError, match="nothing to pack"):
        watchobject.Change(old, None, 8).hold_packed(packed)


def test_packed_bytes_that_are_damaged_are_an_error_not_other_bytes() -> None:
    change = watchobject.Change(None, make_entry(b"x" * 1000), 7)
    change.hold_packed(zlib.compress(b"x" * 1000)[:-3])
    assert change.old is not None
    with pytest.raises(zlib.error):
        _ = change.old.data
