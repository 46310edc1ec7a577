"""The time of day that objects carry and that they are judged by: the one clock of all that a client can see.

It is the machine's, unless another one was handed in from above: one for the process, or one for each of the servers in
it, which what runs for such a server finds in its context. What connections, requests and the disk wait for goes by
the machine's time always and asks `time`, `asyncio` and the kernels themselves (docs/adr/0111).
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextvars import ContextVar
from typing import Final, Protocol

from quarterdeck.apimachinery.time import format_rfc3339


class Clock(Protocol):
    def wall_s(self) -> float:
        """The time of day, in seconds since 1970."""

    def unique_ns(self) -> int:
        """The time of day in nanoseconds, and never the same one twice: names are made of it."""


wall_s: Callable[[], float] = time.time
"""Always called as `clock.wall_s()`: it is another function from the moment that another clock is handed in."""

# No second is the one of a clock that was handed in.
_NO_SECOND: Final = -1


class _Formatted:
    """One formatted text a second: most writes share it."""

    __slots__ = ("second", "text")

    def __init__(self) -> None:
        self.second = _NO_SECOND
        self.text = ""


_formatted: Final = _Formatted()
_time_s: Final = time.time
_is_replaced = False
_of_process: Clock | None = None
_of_context: Final[ContextVar[Clock | None]] = ContextVar("clock", default=None)


def now() -> str:
    """metav1.Time: RFC 3339 in UTC, whole seconds."""
    second = int(_time_s())
    return _formatted.text if second == _formatted.second else _format(second)


def unique_ns() -> int:
    """For names: the time of day in nanoseconds."""
    given = find()
    return time.time_ns() if given is None else given.unique_ns()


def find() -> Clock | None:
    """The clock that was handed in, where one was: that of the context, else that of the process."""
    return _of_context.get() or _of_process


def replace(given: Clock | None) -> None:
    """Have the whole process go by this clock, or (None) by the machine's again."""
    global _of_process  # noqa: PLW0603 - handed in once, as the process starts
    allow_others()
    _of_process = given


def allow_others() -> None:
    """From now on each question looks for the clock that was handed in. Before, none costs a look."""
    global wall_s, _is_replaced
    wall_s, _is_replaced = _find_wall_s, True
    _formatted.second = _NO_SECOND


def use(given: Clock) -> None:
    """Have the current context, and what is begun in it, go by this clock. `allow_others` was called before."""
    _of_context.set(given)


def _find_wall_s() -> float:
    given = find()
    return time.time() if given is None else given.wall_s()


def _format(second: int) -> str:
    if _is_replaced:
        return format_rfc3339(_find_wall_s())
    _formatted.text = format_rfc3339(second)
    _formatted.second = second
    return _formatted.text
