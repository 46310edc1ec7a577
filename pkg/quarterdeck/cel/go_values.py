"""Values as Go's %v prints them in errors.

Source: Go's fmt and time; cel-go common/types (String() of lists, maps, optionals and types).
"""

from __future__ import annotations

from typing import Any

from quarterdeck._kernels import celkeys, celvalue
from quarterdeck.cel import strfmt
from quarterdeck.cel.values import Duration, Optional, Timestamp, TypeValue


def show(value: Any) -> str:
    """Any value. Of what a map holds Go tells the order by chance; here it is the map's own."""
    return celkeys.show_key(value)


def _show_other(value: Any) -> str:
    if value is None:
        return "0"
    if isinstance(value, bytes):
        return f"[{' '.join(map(str, value))}]"
    if isinstance(value, Timestamp):
        return show_time(value)
    if isinstance(value, Duration):
        return show_duration(value.ns)
    if isinstance(value, TypeValue):
        return value.name
    if isinstance(value, Optional):
        return f"optional({show(value.value)})" if value.present else "optional.none()"
    items = celvalue.items_of(value)
    if items is not None:
        return f"[{', '.join(map(show, items))}]"
    keys = celvalue.keys_of(value)
    if keys is not None:
        return "{" + ", ".join(f"{show(key)}: {show(celvalue.get_key(value, key))}" for key in keys) + "}"
    for name in ("go_string", "cel_string"):
        shown: str | None = getattr(value, name, None)
        if shown is not None:
            return shown
    return celvalue.cel_type_name(value)


def show_duration(ns: int) -> str:
    """A time.Duration: `1h0m0.5s`, below a second in the unit that fits."""
    sign, ns = "-" if ns < 0 else "", abs(ns)
    if ns < 10**9:
        for unit, size in (("ns", 1), ("µs", 10**3), ("ms", 10**6)):
            if ns < size * 1000:
                return f"{sign}{_decimal(ns, size)}{unit}" if ns else "0s"
    minutes, rest = divmod(ns, 60 * 10**9)
    text = f"{_decimal(rest, 10**9)}s"
    if minutes:
        hours, minutes = divmod(minutes, 60)
        text = (f"{hours}h" if hours else "") + f"{minutes}m{text}"
    return sign + text


def _decimal(amount: int, unit: int) -> str:
    whole, rest = divmod(amount, unit)
    digits = str(rest).zfill(len(str(unit)) - 1).rstrip("0") if rest else ""
    return f"{whole}.{digits}" if digits else str(whole)


def show_time(value: Timestamp) -> str:
    """A time.Time: `2020-01-01 00:00:00 +0000 UTC`."""
    date, _, clock = strfmt.show_timestamp(value).partition("T")
    hours, minutes = divmod(abs(value.offset_s) // 60, 60)
    zone = f"{'-' if value.offset_s < 0 else '+'}{hours:02}{minutes:02}"
    time = clock[:-1] if clock.endswith("Z") else clock[:-6]
    return f"{date} {time} {zone} {zone if value.offset_s else 'UTC'}"


celkeys.set_show_other(_show_other)
