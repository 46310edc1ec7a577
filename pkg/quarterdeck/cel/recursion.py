"""Room for recursion over input whose depth is bounded elsewhere.

Expressions nest as deep as the parser lets them (250 levels, a dozen frames each), schemas as deep as JSON does (10,000
levels, two for each schema node). Python's own limit is lower than both; it is raised only for input that needs it.
Calls of Python functions by Python functions take no C stack, so this is a matter of memory alone.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Final, TypeVar

T = TypeVar("T")

_FRAMES_MAX: Final = 60_000


def with_room(run: Callable[[], T]) -> T:
    """run(), and once more with room if it was too deep. `run` must not have changed anything when it fails."""
    try:
        return run()
    except RecursionError:
        before = sys.getrecursionlimit()
        sys.setrecursionlimit(max(before, _FRAMES_MAX))
        try:
            return run()
        finally:
            sys.setrecursionlimit(before)
