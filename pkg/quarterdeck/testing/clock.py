"""The virtual clock of a control plane or a logical cluster (docs/virtual-clock.md)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, Final

_PATH: Final = "/quarterdeck/v1/clock"

Call = Callable[..., tuple[int, Any]]
Duration = str | float | timedelta
"""As Go writes them ("90s", "1h30m"), or a number of seconds."""
Time = str | datetime


class ClockError(RuntimeError):
    """There is no virtual clock, or it cannot do what was asked, or the server does not get done what it has to do."""


class Clock:
    """It stands until it is told to go. `call(method, path, body)` answers status and object."""

    def __init__(self, call: Call) -> None:
        self._call = call

    @property
    def now(self) -> datetime:
        return parse_time(self._ask("GET")["now"])

    def advance(self, duration: Duration) -> datetime:
        """Time passes, and all that is due meanwhile is done, each at its time. What time it is then."""
        told = self._ask("POST", {"advance": format_duration(duration)})
        if not told["settled"]:
            raise ClockError(f"it is {told['now']}, but the server has not done yet what it has to do")
        return parse_time(told["now"])

    def set(self, time: Time) -> datetime:
        """The time of day jumps, to later or earlier; no time passes, and nothing becomes due."""
        return parse_time(self._ask("POST", {"time": format_time(time)})["now"])

    def step(self, duration: Duration) -> datetime:
        """It jumps by so much, which may be negative."""
        return parse_time(self._ask("POST", {"step": format_duration(duration)})["now"])

    def _ask(self, method: str, body: Mapping[str, str] | None = None) -> Any:
        status, told = self._call(method, _PATH, body)
        if status == 404:
            raise ClockError("there is no virtual clock here: it is asked for with clock=…, or --virtual-clock")
        if status != 200:
            raise ClockError(told["message"] if isinstance(told, dict) else str(told))
        return told


def parse_time(text: str) -> datetime:
    return datetime.fromisoformat(text)


def format_time(time: Time) -> str:
    """A time without a zone is one of UTC."""
    if isinstance(time, str):
        return time
    return (time if time.tzinfo else time.replace(tzinfo=UTC)).astimezone(UTC).isoformat().replace("+00:00", "Z")


def format_duration(duration: Duration) -> str:
    if isinstance(duration, str):
        return duration
    seconds = duration.total_seconds() if isinstance(duration, timedelta) else duration
    return f"{seconds:.9f}s"


def flags_of(clock: Time | bool, seed: int | None) -> list[str]:
    """Of `quarterdeck serve`. `clock`: where it begins; True: at the machine's time, False: there is none."""
    return [f"--{name}={value}" for name, value in query_of(clock, seed, "virtual-clock").items()]


def query_of(clock: Time | bool, seed: int | None, name: str = "clock") -> dict[str, str]:
    """The parameters of a logical cluster, which begins with a clock of its own. A seed needs one."""
    if clock is False and seed is None:
        return {}
    told = {name: "now" if isinstance(clock, bool) else format_time(clock)}
    return told if seed is None else told | {"seed": str(seed)}
