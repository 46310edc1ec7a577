"""What a burst of writes leaves in the windows of changes goes, once no client can want it any more. What goes with a
resource, or with age, is given back to the system.

A window drops its oldest change when it takes a new one, so that an idle server would keep up to 256 MiB for each
resource for ever. A watch that resumes from before is served by the store where that has the changes still, and is told
410 where it does not.

Differs from upstream: its windows keep what they have; its store forgets what is so old.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from typing import Final

from quarterdeck.apimachinery import offload
from quarterdeck.storage.cacher.history import History

# As long as a store that is compacted every five minutes keeps history at least.
KEPT_S: Final = 300.0
LOOK_S: Final = 60.0
# Changes that are dropped in one turn of the loop: each frees an object.
_DROPPED_AT_ONCE: Final = 500
# Of less there is little to give back to the system.
TRIMMED_FROM: Final = 2000
TRIMMED_FROM_BYTES: Final = 4 * 1024 * 1024
# Until then who has dropped them has let go of them.
_TRIMMED_AFTER_S: Final = 1.0


class Aging:
    """`windows` gives those that there are; `now_s` is the clock of the changes. A timer, no task: there are servers of
    thousands of logical clusters."""

    def __init__(self, windows: Callable[[], Iterable[History]], now_s: Callable[[], float]) -> None:
        self._windows = windows
        self._now_s = now_s
        self._timer: asyncio.Handle | None = None

    def start(self) -> None:
        self._timer = asyncio.get_running_loop().call_later(LOOK_S, self._look, 0, 0)

    def stop(self) -> None:
        if self._timer is not None:
            self._timer.cancel()

    def _look(self, before: int, freed_bytes: int) -> None:
        """`before`: so many changes, of so many bytes, have been dropped in the turns of the loop before this one."""
        at_s, dropped = self._now_s() - KEPT_S, 0
        for window in self._windows():
            held_bytes = window.held_bytes
            dropped += window.drop_older(at_s, _DROPPED_AT_ONCE - dropped)
            freed_bytes += held_bytes - window.held_bytes
            if dropped == _DROPPED_AT_ONCE:
                self._timer = asyncio.get_running_loop().call_soon(self._look, before + dropped, freed_bytes)
                return
        self.give_back(before + dropped, freed_bytes)
        self.start()

    def give_back(self, dropped: int, freed_bytes: int) -> None:
        """So many changes are held no more, or will not be soon."""
        if dropped >= TRIMMED_FROM or freed_bytes >= TRIMMED_FROM_BYTES:
            asyncio.get_running_loop().call_later(_TRIMMED_AFTER_S, offload.trim_heap)
