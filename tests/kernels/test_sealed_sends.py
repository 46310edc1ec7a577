"""The fan-out kernel over TLS: what a client decrypts is what was published, whatever the sockets take."""

from __future__ import annotations

import gc
import random
import socket
import ssl
import sys
import threading
from collections.abc import Iterator

import pytest

from quarterdeck._kernels import tls13, tlsrecords, tlssealer, watch, watchobject
from quarterdeck.transport.messages import frame_chunk
from support import watch_hubs
from support.tls_pairs import Ends, Way, prepare_context


@pytest.fixture(scope="module")
def context(tmp_path_factory: pytest.TempPathFactory) -> ssl.SSLContext:
    return prepare_context(tmp_path_factory.mktemp("sealed"))


class Pair(Ends):
    """A server's connection as the transport has it, and its client."""

    def __init__(self, context: ssl.SSLContext, way: Way = Way.KEYS) -> None:
        super().__init__(context, way)
        self.ours, self.theirs = socket.socketpair()
        self.ours.setblocking(False)
        self.received = b""

    def write(self, data: bytes) -> None:
        """As the transport does it."""
        records = self.records.write(data)
        assert records is not None
        self.send(records)

    def send(self, records: bytes) -> None:
        while records:
            try:
                records = records[self.ours.send(records) :]
            except BlockingIOError:
                self.read()

    def read(self) -> None:
        self.theirs.setblocking(False)
        try:
            while data := self.theirs.recv(1 << 16):
                self.to_client.write(data)
        except BlockingIOError:
            pass
        self.received += self.read_by_client(b"")

    def close(self) -> None:
        self.ours.close()
        self.theirs.close()


@pytest.fixture(params=list(Way), ids=lambda way: way.value)
def pair(context: ssl.SSLContext, request: pytest.FixtureRequest) -> Iterator[Pair]:
    pair = Pair(context, request.param)
    yield pair
    pair.close()


def encode(form: object, kind: int, change: watchobject.Change, with_header: bool) -> bytes:
    entry = change.entry
    assert entry is not None
    return entry.data


def make_hub() -> watch.Hub:
    return watch_hubs.build(encode, lambda entry: None, 10_000, 1 << 30)


def publish(hub: watch.Hub, data: bytes, revision: int) -> None:
    hub.publish(watchobject.Change(watchobject.Entry("ns/a", "ns", data, revision, 1), None, revision))


def flush(hub: watch.Hub, pair: Pair) -> None:
    """As a watch does it: what was sealed first, then what was not."""
    while hub.has_work:
        for watcher, data in hub.flush(100, 256 * 1024):
            assert not watcher.is_direct
            pair.send(pair.sealer.take_rest())
            if data:
                pair.write(data)
            hub.release(watcher, pair.ours.fileno(), pair.sealer)


@pytest.mark.parametrize("size", [1, 700, 16_384, 16_385, 100_000, 3_000_000])
def test_a_frame_of_any_size_arrives(pair: Pair, size: int) -> None:
    hub = make_hub()
    hub.release(hub.open(watchobject.Selection(), "form"), pair.ours.fileno(), pair.sealer)
    data = random.Random(size).randbytes(size)
    publish(hub, data, 1)
    flush(hub, pair)
    pair.read()
    assert pair.received == frame_chunk(data)


def test_sealed_and_ordinary_writes_of_a_connection_keep_their_order(pair: Pair) -> None:
    hub = make_hub()
    watcher = hub.open(watchobject.Selection(), "form")
    hub.release(watcher, pair.ours.fileno(), pair.sealer)
    rng = random.Random(3)
    expected = b""
    for n in range(400):
        data = b"<%d>" % n + rng.randbytes(rng.choice([0, 10, 2000, 40_000]))
        choice = rng.random()
        expected += data if 0.6 <= choice < 0.8 else frame_chunk(data)
        if choice < 0.6:
            publish(hub, data, n + 1)
            if rng.random() < 0.5:
                flush(hub, pair)
        else:
            flush(hub, pair)
            if choice < 0.8:
                pair.write(data)
            else:
                for _, rest in hub.send_each([watcher], data):
                    pair.send(pair.sealer.take_rest())
                    if rest:
                        pair.write(rest)
                    hub.release(watcher, pair.ours.fileno(), pair.sealer)
        if rng.random() < 0.2:
            pair.read()
    flush(hub, pair)
    pair.read()
    assert pair.received == expected


@pytest.mark.parametrize("count", [63, 64, 200])
def test_each_of_many_connections_gets_all_in_order(context: ssl.SSLContext, count: int) -> None:
    """From 64 on the sends of one batch are shared by threads."""
    hub = make_hub()
    ways = list(Way)
    pairs = {hub.open(watchobject.Selection(), "form"): Pair(context, ways[number % 3]) for number in range(count)}
    for number, (watcher, pair) in enumerate(pairs.items()):
        hub.release(watcher, pair.ours.fileno(), None if number % 4 == 3 else pair.sealer)
    rng = random.Random(count)
    plain = [pair for number, pair in enumerate(pairs.values()) if number % 4 == 3]
    got = dict.fromkeys(plain, b"")
    expected = b""
    for revision in range(1, 60):
        data = b"<%d>" % revision + rng.randbytes(rng.choice([0, 10, 700, 20_000, 300_000]))
        expected += frame_chunk(data)
        publish(hub, data, revision)
        while hub.has_work:
            for watcher, rest in hub.flush(1000, 1 << 20):
                pair = pairs[watcher]
                if pair in got:
                    got[pair] += drain(pair.theirs)
                    pair.ours.setblocking(True)
                    threading.Thread(target=pair.ours.sendall, args=(rest,)).start()
                    while len(got[pair]) < len(expected):
                        got[pair] += pair.theirs.recv(1 << 20)
                    pair.ours.setblocking(False)
                    hub.release(watcher, pair.ours.fileno())
                else:
                    pair.send(pair.sealer.take_rest())
                    if rest:
                        pair.write(rest)
                    hub.release(watcher, pair.ours.fileno(), pair.sealer)
        for pair in pairs.values():
            if pair in got:
                got[pair] += drain(pair.theirs)
            else:
                pair.read()
    for pair in pairs.values():
        assert got.get(pair, pair.received) == expected
        pair.close()


def drain(reader: socket.socket) -> bytes:
    reader.setblocking(False)
    read = b""
    try:
        while data := reader.recv(1 << 20):
            read += data
    except BlockingIOError:
        pass
    reader.setblocking(True)
    return read


def test_what_the_socket_does_not_take_stays_with_the_sealer(pair: Pair) -> None:
    hub = make_hub()
    watcher = hub.open(watchobject.Selection(), "form")
    hub.release(watcher, pair.ours.fileno(), pair.sealer)
    data = b"x" * 3_000_000
    publish(hub, data, 1)
    assert hub.flush(1, 1 << 30) == [(watcher, b"")]
    assert not watcher.is_direct
    assert pair.sealer.has_rest
    rest = pair.sealer.take_rest()
    assert not pair.sealer.has_rest
    assert pair.sealer.take_rest() == b""
    pair.send(rest)
    assert hub.send_one(watcher, pair.ours.fileno(), b"more") == b""
    assert watcher.is_direct
    pair.read()
    assert pair.received == frame_chunk(data) + b"more"


def test_a_connection_that_cannot_be_written_to_is_handed_back(pair: Pair) -> None:
    hub = make_hub()
    watcher = hub.open(watchobject.Selection(), "form")
    hub.release(watcher, pair.ours.fileno(), pair.sealer)
    pair.records.read(b"\x17\x03\x03\x00\x20" + b"n" * 32)  # no record of this connection
    assert pair.records.state == tlsrecords.BROKEN
    publish(hub, b"data", 1)
    assert hub.flush(10, 100) == [(watcher, frame_chunk(b"data"))]
    assert not pair.sealer.has_rest
    assert pair.records.write(b"data") is None


def test_what_is_not_sent_yet_goes_before_an_alert(context: ssl.SSLContext) -> None:
    """Which cannot be said out of its turn: the connection ends without."""
    pair = Pair(context)
    hub = make_hub()
    hub.release(hub.open(watchobject.Selection(), "form"), pair.ours.fileno(), pair.sealer)
    publish(hub, b"x" * 3_000_000, 1)
    hub.flush(1, 1 << 30)
    assert pair.sealer is not None and pair.sealer.has_rest
    pair.records.read(b"GET / HTTP/1.1")
    assert pair.records.state == tlsrecords.BROKEN
    assert pair.records.take_output() == b""
    assert pair.records.goodbye() == b""
    pair.close()


def test_a_sealer_keeps_its_connection_and_goes_with_the_watch(context: ssl.SSLContext) -> None:
    pair = Pair(context, Way.OPENSSL_13)
    hub = make_hub()
    watcher = hub.open(watchobject.Selection(), "form")
    hub.release(watcher, pair.ours.fileno(), pair.sealer)
    inner = pair.server._sslobj  # type: ignore[attr-defined]
    del pair.sealer, pair.server, pair.records
    gc.collect()
    publish(hub, b"data", 1)
    assert hub.flush(10, 100) == []
    pair.read()
    assert pair.received == frame_chunk(b"data")
    held = sys.getrefcount(inner)
    hub.close(watcher)
    assert sys.getrefcount(inner) == held - 1
    pair.close()


def test_only_connections_of_the_prepared_context_have_a_sealer(context: ssl.SSLContext) -> None:
    other = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    connection = other.wrap_bio(ssl.MemoryBIO(), ssl.MemoryBIO(), server_side=True)
    assert tlssealer.build_sealer(connection._sslobj, context) is None  # type: ignore[attr-defined]
    for thing in (None, object(), connection, ssl.MemoryBIO(), connection._sslobj):  # type: ignore[attr-defined]
        assert tlssealer.build_sealer(thing, context) is None
        assert tls13.build_records(thing, context, "TLS_AES_128_GCM_SHA256") is None
