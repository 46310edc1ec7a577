"""Watches in a form whose bytes have to be awaited (a conversion webhook): changes in order, each when it is ready.

The cache itself never waits. Each such form has a queue of changes: its task prepares a change, publishes it on the
queue's own hub, and takes the next. A watch that is opened waits in the queue too, behind the changes that are not out
yet, so that replay and live changes meet without a gap.

A queue exists as long as its form is watched. A form that fails ends all its watches, as upstream ends a watch
whose object cannot be converted; the clients come back and try again.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Final, Protocol, TypeGuard

from quarterdeck._kernels import watch as kernel
from quarterdeck._kernels import watchobject
from quarterdeck.storage.cacher.forms import EncodingError, Form
from quarterdeck.storage.cacher.watching import Watch

# Changes that may wait for a slow webhook; then the watches are ended instead.
QUEUE_MAX: Final = 8192

Begin = Callable[[Watch], Awaitable[None]]
Deliver = Callable[[kernel.Hub, int], None]


class AwaitedForm(Protocol):
    """A form whose `encode` works only for entries that were prepared: `prepare` keeps their bytes with them. A form
    that has a `prepare` is one."""

    async def prepare(self, entries: list[watchobject.Entry]) -> None:
        """Raises EncodingError."""


def awaited_form(form: object) -> AwaitedForm | None:
    """The form itself or the one that it is made from (`base`), where that has to be awaited."""
    while form is not None:
        if _is_awaited(form):
            return form
        form = getattr(form, "base", None)
    return None


def _is_awaited(form: object) -> TypeGuard[AwaitedForm]:
    # Asked for each watch that is opened. isinstance with a protocol that is checked at runtime takes 20 µs.
    return hasattr(form, "prepare")


async def prepare(form: Form, entries: list[watchobject.Entry]) -> None:
    """Make sure that `encode` can be called for all of them. Raises EncodingError."""
    awaited = awaited_form(form)
    if awaited is not None:
        missing = [entry for entry in entries if entry.encoding(awaited) is None]
        if missing:
            await awaited.prepare(missing)


class FormQueue:
    """The changes and new watches of one form, in order. It is the WatchSource of its watches."""

    def __init__(
        self, form: Form, hub: kernel.Hub, deliver: Deliver, forgotten: Callable[[FormQueue, Watch], None]
    ) -> None:
        self.form = form
        self.hub = hub
        self.watches: dict[Watch, None] = {}
        self._selecting = 0  # watches that may lose sight of an object
        self._deliver = deliver
        self._forgotten = forgotten
        self._queue: deque[watchobject.Change | tuple[Watch, Begin]] = deque()
        self._task: asyncio.Task[None] | None = None

    def feed(self, change: watchobject.Change) -> None:
        if len(self._queue) >= QUEUE_MAX:
            self.end()
            return
        self._add(change)

    def open(self, watch: Watch, begin: Begin) -> None:
        """Open a watch; `begin` is called when the changes before it have been published."""
        self.watches[watch] = None
        self._selecting += _is_selecting(watch)
        self._add((watch, begin))

    def _add(self, item: watchobject.Change | tuple[Watch, Begin]) -> None:
        self._queue.append(item)
        if self._task is None:
            self._task = asyncio.get_running_loop().create_task(self._work())

    async def _work(self) -> None:
        try:
            while self._queue:
                item = self._queue.popleft()
                if isinstance(item, watchobject.Change):
                    await self._publish(item)
                elif not item[0].is_ended:
                    await item[1](item[0])
        except EncodingError:
            self.end()
        finally:
            self._task = None

    async def _publish(self, change: watchobject.Change) -> None:
        if not self.hub.watcher_count:
            return
        # Some watchers may see the new object, and others lose sight of the old one.
        entries = [change.entry] if change.entry is not None else []
        if change.old is not None and (self._selecting or change.entry is None):
            entries.append(change.tombstone)
        await prepare(self.form, entries)
        self._deliver(self.hub, self.hub.publish(change))

    def wake(self) -> None:
        self._deliver(self.hub, kernel.WAKE)

    def forget(self, watch: Watch) -> None:
        if watch in self.watches:
            del self.watches[watch]
            self._selecting -= _is_selecting(watch)
        self._forgotten(self, watch)

    def end(self) -> None:
        self._queue.clear()
        for watch in list(self.watches):
            watch.end()


def _is_selecting(watch: Watch) -> bool:
    selection = watch.options.selection
    return bool(selection.labels or selection.fields)
