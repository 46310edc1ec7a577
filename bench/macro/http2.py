"""HTTP/2 beside HTTP/1.1 over TLS: requests, watches that are opened, and events for 1,000 watches, in one run.

    python -m bench.macro.http2 [--watches 1000] [--connections 10] [--events 100] [--requests 20000]

    get        one object again and again, by h2load (Debian's nghttp2-client): one request at a time on one
               connection, as kubectl sends them; 8 at a time, as client-go does (for HTTP/1.1, 8 connections);
               over HTTP/2 on 8 connections with one request each, too. The median of 3 rounds
    open       opening the watches: over HTTP/1.1 each has a connection of its own
    deliver    one write at a time, seen by all watches

Figures are microseconds of the serving process's CPU, for a request, a watch, a delivery. What a write itself costs is
measured without watches and taken off.
"""

from __future__ import annotations

import argparse
import multiprocessing
import multiprocessing.connection
import selectors
import shutil
import socket
import ssl
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Final

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

import hpack
from bench.macro.load import cpu_seconds
from bench.macro.sockets import raise_file_limit
from bench.macro.watch import COLLECTION, TOKEN, Bench, make_object

from support.server import Server

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
WINDOW = 0x7FFFFFFF
MARK = b'"type":"MODIFIED"'


def frame(kind: int, flags: int, stream: int, payload: bytes) -> bytes:
    return len(payload).to_bytes(3, "big") + bytes((kind, flags)) + stream.to_bytes(4, "big") + payload


def opening(path: str, token: str, streams: int) -> bytes:
    """All that one connection says: watches of `path`, with windows that never run out."""
    encoder = hpack.Encoder()
    parts = [
        PREFACE,
        frame(4, 0, 0, b"\x00\x04" + WINDOW.to_bytes(4, "big")),
        frame(8, 0, 0, (WINDOW - 65535).to_bytes(4, "big")),
    ]
    for number in range(streams):
        head = encoder.encode(
            [
                (":method", "GET"),
                (":scheme", "https"),
                (":authority", "localhost"),
                (":path", path),
                ("authorization", f"Bearer {token}"),
            ]
        )
        parts.append(frame(1, 5, 2 * number + 1, head))
    return b"".join(parts)


def connect(address: tuple[str, int], protocol: str) -> ssl.SSLSocket:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    context.set_alpn_protocols([protocol])
    return context.wrap_socket(socket.create_connection(address))


def watch(
    address: tuple[str, int],
    path: str,
    token: str,
    connections: int,
    watches: int,
    pipe: multiprocessing.connection.Connection,
) -> None:
    """A process that opens the watches (0 connections: each has its own, over HTTP/1.1) and counts what they see."""
    raise_file_limit()
    selector = selectors.DefaultSelector()
    if connections:
        text = opening(path, token, watches // connections)
        count, protocol = connections, "h2"
    else:
        text = f"GET {path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\n\r\n".encode()
        count, protocol = watches, "http/1.1"
    seen = 0
    tails: dict[int, bytes] = {}
    for _ in range(count):
        secure = connect(address, protocol)
        secure.sendall(text)
        secure.setblocking(False)
        selector.register(secure, selectors.EVENT_READ)
        tails[secure.fileno()] = b""
    selector.register(pipe, selectors.EVENT_READ)
    pipe.send("open")
    while True:
        for key, _ in selector.select():
            if key.fileobj is pipe:
                if pipe.recv() == "stop":
                    return
                pipe.send(seen)
                continue
            try:
                while data := key.fileobj.recv(1 << 18):  # type: ignore[union-attr]
                    data = tails[key.fd] + data
                    seen += data.count(MARK)
                    tails[key.fd] = b"" if data.endswith(MARK) else data[1 - len(MARK) :]
            except ssl.SSLWantReadError:
                pass


class Watching:
    def __init__(self, server: Server, connections: int, watches: int, path: str) -> None:
        self.pipe, theirs = multiprocessing.Pipe()
        address = ("127.0.0.1", server.secure_port)
        self._process = multiprocessing.Process(
            target=watch, args=(address, path, TOKEN, connections, watches, theirs), daemon=True
        )
        self._process.start()
        assert self.pipe.recv() == "open"

    def wait(self, seen: int) -> None:
        """Until so many events have been seen."""
        while True:
            self.pipe.send("count")
            if int(self.pipe.recv()) >= seen:
                return
            time.sleep(0.001)

    def stop(self) -> None:
        self.pipe.send("stop")
        self._process.join()


def put(bench: Bench, number: int) -> None:
    thing = bench.client.must(200, "GET", f"{COLLECTION}/seen")
    thing["spec"]["node"] = f"n{number}"
    bench.client.must(200, "PUT", f"{COLLECTION}/seen", thing)


def measure_watches(server: Server, bench: Bench, connections: int, watches: int, events: int) -> tuple[float, float]:
    """Microseconds for an opened watch and for a delivery."""
    before = bench.cpu_s()
    for number in range(events):
        put(bench, number)
    write_s = bench.cpu_s() - before
    path = f"{COLLECTION}?watch=true&timeoutSeconds=3600&resourceVersion={bench.revision()}"
    before = bench.cpu_s()
    watching = Watching(server, connections, watches, path)
    put(bench, events)  # a watch that sees it is open
    watching.wait(watches)
    open_s = bench.cpu_s() - before
    before = bench.cpu_s()
    for number in range(events):
        put(bench, events + 1 + number)
        watching.wait(watches * (number + 2))
    deliver_s = bench.cpu_s() - before - write_s
    watching.stop()
    return open_s / watches * 1e6, deliver_s / (watches * events) * 1e6


_GETS: Final = {
    "HTTP/1.1, one at a time": ("--h1", "-c1", "-m1"),
    "HTTP/2, one at a time": ("-c1", "-m1"),
    "HTTP/1.1, 8 at a time": ("--h1", "-c8", "-m1"),
    "HTTP/2, 8 at a time": ("-c1", "-m8"),
    "HTTP/2, 8 connections": ("-c8", "-m1"),
}
_ROUNDS: Final = 3


def measure_gets(server: Server, requests: int) -> None:
    taken: dict[str, list[float]] = {name: [] for name in _GETS}
    for _ in range(_ROUNDS):
        for name, flags in _GETS.items():
            taken[name].append(measure_get(server, requests, *flags))
    for name, rounds in taken.items():
        print(f"get      {name:24} {statistics.median(rounds):8.1f} us", flush=True)


def measure_get(server: Server, requests: int, *flags: str) -> float:
    before = cpu_seconds(server.process_id)
    command = ["h2load", *flags, f"-n{requests}", f"-HAuthorization: Bearer {TOKEN}"]
    run = subprocess.run(
        [*command, f"https://127.0.0.1:{server.secure_port}{COLLECTION}/seen"],
        check=True,
        capture_output=True,
        text=True,
    )
    if f"{requests} succeeded" not in run.stdout:
        raise RuntimeError(run.stdout)
    return (cpu_seconds(server.process_id) - before) / requests * 1e6


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--watches", type=int, default=1000)
    parser.add_argument("--connections", type=int, default=10)
    parser.add_argument("--events", type=int, default=100)
    parser.add_argument("--requests", type=int, default=20000)
    options = parser.parse_args()
    raise_file_limit()
    with tempfile.TemporaryDirectory() as folder:
        tokens = Path(folder) / "tokens.csv"
        tokens.write_text(f"{TOKEN},bench,1,system:masters\n")
        with Server(None, "--token-auth-file", str(tokens)) as server:
            bench = Bench(server)
            bench.define()
            bench.client.must(201, "POST", COLLECTION, make_object("seen", 1200))
            if shutil.which("h2load"):
                measure_gets(server, options.requests)
            for name, connections in (("HTTP/1.1", 0), ("HTTP/2", options.connections)):
                opened, delivered = measure_watches(server, bench, connections, options.watches, options.events)
                print(f"open     {name:9} {opened:8.1f} us")
                print(f"deliver  {name:9} {delivered:8.2f} us", flush=True)


if __name__ == "__main__":
    main()
