"""What a burst of writes leaves in the windows of changes goes, once no client can want it any more.

A window drops its oldest change when it takes a new one, so that an idle server would keep up to 256 MiB for each
resource for ever. A watch that resumes from before is served by the store where that has the changes still, and is told
410 where it does not.

Differs from upstream: its windows keep what they have; its store forgets what is so old.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator
from typing import Final

from quarterdeck.apimachinery import offload
from quarterdeck.storage.cacher.history import History

# As long as a store that is compacted every five minutes keeps history at least.
KEPT_S: Final = 300.0
LOOK_S: Final = 60.0
# Changes that are dropped in one turn of the loop: each frees an object.
_DROPPED_AT_ONCE: Final = 500
# Of fewer there is little to give back to the system.
_TRIMMED_FROM: Final = 2000


class Aging:
    """`windows` gives those that there are; `now_s` is the clock of the changes. A timer, no task: there are servers of
    thousands of logical clusters."""

    def __init__(self, windows: Callable[[], Iterable[History]], now_s: Callable[[], float]) -> None:
        self._windows = windows
        self._now_s = now_s
        self._timer: asyncio.Handle | None = None

    def start(self) -> None:
        self._timer = asyncio.get_running_loop().call_later(LOOK_S, self._look)

    def stop(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _look(self) -> None:
        self._go_on(iter(list(self._windows())), 0)

    def _go_on(self, windows: Iterator[History], dropped: int) -> None:
        """Look at windows until something was dropped; at the others in the next turn."""
        for window in windows:
            if some := self._drop(window):
                left = iter((window, *windows))
                self._timer = asyncio.get_running_loop().call_soon(self._go_on, left, dropped + some)
                return
        if dropped >= _TRIMMED_FROM:
            offload.trim_heap()
        self.start()

    def _drop(self, window: History) -> int:
        return window.drop_older(self._now_s() - KEPT_S, _DROPPED_AT_ONCE)
