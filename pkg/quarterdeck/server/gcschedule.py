"""When Python's collector looks for cycles among all that lives.

A full collection walks every object that it follows, and holds the interpreter's lock meanwhile: 50 ms for 100,000 of
them. By itself it comes when many objects have been made, which is while a large request is worked on, and what that
has made are trees, which need no collector. So full collections are made here, when it is quiet, and what a collection
has left is not walked again by the next one.

What is not walked may still become a cycle that nobody holds. So once there is several times as much as was walked
last, all of it is walked again: what is lost meanwhile stays a part of what is in use. Whoever knows that much has been
lost (a whole server, say) tells (`LostCycles`), and all is walked soon.
"""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

_LOOK_S: Final = 5.0
# It is never quiet for longer: so many looks, then a moment is looked for in which no large request is worked on, and
# after so many looks more a collection is made all the same.
_LOOKS_MAX: Final = 12
_BRIEF_LOOKS_MAX: Final = 300
_BRIEF_S: Final = 0.1
# A write makes and drops a few hundred objects. By Python's own 700 the collector would walk what the writes of this
# moment hold, again and again: 4 % of the instructions of a patch. One of the young takes some 0.2 ms, of the middle 2.
_YOUNG_MAX: Final = 5000
_YOUNG_COLLECTIONS_MAX: Final = 5
# So many collections of the middle generation have come before: as many objects, about, as Python itself waits for.
_MIDDLE_MIN: Final = 3
_GROWTH_MAX: Final = 3
_LOST_MAX: Final = 32
_SOON_S: Final = 0.2
_NEVER: Final = 1 << 30


@contextmanager
def without_full_collections() -> Iterator[None]:
    """While much is read that stays: the more there is, the more often all of it would be walked."""
    usual = gc.get_threshold()
    gc.set_threshold(usual[0], usual[1], _NEVER)
    try:
        yield
    finally:
        gc.set_threshold(*usual)


class LostCycles:
    """Counts what only a walk of everything frees. `on_many` is called when there is much."""

    def __init__(self) -> None:
        self.count = 0
        self.on_many: Callable[[], None] | None = None

    def add(self) -> None:
        self.count += 1
        if self.is_much and self.on_many is not None:
            self.on_many()

    @property
    def is_much(self) -> bool:
        return self.count >= _LOST_MAX


class GCSchedule:
    """`is_quiet` tells whether no large request has been worked on for a while, `is_idle` whether none is right now;
    `lost` is told of what was lost."""

    def __init__(
        self, is_quiet: Callable[[], bool], is_idle: Callable[[], bool], lost: LostCycles | None = None
    ) -> None:
        self._is_quiet = is_quiet
        self._is_idle = is_idle
        self._lost = lost or LostCycles()
        self._walked = 0
        self._looks = 0
        self._timer: asyncio.TimerHandle | None = None
        self._usual = gc.get_threshold()

    def begin(self) -> None:
        """All that lives stays: modules, caches and tables."""
        gc.freeze()
        self._walked = gc.get_freeze_count()
        gc.set_threshold(self._usual[0] and max(self._usual[0], _YOUNG_MAX), _YOUNG_COLLECTIONS_MAX, _NEVER)
        self._lost.on_many = self._look_soon
        self._wait()

    def stop(self) -> None:
        self._lost.on_many = None
        if self._timer is not None:
            self._timer.cancel()
        gc.unfreeze()
        gc.set_threshold(*self._usual)

    def look(self) -> None:
        """Collect if there may be something, and it is quiet, or was not for long and is for a moment."""
        if gc.get_count()[2] < _MIDDLE_MIN and not self._lost.is_much:
            return
        self._looks += 1
        if not self._may_collect():
            return
        self._looks = 0
        if gc.get_freeze_count() > self._walked * _GROWTH_MAX or self._lost.is_much:
            self._lost.count = 0
            gc.unfreeze()
            gc.collect()
            gc.freeze()
            self._walked = gc.get_freeze_count()
        else:
            gc.collect()
            gc.freeze()

    def _may_collect(self) -> bool:
        if self._is_quiet():
            return True
        if self._looks < _LOOKS_MAX:
            return False
        return self._is_idle() or self._looks >= _LOOKS_MAX + _BRIEF_LOOKS_MAX

    def _wait(self) -> None:
        delay_s = _BRIEF_S if self._looks >= _LOOKS_MAX else _LOOK_S
        self._timer = asyncio.get_running_loop().call_later(delay_s, self._look_and_wait)

    def _look_soon(self) -> None:
        if self._timer is not None and self._timer.when() > asyncio.get_running_loop().time() + _SOON_S:
            self._timer.cancel()
            self._timer = asyncio.get_running_loop().call_later(_SOON_S, self._look_and_wait)

    def _look_and_wait(self) -> None:
        self.look()
        self._wait()
