"""Room for recursion over input whose depth is bounded elsewhere.

Expressions nest as deep as the parser lets them (250 levels, a dozen calls each), schemas as deep as JSON does (10,000
levels, two for each schema node). Interpreted calls take no C stack, but count against Python's own limit, which is
lower than both; it is raised only for input that needs it. Compiled calls count against nothing and take C stack, half
a kilobyte a level: for expressions any thread's stack is large enough, for deep schemas there is a thread with a stack
of its own.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, Final, TypeVar

if TYPE_CHECKING:
    # Not at run time: others than rules need room too, in servers that never load the language.
    from quarterdeck._kernels import celeval

T = TypeVar("T")

_FRAMES_MAX: Final = 60_000
# Nodes of a schema, one in another, for which any thread's stack is large enough, and the stack for all others. It is
# address space: only what is used becomes memory.
_LEVELS_MAX: Final = 200
_STACK_BYTES: Final = 64 << 20


class _Room:
    """The raised limit, which all threads share: it stands until the last of those that need it has left."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._users = 0
        self._before = 0

    def __enter__(self) -> None:
        with self._lock:
            self._users += 1
            if self._users == 1:
                self._before = sys.getrecursionlimit()
                sys.setrecursionlimit(max(self._before, _FRAMES_MAX))

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._users -= 1
            if not self._users:
                sys.setrecursionlimit(self._before)


_room: Final = _Room()


def with_room(run: Callable[[], T]) -> T:
    """run(), and once more with room if it was too deep. `run` must not have changed anything when it fails."""
    try:
        return run()
    except RecursionError:
        with _room:
            return run()


def with_room_for(levels: int, run: Callable[[], T]) -> T:
    """The same for recursion that goes `levels` deep."""
    if levels <= _LEVELS_MAX:
        return with_room(run)
    with ThreadPoolExecutor(1, "deep-recursion") as executor:
        before = threading.stack_size(_STACK_BYTES)
        try:
            running = executor.submit(with_room, run)
        finally:
            threading.stack_size(before)
        return running.result()


def evaluate(kernel: celeval.Program, values: list[Any], cost_limit: int) -> tuple[Any, int]:
    """kernel.run(), with room where data nests so deeply that Python objects to showing or comparing it."""
    try:
        return kernel.run(values, cost_limit)
    except RecursionError:
        return with_room(lambda: kernel.run(values, cost_limit))
