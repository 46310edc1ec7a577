"""/quarterdeck/v1/clock: the virtual clock of a running server (docs/virtual-clock.md).

    GET  /quarterdeck/v1/clock
    POST /quarterdeck/v1/clock    {"advance": "10m"}: time passes; {"time": "2026-01-01T00:00:00Z"}, {"step": "-90s"}:
                                  the time of day jumps

Whoever the authorizer lets reach the path may do it all, as at /quarterdeck/v1/faults.
"""

from __future__ import annotations

from collections.abc import Awaitable
from typing import Any, Final

from quarterdeck.apimachinery import duration, errors
from quarterdeck.apimachinery.codec import json
from quarterdeck.apimachinery.time import parse_rfc3339
from quarterdeck.apimachinery.virtualclock import OutOfRange, Settle, VirtualClock
from quarterdeck.endpoints import respond
from quarterdeck.transport.messages import Request, Response

PATH: Final = "/quarterdeck/v1/clock"
_WAYS: Final = ("advance", "step", "time")


class ClockPath:
    """`settle` waits for the controllers."""

    def __init__(self, clock: VirtualClock, settle: Settle) -> None:
        self._clock = clock
        self._settle = settle

    def __call__(self, request: Request) -> Response | Awaitable[Response] | None:
        if request.path != PATH:
            return None
        if request.method == "GET":
            return self._tell()
        if request.method != "POST":
            raise errors.MethodNotAllowed("the server does not allow this method on the requested resource", {})
        return self._change(*_read(request.body))

    def _tell(self, **more: Any) -> Response:
        clock, next_s = self._clock, self._clock.next_s()
        told = {"now": clock.text(), "passedSeconds": clock.now_s(), "timers": clock.waiting()}
        told |= {} if next_s is None else {"nextTimerSeconds": next_s}
        return respond.json_response(200, json.encode({**told, **more}))

    async def _change(self, way: str, seconds: float) -> Response:
        """`seconds`: how many, or since 1970."""
        try:
            if way == "advance":
                return self._tell(settled=await self._clock.advance(seconds, self._settle))
            if way == "step":
                self._clock.step(seconds)
            else:
                self._clock.set(seconds)
        except OutOfRange as error:
            raise errors.BadRequest(str(error), {}) from error
        return self._tell()


def _read(body: bytes) -> tuple[str, float]:
    """Which way the clock is to change, and the number. Raises BadRequest."""
    try:
        sent = json.decode(body).value
    except (json.DecodeError, ValueError) as error:
        raise errors.BadRequest(f"the body is no JSON: {error}", {}) from error
    if not isinstance(sent, dict) or len(sent) != 1 or not set(sent) <= set(_WAYS):
        raise errors.BadRequest("the body must be an object with one of advance, step, time", {})
    way, value = next(iter(sent.items()))
    if way == "time":
        wall_s = parse_rfc3339(value) if isinstance(value, str) else None
        if wall_s is None:
            raise errors.BadRequest("time: must be a time as of RFC 3339, such as 2026-01-01T00:00:00Z", {})
        return way, wall_s
    seconds = _read_duration(way, value)
    if way == "advance" and seconds < 0:
        raise errors.BadRequest("advance: time does not go back; step sets the time of day back", {})
    return way, seconds


def _read_duration(way: str, value: object) -> float:
    try:
        if isinstance(value, str):
            return duration.parse_ns(value) / 1e9
    except ValueError as error:
        raise errors.BadRequest(f"{way}: {error}", {}) from error
    raise errors.BadRequest(f"{way}: must be a duration, such as 90s, 1h30m", {})
