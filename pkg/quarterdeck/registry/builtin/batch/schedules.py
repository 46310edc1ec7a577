"""Schedules in cron's form. Only whether one can be read: nobody waits for it here.

Source: github.com/robfig/cron/v3 (parser.go).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

from quarterdeck.apimachinery import gotext, strconv, timezones
from quarterdeck.registry.builtin.batch import durations

_MONTHS: Final = "jan feb mar apr may jun jul aug sep oct nov dec"
_DAYS: Final = "sun mon tue wed thu fri sat"
_DESCRIPTORS: Final = frozenset(("@yearly", "@annually", "@monthly", "@weekly", "@daily", "@midnight", "@hourly"))
_EVERY: Final = "@every "


class WrongSchedule(ValueError):
    """The text is upstream's."""


class _Bounds(NamedTuple):
    least: int
    most: int
    names: Mapping[str, int] = {}


_FIELDS: Final = (
    _Bounds(0, 59),
    _Bounds(0, 23),
    _Bounds(1, 31),
    _Bounds(1, 12, {name: number for number, name in enumerate(_MONTHS.split(), 1)}),
    _Bounds(0, 6, {name: number for number, name in enumerate(_DAYS.split())}),
)


def check(schedule: str) -> None:
    """Raises WrongSchedule."""
    text = schedule
    if text.startswith(("TZ=", "CRON_TZ=")):
        zone, space, text = text.partition("=")[2].partition(" ")
        if not space:
            raise WrongSchedule("invalid schedule format: runtime error: slice bounds out of range [:-1]")
        if zone and (problem := find_zone_problem(zone)):
            raise WrongSchedule(f"provided bad location {zone}: {problem}")
        text = gotext.strip(text)
    if text.startswith("@"):
        _check_descriptor(text)
        return
    parts = gotext.split(text)
    if len(parts) != len(_FIELDS):
        raise WrongSchedule(f"expected exactly {len(_FIELDS)} fields, found {len(parts)}: [{' '.join(parts)}]")
    for part, bounds in zip(parts, _FIELDS, strict=True):
        for expression in part.split(","):
            if expression:
                _check_range(expression, bounds)


def find_zone_problem(name: str) -> str:
    """Why the system's time zones have none of that name, "" if they do. What has no time zones takes every name."""
    if name in ("UTC", "Local"):
        return ""
    try:
        timezones.load(name)
    except timezones.WrongZone as error:
        # Differs from upstream: it carries the time zones with it.
        is_unknown = str(error).startswith("unknown time zone")
        return "" if is_unknown and not timezones.are_known() else str(error)
    return ""


def _check_descriptor(text: str) -> None:
    if text in _DESCRIPTORS:
        return
    if not text.startswith(_EVERY):
        raise WrongSchedule(f"unrecognized descriptor: {text}")
    if problem := durations.find_problem(text.removeprefix(_EVERY)):
        raise WrongSchedule(f"failed to parse duration {text}: {problem}")


def _check_range(expression: str, bounds: _Bounds) -> None:
    span, *steps = expression.split("/")
    ends = span.split("-")
    if ends[0] in ("*", "?"):
        start, end = bounds.least, bounds.most
    else:
        start = end = _parse(ends[0], bounds.names)
        if len(ends) == 2:
            end = _parse(ends[1], bounds.names)
        elif len(ends) > 2:
            raise WrongSchedule(f"too many hyphens: {expression}")
    step = 1
    if len(steps) == 1:
        step = _parse(steps[0], {})
        if len(ends) == 1:
            end = bounds.most
    elif steps:
        raise WrongSchedule(f"too many slashes: {expression}")
    if start < bounds.least:
        raise WrongSchedule(f"beginning of range ({start}) below minimum ({bounds.least}): {expression}")
    if end > bounds.most:
        raise WrongSchedule(f"end of range ({end}) above maximum ({bounds.most}): {expression}")
    if start > end:
        raise WrongSchedule(f"beginning of range ({start}) beyond end of range ({end}): {expression}")
    if step == 0:
        raise WrongSchedule(f"step of range should be a positive number: {expression}")


def _parse(text: str, known: Mapping[str, int]) -> int:
    if (number := known.get(gotext.lower(text))) is not None:
        return number
    try:
        number = strconv.parse_int(text, "Atoi")
    except strconv.NumError as error:
        raise WrongSchedule(f"failed to parse int from {text}: {error}") from error
    if number < 0:
        raise WrongSchedule(f"negative number ({number}) not allowed: {text}")
    return number
