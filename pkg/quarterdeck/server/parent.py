"""Ends the server with the process that started it, however that ends, so that tests leave no orphans.

Not PR_SET_PDEATHSIG: that looks at the thread that started the child, which may end long before its process.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from typing import Final

_POLL_S: Final = 0.5


def follow(process_id: int, stop: Callable[[], None]) -> Callable[[], None]:
    """Call `stop` once, on the loop, when the process has ended, or is no process. Returns what ends that."""
    loop = asyncio.get_running_loop()
    try:
        handle = os.pidfd_open(process_id)
    except ProcessLookupError:
        loop.call_soon(stop)
        return lambda: None
    except (OSError, AttributeError):  # not allowed, or not Linux
        return _poll(process_id, stop)

    def end() -> None:
        nonlocal handle
        if handle >= 0:
            loop.remove_reader(handle)
            os.close(handle)
            handle = -1

    def on_ended() -> None:
        end()
        stop()

    loop.add_reader(handle, on_ended)
    return end


def _poll(process_id: int, stop: Callable[[], None]) -> Callable[[], None]:
    loop = asyncio.get_running_loop()
    timers: list[asyncio.TimerHandle] = []

    def look() -> None:
        try:
            os.kill(process_id, 0)
        except ProcessLookupError:
            stop()
            return
        except PermissionError:
            pass  # it is there, and somebody else's
        timers[:] = [loop.call_later(_POLL_S, look)]

    def end() -> None:
        for timer in timers:
            timer.cancel()

    look()
    return end
