"""Connections that are kept busy, in several processes: what goes out when, and how long each answer took.

With a rate each connection has its times at which to send, and an answer's latency counts from that time: what a slow
answer holds up is not forgotten. Without one each connection sends as soon as it was answered. A request that gets no
answer is a failure, and another connection is opened for the next one; who cannot have one ends.

Over HTTP/2 what is said of connections here goes for their streams: so many requests are under way at a time, one after
another on each, and several of them share a connection.
"""

from __future__ import annotations

import asyncio
import contextlib
import multiprocessing
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from multiprocessing.connection import Connection as Pipe
from typing import Any, Final

import uvloop

from quarterdeck.cmd.bench import connection, http2connection, http2session
from quarterdeck.cmd.bench.channel import Channel
from quarterdeck.cmd.bench.histogram import Histogram
from quarterdeck.cmd.bench.messages import Connection, Unreachable
from quarterdeck.cmd.bench.payload import Payload
from quarterdeck.cmd.bench.watchers import raise_file_limit
from quarterdeck.cmd.bench.workload import Actor, Operation
from quarterdeck.cmd.client import RequestError
from quarterdeck.cmd.kubeconfig import Target

_TELL_S: Final = 0.5
_END_S: Final = 60.0  # for the answers that are still on their way


@dataclass(frozen=True)
class Load:
    """`duration_s` or `requests` (of all, 0: no bound) ends it. `rate`: operations a second of all connections, 0: as
    fast as answers come. `ramp_s`: connections begin one after another within it. `page`: the limit of lists.
    `streams`: how many of `connections` share one of HTTP/2; 0: HTTP/1.1."""

    scenario: str
    connections: int
    processes: int
    duration_s: float
    requests: int
    rate: float
    ramp_s: float
    objects: int
    page: int
    namespace: str
    streams: int = 0

    @property
    def tcp_connections(self) -> int:
        """How many connections there really are."""
        return -(-self.connections // self.streams) if self.streams else self.connections


@dataclass
class Measured:
    """`latencies`: by verb."""

    latencies: dict[str, Histogram] = field(default_factory=dict)
    failures: int = 0
    first_failure: str = ""
    elapsed_s: float = 0.0

    def fail(self, reason: str) -> None:
        self.failures += 1
        self.first_failure = self.first_failure or reason

    def merge(self, other: Measured) -> None:
        for verb, histogram in other.latencies.items():
            self.latencies.setdefault(verb, Histogram()).merge(histogram)
        self.failures += other.failures
        self.first_failure = self.first_failure or other.first_failure
        self.elapsed_s = max(self.elapsed_s, other.elapsed_s)

    @property
    def requests(self) -> int:
        return sum(histogram.total for histogram in self.latencies.values())


class Processes:
    """The processes of a load. `ready` returns when all their objects are there, `run` when the load is over."""

    def __init__(self, target: Target, payload: Payload, load: Load, run_name: str) -> None:
        self._load = load
        context = multiprocessing.get_context("fork")
        self._children = []
        self._pipes: list[Pipe] = []
        for number in range(load.processes):
            ours, theirs = multiprocessing.Pipe()
            child = context.Process(target=_serve, args=(target, payload, load, run_name, number, theirs), daemon=True)
            child.start()
            theirs.close()
            self._children.append(child)
            self._pipes.append(ours)

    def ready(self) -> None:
        """Raises RequestError."""
        for pipe in self._pipes:
            self._receive(pipe)

    def run(self, tell: Callable[[float, int, int], None]) -> Measured:
        """`tell` is called with the seconds so far, the requests and the failures, now and then."""
        begin = time.monotonic()
        for pipe in self._pipes:
            pipe.send(True)
        counts = [(0, 0)] * len(self._pipes)
        whole = Measured()
        open_pipes = dict(enumerate(self._pipes))
        while open_pipes:
            for number, pipe in list(open_pipes.items()):
                found = self._receive(pipe)
                if isinstance(found, Measured):
                    whole.merge(found)
                    del open_pipes[number]
                else:
                    counts[number] = found
            tell(time.monotonic() - begin, sum(each[0] for each in counts), sum(each[1] for each in counts))
        return whole

    def close(self) -> None:
        for child in self._children:
            child.kill()
            child.join()

    def _receive(self, pipe: Pipe) -> Any:
        try:
            found: Any = pipe.recv()
        except EOFError:
            found = "a process of the load has ended"
        if isinstance(found, str):
            raise RequestError(found)
        return found


# - the child


def _serve(target: Target, payload: Payload, load: Load, run_name: str, number: int, pipe: Pipe) -> None:
    try:
        uvloop.run(_Child(target, payload, load, f"{run_name}-{number}", pipe).run(number))
    except (OSError, RequestError, ValueError) as error:
        with contextlib.suppress(OSError):
            pipe.send(str(error) or repr(error))
    except KeyboardInterrupt:
        pass


class _Child:
    def __init__(self, target: Target, payload: Payload, load: Load, name: str, pipe: Pipe) -> None:
        self._target = target
        self._payload = payload
        self._load = load
        self._name = name
        self._pipe = pipe
        self._measured = Measured()
        self._left = 0  # operations that nobody has begun, where their number is bound
        self._done = 0

    async def run(self, number: int) -> None:
        load = self._load
        numbers = range(number, load.tcp_connections, load.processes)
        self._left = len(range(number, load.requests, load.processes))
        raise_file_limit(len(numbers))
        if load.streams:
            http2session.offer(self._target)
        channels = [Channel(self._connect) for _ in numbers]
        await asyncio.gather(*(channel.open() for channel in channels))
        lanes = [
            (at, channel)
            for first, channel in zip(numbers, channels, strict=True)
            for at in range(first, load.connections, load.tcp_connections)
        ]
        actors = [
            Actor(
                self._target,
                self._payload,
                load.scenario,
                namespace=load.namespace,
                prefix=f"{self._name}-{at}",
                page=load.page,
            )
            for at in range(len(lanes))
        ]
        share = -(-load.objects // load.connections)
        pairs = list(zip(lanes, actors, strict=True))
        await asyncio.gather(*(self._prepare(channel, actor.prepare(share)) for (_, channel), actor in pairs))
        self._pipe.send((0, 0))
        await asyncio.get_running_loop().run_in_executor(None, self._pipe.recv)
        begin = time.perf_counter()
        telling = asyncio.create_task(self._tell())
        await asyncio.gather(*(self._work(channel, actor, at, begin) for (at, channel), actor in pairs))
        telling.cancel()
        for channel in channels:
            channel.close()
        self._measured.elapsed_s = time.perf_counter() - begin
        self._pipe.send(self._measured)

    async def _connect(self) -> Connection:
        load = self._load
        if load.streams:
            return await http2connection.connect(self._target, -(-load.connections // load.tcp_connections))
        return await connection.connect(self._target)

    async def _prepare(self, channel: Channel, operation: Operation) -> None:
        """Its answers must be good: the rest stands on them."""
        before = self._measured.failures
        await self._perform(channel, operation, time.perf_counter())
        if self._measured.failures > before:
            raise RequestError(f"what is to be measured cannot be made: {self._measured.first_failure}")

    async def _work(self, channel: Channel, actor: Actor, at: int, begin: float) -> None:
        load = self._load
        due = begin + load.ramp_s * at / load.connections
        pause = load.connections / load.rate if load.rate else 0.0
        end = begin + load.duration_s
        while self._left if load.requests else max(due, time.perf_counter()) < end:
            self._left -= 1
            wait = due - time.perf_counter()
            if wait > 0:
                await asyncio.sleep(wait)
            sent = due if pause else time.perf_counter()
            due += pause
            try:
                await self._perform(channel, actor.operation(), sent)
            except Unreachable as error:
                self._measured.fail(str(error))
                return
            except RequestError as error:
                self._measured.fail(str(error))

    async def _perform(self, channel: Channel, operation: Operation, sent: float) -> None:
        measured = self._measured
        answer = None
        while True:
            try:
                step = operation.send(answer) if answer is not None else next(operation)
            except StopIteration:
                return
            if answer is not None:
                sent = time.perf_counter()
            try:
                async with asyncio.timeout(_END_S):
                    answer = await channel.exchange(step.request)
            except TimeoutError as error:
                raise RequestError(f"no answer within {_END_S:.0f} s") from error
            if step.verb:
                if step.verb not in measured.latencies:
                    measured.latencies[step.verb] = Histogram()
                measured.latencies[step.verb].add(time.perf_counter() - sent)
                self._done += 1
            if answer[0] >= 300:
                measured.fail(f"{answer[0]} {answer[1][:300].decode(errors='replace')}")

    async def _tell(self) -> None:
        while True:
            await asyncio.sleep(_TELL_S)
            self._pipe.send((self._done, self._measured.failures))
