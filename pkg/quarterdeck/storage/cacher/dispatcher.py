"""Lets the hubs of all resources send, a bounded part in each turn of the event loop.

A turn sends to so many watchers at the most; then requests, commits and everything else have theirs, and the
remaining watchers go on in the next turn. What is published in between joins what they get.

Source of the idea: apiserver/pkg/storage/cacher/time_budget.go gives slow watchers a budget. Here no watcher is waited
for, so the budget serves fairness alone.
"""

from __future__ import annotations

import asyncio
from typing import Final

from quarterdeck._kernels import watch as kernel
from quarterdeck.storage.cacher.watching import Watch

# About 1.3 ms of sending: a request that comes meanwhile waits no longer than that.
SENDS_PER_TURN: Final = 256
# The most bytes of one send.
SEND_BYTES_MAX: Final = 256 * 1024


class Dispatcher:
    def __init__(self) -> None:
        self._hubs: dict[kernel.Hub, None] = {}  # with work, in the order of their turns
        self._is_scheduled = False

    def wake(self, hub: kernel.Hub) -> None:
        self._hubs[hub] = None
        if not self._is_scheduled:
            self._is_scheduled = True
            asyncio.get_running_loop().call_soon(self._run)

    def drain(self, hub: kernel.Hub) -> None:
        """Send all that the hub has, whatever it takes: its channels fill faster than turns come."""
        while hub.has_work:
            self._flush(hub, 1 << 30)

    def _run(self) -> None:
        self._is_scheduled = False
        budget = SENDS_PER_TURN
        try:
            for hub in list(self._hubs):
                if budget <= 0:
                    break
                del self._hubs[hub]
                before = hub.sends
                try:
                    budget -= self._flush(hub, budget) + (hub.sends - before)
                finally:
                    if hub.has_work:
                        self._hubs[hub] = None
        finally:  # a failure of one watch must not stop the others
            if self._hubs and not self._is_scheduled:
                self._is_scheduled = True
                asyncio.get_running_loop().call_soon(self._run)

    def _flush(self, hub: kernel.Hub, sends_max: int) -> int:
        indirect = hub.flush(sends_max, SEND_BYTES_MAX)
        for watcher, data in indirect:
            owner = watcher.owner
            if isinstance(owner, Watch):
                owner.write_chunks(data)
        return len(indirect)
