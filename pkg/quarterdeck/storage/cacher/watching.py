"""One watch: first what its options ask for (initial objects, missed changes), then the live channel.

    preparing ──► replaying ──► live ──► ended
        │             │ (paused ⇄ resumed)  │
        └─────────────┴─────────────────────┘

The kernel's watcher collects from the moment of opening, so nothing falls between replay and live; it is held until
the replay has been written. The transport hands in a writer (`attach`), tells when the client reads again (`resumed`)
and when it is gone (`closed`). Bytes are written only while the writer is not paused.

Source of the semantics: apiserver/pkg/storage/cacher/cache_watcher.go.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable, Iterator
from typing import Final, Protocol

from quarterdeck._kernels import watch as kernel
from quarterdeck._kernels import watchchannel
from quarterdeck._kernels.outlet import Outlet
from quarterdeck._kernels.tlssealer import Sealer
from quarterdeck.apimachinery import errors
from quarterdeck.storage.cacher.forms import EncodingError, Form
from quarterdeck.storage.cacher.options import WatchOptions

TURN_BYTES: Final = 1024 * 1024  # of a replay, before others have their turn: some 2 ms
BOOKMARK_PERIOD_S: float = 60.0
BOOKMARK_JITTER: Final = 0.25
# A last bookmark goes out this long before the deadline, so that the client resumes from as near to now as possible.
BOOKMARK_LEAD_S: float = 2.0


class Writer(Protocol):
    """What a watch needs of the transport's stream writer."""

    @property
    def is_paused(self) -> bool: ...
    def write(self, data: bytes) -> None: ...
    def write_chunks(self, chunks: bytes) -> None: ...
    def direct(self) -> tuple[int, Sealer | None, Outlet | None]: ...
    def end(self) -> None: ...


class WatchSource(Protocol):
    """Where a watch's live events come from: the cache of its resource, or the queue of its form."""

    hub: kernel.Hub

    def wake(self) -> None:
        """The hub has work."""

    def forget(self, watch: Watch) -> None:
        """The watch is over."""


class Watch:
    __slots__ = (
        "_is_last",
        "_is_waiting",
        "_pieces",
        "_preparing",
        "_writer",
        "bucket",
        "deadline_s",
        "form",
        "future_revision",
        "is_ended",
        "next_bookmark_s",
        "on_end",
        "on_replayed",
        "options",
        "source",
        "watcher",
    )

    def __init__(self, source: WatchSource, options: WatchOptions, form: Form, now_s: float) -> None:
        self.source = source
        self.options = options
        self.form = form
        self.watcher: watchchannel.Watcher | None = None
        self.deadline_s = now_s + options.timeout_s if options.timeout_s else float("inf")
        self.next_bookmark_s = float("inf")
        self.bucket = 0  # of the deadlines
        self.future_revision = 0  # changes up to this revision are not sent
        self.is_ended = False
        self.on_end: Callable[[], None] | None = None
        self.on_replayed: Callable[[], None] | None = None  # what the watch begins with has been written
        self._pieces: Iterator[bytes] | None = None
        self._is_last = False
        self._is_waiting = False
        self._preparing: asyncio.Task[None] | None = None
        self._writer: Writer | None = None

    @property
    def tells_of_initial_end(self) -> bool:
        """Whether a bookmark comes after the objects that the watch begins with."""
        return bool(self.options.send_initial_events and self.options.allow_bookmarks)

    # - how it begins (the cache calls one of these, before `attach`)

    def join(self, *, wants_header: bool = True) -> None:
        """Collect the changes from now on."""
        form = self.form
        self.watcher = self.source.hub.open(self.options.selection, form, form.has_header, wants_header)
        self.watcher.owner = self

    def replay(self, pieces: Iterator[bytes]) -> None:
        self._pieces = pieces

    def fail(self, error: errors.APIStatus) -> None:
        """Send the error as an event, and end."""
        self._pieces = iter((self.form.framing.frame_error(error),))
        self._is_last = True

    def prepare(self, work: Awaitable[None]) -> None:
        """Do `work`, which begins the watch by one of the calls above, before anything is written."""
        self._preparing = asyncio.ensure_future(self._prepare(work))

    async def _prepare(self, work: Awaitable[None]) -> None:
        try:
            await work
        except errors.APIStatus as error:
            self.fail(error)
        self._preparing = None
        if not self.is_ended and self._writer is not None:
            self._pump()

    def wait(self) -> None:
        """Write nothing until `ready`."""
        self._is_waiting = True

    def ready(self) -> None:
        self._is_waiting = False
        self.resumed()

    # - what the transport tells

    def attach(self, writer: Writer) -> None:
        if self.is_ended:
            writer.end()
            return
        self._writer = writer
        self._pump()

    def resumed(self) -> None:
        if self._writer is not None and not self.is_ended:
            self._pump()

    def closed(self) -> None:
        """The client is gone or the stream has ended. Called once or more."""
        self._writer = None
        self._finish()

    # - writing

    def _pump(self) -> None:
        """Write the replay as far as the client takes it, then go live."""
        writer = self._writer
        if self._preparing is not None or self._is_waiting or writer is None:
            return
        left = TURN_BYTES
        while self._pieces is not None:
            if writer.is_paused:
                return
            if left <= 0:
                asyncio.get_running_loop().call_soon(self.resumed)
                return
            try:
                piece = next(self._pieces, None)
            except EncodingError:
                self.end()
                return
            if piece is None:
                self._pieces = None
                if self.on_replayed is not None and not self._is_last:
                    self.on_replayed()
                self.on_replayed = None
            else:
                left -= len(piece)
                writer.write(piece)
                if self._writer is None:  # the write found that the client is gone
                    return
        if self._is_last:
            self.end()
        elif self.watcher is not None and not writer.is_paused:
            hub = self.source.hub
            hub.release(self.watcher, *writer.direct())
            if hub.has_work:
                self.source.wake()

    def write_chunks(self, data: bytes) -> None:
        """Send what the hub could not send itself."""
        writer, watcher = self._writer, self.watcher
        if writer is None or watcher is None:
            return
        fd = writer.direct()[0]
        if fd >= 0:
            data = self.source.hub.send_one(watcher, fd, data)
            if watcher.is_direct:
                return
        writer.write_chunks(data)
        if writer.is_paused:
            self.source.hub.hold(watcher)

    @property
    def is_caught_up(self) -> bool:
        """Everything that happened has been handed to the transport."""
        watcher = self.watcher
        return watcher is not None and watcher.is_live and not watcher.lag

    @property
    def is_paused(self) -> bool:
        """The client does not read what it has been sent."""
        return self._writer is not None and self._writer.is_paused

    # - bookmarks and the end

    def schedule(self, now_s: float) -> float:
        """The time at which the watch has to be looked at again."""
        self.next_bookmark_s = float("inf")
        if self.options.allow_bookmarks:
            period_s = BOOKMARK_PERIOD_S * (1 + BOOKMARK_JITTER * random.random())
            self.next_bookmark_s = now_s + period_s
            before_deadline_s = self.deadline_s - BOOKMARK_LEAD_S
            if now_s < before_deadline_s < self.next_bookmark_s:
                self.next_bookmark_s = before_deadline_s
        return min(self.next_bookmark_s, self.deadline_s)

    def end(self) -> None:
        """Finish the stream without an event, as upstream does when a watch is over."""
        writer = self._writer
        self._writer = None
        if writer is not None:
            writer.end()
        self._finish()

    def _finish(self) -> None:
        if self.is_ended:
            return
        self.is_ended = True
        self._pieces = None
        if self._preparing is not None:
            self._preparing.cancel()
            self._preparing = None
        if self.watcher is not None:
            self.source.hub.close(self.watcher)
            self.watcher.owner = None
            self.watcher = None
        self.source.forget(self)
        if self.on_end is not None:
            self.on_end()
            self.on_end = None
