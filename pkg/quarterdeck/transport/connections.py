"""All connections of a process: what they share, the sweep that enforces their deadlines, the end of them all."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Final, Protocol, TypeVar

from quarterdeck.transport import bodies, refusals
from quarterdeck.transport.limits import Limits
from quarterdeck.transport.messages import Application, Request, Response

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor

    from quarterdeck.metrics.registry import Histogram

_SWEEP_S: Final = 0.5
_THREADS_MAX: Final = 2
_DAYS: Final = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_MONTHS: Final = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")

T = TypeVar("T")
P = TypeVar("P")


class Connection(Protocol):
    deadline: float

    def expire(self) -> None: ...

    def drain(self) -> None: ...

    def abort(self) -> None: ...


def format_date_line(seconds: float) -> bytes:
    """The Date field (RFC 9110, 5.6.7), whatever the locale is."""
    t = time.gmtime(seconds)
    day, month = _DAYS[t.tm_wday], _MONTHS[t.tm_mon - 1]
    text = f"Date: {day}, {t.tm_mday:02} {month} {t.tm_year} {t.tm_hour:02}:{t.tm_min:02}:{t.tm_sec:02} GMT\r\n"
    return text.encode()


class Connections:
    """`now`, `idle_deadline` and `date_line` are brought up to date by the sweep, while there are connections: requests
    read them without asking a clock. `now` is ahead by one sweep, so that no deadline is set too early."""

    def __init__(
        self, application: Application, limits: Limits | None = None, clock: Callable[[], float] | None = None
    ) -> None:
        self.application = application
        self.limits = limits or Limits()
        self.loop = asyncio.get_running_loop()
        self.turns = bodies.Turns(self.loop)
        self._clock = clock or self.loop.time
        self.is_draining = False
        self.accepted_total = 0
        self.rejected_total = 0
        self.handshake_errors = 0
        self.streams_count = 0
        self.body_bytes = 0  # of requests that are not answered yet
        self.large_body_refused: Callable[[Request], None] | None = None
        self._streams_max = self.limits.streams_max
        self.lag: Histogram | None = None  # how late the sweep comes is how long the loop was held up
        self._connections: set[Connection] = set()
        self._sweep_handle: asyncio.TimerHandle | None = None
        self._empty = asyncio.Event()
        self._executor: ThreadPoolExecutor | None = None
        self._update_clock()

    # Accounting.

    @property
    def connections_count(self) -> int:
        return len(self._connections)

    def admit(self, connection: Connection) -> bool:
        """False: there are too many already."""
        connections = self._connections
        if len(connections) >= self.limits.connections_max or self.is_draining:
            self.rejected_total += 1
            return False
        self.accepted_total += 1
        connections.add(connection)
        if self._sweep_handle is None:
            self._update_clock()
            self._sweep_handle = self.loop.call_later(_SWEEP_S, self.sweep)
        return True

    def admit_stream(self) -> bool:
        """False: there are too many watches already. Who gets True calls `forget_stream` at the end."""
        if self.streams_count >= self._streams_max:
            return False
        self.streams_count += 1
        return True

    def forget_stream(self) -> None:
        self.streams_count -= 1

    def forget(self, connection: Connection) -> None:
        self._connections.discard(connection)
        if self.is_draining and not self._connections:
            self._empty.set()

    def replace(self, old: Connection, new: Connection) -> None:
        """`new` goes on in the place of `old` (a connection after its handshake)."""
        self._connections.discard(old)
        self._connections.add(new)

    def _update_clock(self) -> None:
        self.now = self._clock() + _SWEEP_S
        self.idle_deadline = self.now + self.limits.idle_timeout_s
        self.date_line = format_date_line(time.time())

    def sweep(self) -> None:
        """Twice a second: end what has taken too long."""
        planned = self.now
        self._update_clock()
        now = self.now - _SWEEP_S
        if self.lag is not None:
            self.lag.observe(max(now - planned, 0.0))
        for connection in [connection for connection in self._connections if connection.deadline <= now]:
            connection.expire()
        if self._connections:
            self._sweep_handle = self.loop.call_later(_SWEEP_S, self.sweep)
        else:
            self._sweep_handle = None

    def answer_large_body(self, request: Request) -> Response:
        """The answer to a request whose body is not taken in: `large_body_refused` is told of it."""
        if self.large_body_refused is not None:
            self.large_body_refused(request)
        return refusals.answer_large_body(self.limits.body_bytes_max)

    # Work that would hold up the loop.

    def run_in_thread(self, function: Callable[[P], T], argument: P) -> asyncio.Future[T]:
        if self._executor is None:
            from concurrent.futures import ThreadPoolExecutor

            self._executor = ThreadPoolExecutor(_THREADS_MAX, thread_name_prefix="transport")
        return self.loop.run_in_executor(self._executor, function, argument)

    # The end.

    async def drain(self, grace_s: float) -> bool:
        """Let requests be answered and streams end. False: some had to be cut off after `grace_s`."""
        self.is_draining = True
        for connection in list(self._connections):
            connection.drain()
        is_complete = True
        if self._connections:
            try:
                await asyncio.wait_for(self._empty.wait(), grace_s)
            except TimeoutError:
                is_complete = False
                for connection in list(self._connections):
                    connection.abort()
        if self._sweep_handle is not None:
            self._sweep_handle.cancel()
            self._sweep_handle = None
        if self._executor is not None:
            self._executor.shutdown(wait=False, cancel_futures=True)
        return is_complete
