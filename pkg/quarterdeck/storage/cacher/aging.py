"""What a burst of writes leaves in the windows of changes goes, once no client can want it any more.

A window drops its oldest change when it takes a new one, so that an idle server would keep up to 256 MiB for each
resource for ever. A watch that resumes from before is served by the store where that has the changes still, and is told
410 where it does not.

Differs from upstream: its windows keep what they have; its store forgets what is so old.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Final

from quarterdeck._kernels import longsteps
from quarterdeck.storage.cacher.history import History

# As long as a store that is compacted every five minutes keeps history at least.
KEPT_S: Final = 300.0
LOOK_S: Final = 60.0
# Changes that are dropped in one turn of the loop: each frees an object.
_DROPPED_AT_ONCE: Final = 500
# The C library keeps what is freed in small blocks. It takes milliseconds to give that back.
_TRIMMED_FROM: Final = 2000


async def age(windows: Callable[[], Sequence[History]], now_s: Callable[[], float]) -> None:
    """Never returns. `now_s` is the clock of the changes."""
    while True:
        await asyncio.sleep(LOOK_S)
        dropped = 0
        for window in windows():
            while some := window.drop_older(now_s() - KEPT_S, _DROPPED_AT_ONCE):
                dropped += some
                await asyncio.sleep(0)
        if dropped >= _TRIMMED_FROM:
            await asyncio.to_thread(longsteps.trim_heap)
