"""Thousands of watches in a process of their own, which counts their events and tells when the last one has come.

The reader wants as little of the machine as it can, since it shares it with a server that is measured on the same
machine: it does not sleep in epoll_wait, where each of the server's sends would have to wake it, but looks every
half millisecond, takes what is there, and reads each socket once for all that it holds.

Still, to read from thousands of sockets takes as long as to send to them, and while both is done side by side each goes
at about half its pace. So there is another way to look (`expect_arrival`): the reader stays away until the server is
through, and then takes the times at which the kernel got the data for each socket.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import resource
import sys
import time
from multiprocessing.connection import Connection
from typing import Final

from quarterdeck.cmd.bench import http2watchreader, watchreader
from quarterdeck.cmd.bench.http2watchreader import HTTP2Reader
from quarterdeck.cmd.bench.watchreader import Reader, WatchersError
from quarterdeck.cmd.client import RequestError
from quarterdeck.cmd.kubeconfig import Target

_LOOK_S: Final = 0.0005
_IDLE_S: Final = 0.05  # while nothing is expected
_STAY_AWAY_S: Final = 0.1
_FILES_RESERVED: Final = 256


class Watchers:
    """Opens a watch for each path: `streams` of them on a connection of HTTP/2, or, where that is 0, each on one of
    HTTP/1.1. `open_s`: how long that took. `tells_arrival`: the kernel's times can be had, which are those of a whole
    connection."""

    def __init__(self, target: Target, paths: list[str], timeout_s: float, streams: int = 0) -> None:
        self.tells_arrival = target.tls is None and not streams and sys.platform == "linux"
        self._timeout_s = timeout_s
        self._wanted = 0
        self._pipe, theirs = multiprocessing.Pipe()
        context = multiprocessing.get_context("fork")
        self._child = context.Process(target=_serve, args=(target, paths, streams, theirs), daemon=True)
        begin = time.monotonic()
        self._child.start()
        theirs.close()
        self._receive(max(timeout_s, len(paths) * 0.05))
        self.open_s = time.monotonic() - begin

    def expect(self, events: int) -> None:
        """Count on that many more events."""
        self._want(events, is_quiet=False)

    def expect_arrival(self, events: int) -> None:
        """The same, and nothing is read for a while. Returns when the times are being noted."""
        self._want(events, is_quiet=True)
        self._receive(self._timeout_s)

    def wait(self) -> float:
        """When the last expected event was read, or has arrived where that was asked for (time.monotonic)."""
        return self._receive(self._timeout_s)

    def close(self) -> None:
        self._child.kill()
        self._child.join()
        self._pipe.close()

    def _want(self, events: int, *, is_quiet: bool) -> None:
        self._wanted += events
        with contextlib.suppress(OSError):  # the child has ended: why, it has told
            self._pipe.send((self._wanted, is_quiet))

    def _receive(self, timeout_s: float) -> float:
        try:
            answer: object = self._pipe.recv() if self._pipe.poll(timeout_s) else "not everything came in time"
        except EOFError:
            answer = "their process has ended"
        if not isinstance(answer, float):
            raise WatchersError(f"the watches failed: {answer}")
        return answer


def raise_file_limit(wanted: int) -> None:
    """Allow so many connections. Raises WatchersError where the system does not."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    needed = wanted + _FILES_RESERVED
    if soft != resource.RLIM_INFINITY and soft < needed:
        if hard != resource.RLIM_INFINITY and hard < needed:
            raise WatchersError(f"{wanted} watches need {needed} open files, the limit is {hard} (ulimit -Hn)")
        resource.setrlimit(resource.RLIMIT_NOFILE, (needed, hard))


# - the child


def _serve(target: Target, paths: list[str], streams: int, pipe: Connection) -> None:
    try:
        raise_file_limit(len(paths) // (streams or 1))
        reader: Reader | HTTP2Reader
        if streams:
            reader = http2watchreader.open_reader(target, paths, streams)
        else:
            reader = watchreader.open_reader(target, paths)
        pipe.send(time.monotonic())
        _read_for(pipe, reader)
    except (OSError, WatchersError, RequestError) as error:
        with contextlib.suppress(OSError):
            pipe.send(str(error))


def _read_for(pipe: Connection, reader: Reader | HTTP2Reader) -> None:
    """Read until the other side is gone."""
    while True:
        try:
            wanted, is_quiet = pipe.recv() if pipe.poll(_IDLE_S) else (0, False)
        except EOFError:
            return
        if not wanted:
            # All that is there, since TLS gives out a record at a time: who reads less is given up by the server.
            while reader.read() and not pipe.poll():
                pass
        elif is_quiet and isinstance(reader, Reader):
            reader.note_times(True)
            pipe.send(time.monotonic())
            pipe.send(_wait_for_arrival(reader, wanted))
        else:
            pipe.send(_wait_for(reader, wanted))


def _wait_for(reader: Reader | HTTP2Reader, wanted: int) -> float:
    while reader.total < wanted:
        if not reader.read() and reader.total < wanted:
            time.sleep(_LOOK_S)
    return time.monotonic()


def _wait_for_arrival(reader: Reader, wanted: int) -> float:
    reader.arrived_ns = 0
    while reader.total < wanted:
        time.sleep(_STAY_AWAY_S)
        reader.read_with_times()
    reader.note_times(False)
    return time.monotonic() - (time.time_ns() - reader.arrived_ns) / 1e9
