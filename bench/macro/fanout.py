"""One event to N watchers: CPU per delivery, against a plain send(2) loop to as many sockets, in the same run.

    python -m bench.macro.fanout [--watchers 100,1000,5000] [--events 50] [--tls] [--json FILE]

Measures the kernel and the cache without HTTP: entry, frame, matching, rings and sends. Rounds of the floor and of
the cache take turns, so that both see the same machine, and the readers rest meanwhile. With --tls there is a second
floor: a C loop that has OpenSSL encrypt the same bytes for each of the same connections, and sends.
"""

from __future__ import annotations

import _ssl
import argparse
import array
import asyncio
import ctypes
import functools
import json
import socket
import ssl
import statistics
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from bench.macro.sockets import Drain, drained_connections, load_floor

from quarterdeck._kernels.tlssealer import Sealer
from quarterdeck.apimachinery import labels
from quarterdeck.storage import interface
from quarterdeck.storage.cacher import Attributes, Cacher, StoredForm, WatchOptions, build_selection
from quarterdeck.transport.tls import TLSContext
from support.certificates import Certificate

OBJECT_BYTES = 700
KEY = "/registry/bench.io/widgets/default/w"
_SSL_OFFSET = object.__basicsize__ + ctypes.sizeof(ctypes.c_void_p)  # of the SSL in an _ssl._SSLSocket
FIRST_REVISION = 100_000  # all frames have the same size


class NullStore:
    """A store that has nothing; the benchmark plays its feed."""

    revision = FIRST_REVISION
    compacted_revision = 0
    lags = False
    tell_revision = None

    def subscribe(self, sink: interface.Sink) -> None:
        self.sink = sink

    async def current_revision(self) -> int:
        return self.revision

    async def load_all(self, *_: object) -> AsyncIterator[list[interface.KeyValue]]:
        for batch in ():
            yield batch


class SocketWriter:
    """A transport's stream writer that is never paused and always has its socket."""

    is_paused = False

    def __init__(self, fd: int, sealer: Sealer | None = None) -> None:
        self._fd = fd
        self._sealer = sealer

    def direct(self) -> tuple[int, Sealer | None, None]:
        return self._fd, self._sealer, None

    def write(self, data: bytes) -> None:
        raise RuntimeError("nothing is to be replayed")

    def write_chunks(self, chunks: bytes) -> None:
        raise RuntimeError("the socket did not take it: let the readers keep up")

    def end(self) -> None:
        pass


class Encryption:
    """The server's side of TLS for accepted sockets."""

    def __init__(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            paths = Certificate("bench").write(Path(folder))
            self._context = TLSContext(*paths)
        self.sealers: dict[int, Sealer] = {}
        self._connections: dict[int, object] = {}

    def greet(self, accepted: socket.socket) -> None:
        incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        connection = self._context.wrap(incoming, outgoing)
        while True:
            try:
                connection.do_handshake()
                break
            except ssl.SSLWantReadError:
                if outgoing.pending:
                    accepted.sendall(outgoing.read())
                incoming.write(accepted.recv(65536))
        if outgoing.pending:
            accepted.sendall(outgoing.read())
        inner = connection._sslobj
        sealer = self._context.build_records(connection, incoming, outgoing).sealer
        if sealer is None:
            raise RuntimeError("this Python hides its OpenSSL")
        self.sealers[accepted.fileno()] = sealer
        self._connections[accepted.fileno()] = inner  # for the floor; nobody decrypts what either has sealed

    def floor(self, descriptors: Sequence[int]) -> Callable[[ctypes.CDLL, int, int, bytes], int]:
        """To be called with the library, the address of the descriptors, how many connections there are, and the bytes;
        how many got them."""
        openssl = ctypes.CDLL(_ssl.__file__)
        openssl.SSL_get_wbio.restype, openssl.SSL_get_wbio.argtypes = ctypes.c_void_p, [ctypes.c_void_p]
        inner = [ctypes.c_void_p.from_address(id(self._connections[each]) + _SSL_OFFSET).value for each in descriptors]
        connections = (ctypes.c_void_p * len(inner))(*inner)
        outs = (ctypes.c_void_p * len(inner))(*(openssl.SSL_get_wbio(each) for each in inner))
        functions = [ctypes.cast(each, ctypes.c_void_p) for each in (openssl.SSL_write, openssl.BIO_read)]

        def send(library: ctypes.CDLL, address: int, count: int, data: bytes) -> int:
            sealed = ctypes.create_string_buffer(2 * len(data) + 2 * 20_000)
            where = (address, connections, outs, count)
            return int(library.seal_and_send_to_all(*where, data, len(data), sealed, *functions))

        return send


def make_value(name: str, padding: int) -> bytes:
    return (
        b'{"apiVersion":"bench.io/v1","kind":"Widget","metadata":{"name":"%b","namespace":"default",'
        b'"labels":{"app":"x"},"uid":"00000000-0000-0000-0000-000000000000"},"spec":{"padding":"%b"}}'
        % (name.encode(), b"x" * padding)
    )


async def settle(drain: Drain, expected: int) -> int:
    """Wait until the readers have everything; how much that is."""
    deadline = time.monotonic() + 20
    while (received := drain.received()) < expected:
        if time.monotonic() > deadline:
            raise RuntimeError("the readers did not get everything")
        await asyncio.sleep(0.001)
    return received


def _send_plain(floor: ctypes.CDLL, address: int, count: int, data: bytes) -> int:
    return int(floor.send_to_all(address, count, data, len(data)))


def sealed_size(size: int) -> int:
    """The least number of bytes that `size` bytes take in records of TLS 1.3."""
    return size + 22 * -(-size // 16384)


async def measure(
    watchers: int, events: int, batch: int, selector: str, rounds: int, *, is_tls: bool = False
) -> dict[str, float]:
    floor = load_floor()
    store = NullStore()
    cacher = Cacher(store)  # type: ignore[arg-type]
    await cacher.start()
    cache = cacher.resource("bench.io", "widgets")
    form = StoredForm("bench.io/v1", "Widget")
    first = FIRST_REVISION + 1
    store.sink([interface.Event(KEY, make_value("w", OBJECT_BYTES - 200), first, True, None)], first)
    value = make_value("w", OBJECT_BYTES - 200)
    note = Attributes({"app": "x"}, {})
    selection = build_selection("default", "", labels.parse(selector))
    encryption = Encryption() if is_tls else None
    sealers = encryption.sealers if encryption is not None else {}
    with drained_connections(watchers, is_tls=is_tls, greet=encryption and encryption.greet) as drain:
        opened = time.process_time()
        for accepted in drain.sockets:
            watch = cache.watch(WatchOptions(selection, str(first), timeout_s=3600), form)
            watch.attach(SocketWriter(accepted.fileno(), sealers.get(accepted.fileno())))
        opened = time.process_time() - opened
        fds = array.array("i", [accepted.fileno() for accepted in drain.sockets])
        address, _ = fds.buffer_info()
        plain = functools.partial(_send_plain, floor, address, watchers)
        sealing = functools.partial(encryption.floor(fds), floor, address, watchers) if encryption is not None else None
        revision, sent, floor_s, sealing_s, cache_s, frame = first, 0, [], [], [], b""
        for _ in range(rounds):
            for _ in range(events // batch):
                feed = []
                for _ in range(batch):
                    revision += 1
                    feed.append(interface.Event(KEY, value, revision, False, note))
                with drain.resting():
                    begin = time.process_time()
                    store.sink(feed, revision)
                    while cache.hub.has_work:  # noqa: ASYNC110 (the hub works in the loop's turns)
                        await asyncio.sleep(0)
                    cache_s.append(time.process_time() - begin)
                frame = frame or cache._encode_frame(form, 1, cache.history.since(revision - 1)[0], False) or b""
                size = len(frame) * batch
                sent = await settle(drain, sent + (sealed_size(size) if is_tls else size) * watchers)
            for send, spent_s in ((plain, floor_s), (sealing, sealing_s)):
                if send is None:
                    continue
                size = sealed_size(len(frame)) if send is sealing else len(frame)
                for _ in range(events // batch):
                    with drain.resting():
                        begin = time.process_time()
                        for _ in range(batch):
                            if send(frame) != watchers:
                                raise RuntimeError("a socket was full")
                        spent_s.append(time.process_time() - begin)
                    sent = await settle(drain, sent + size * batch * watchers)
        deliveries = batch * watchers
        result = {
            "watchers": watchers,
            "batch": batch,
            "frame_bytes": len(frame),
            "floor_us": statistics.median(floor_s) / deliveries * 1e6,
            "delivery_us": statistics.median(cache_s) / deliveries * 1e6,
            "open_us": opened / watchers * 1e6,
        }
        await cacher.close()
    result["ratio"] = result["delivery_us"] / result["floor_us"]
    if sealing_s:
        result["sealing_floor_us"] = statistics.median(sealing_s) / deliveries * 1e6
        result["sealing_ratio"] = result["delivery_us"] / result["sealing_floor_us"]
    return result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--watchers", default="100,1000,5000")
    parser.add_argument("--events", type=int, default=40)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--batches", default="1,32")
    parser.add_argument("--tls", action="store_true")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    results = []
    for batch in map(int, options.batches.split(",")):
        for watchers in map(int, options.watchers.split(",")):
            events = max(options.events, batch)
            result = asyncio.run(measure(watchers, events, batch, "", options.rounds, is_tls=options.tls))
            results.append(result)
            print(
                f"{watchers:5} watchers, {batch:2} events a commit: floor {result['floor_us']:.2f} us,"
                f" delivery {result['delivery_us']:.2f} us, ratio {result['ratio']:.2f},"
                f" open {result['open_us']:.1f} us"
                + (
                    f"; floor that encrypts {result['sealing_floor_us']:.2f} us, ratio {result['sealing_ratio']:.2f}"
                    if "sealing_ratio" in result
                    else ""
                )
            )
    if options.json:
        options.json.write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()
