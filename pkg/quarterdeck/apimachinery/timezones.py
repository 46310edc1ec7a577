"""Time zones by their names. Source: Go's time.LoadLocation."""

from __future__ import annotations

import zoneinfo
from contextlib import suppress
from pathlib import Path


class WrongZone(ValueError):
    """There is no time zone of the name. The text is upstream's."""


def load(name: str) -> zoneinfo.ZoneInfo:
    """The system's time zone of a name that is neither "", "UTC" nor "Local". Raises WrongZone."""
    if ".." in name or name.startswith(("/", "\\")):
        raise WrongZone("time: invalid location name")
    with suppress(zoneinfo.ZoneInfoNotFoundError, ValueError, OSError):
        return zoneinfo.ZoneInfo(name)
    problem = ""
    for folder in zoneinfo.TZPATH:
        try:
            found = _read(Path(folder, name))
        except WrongZone as error:
            problem = problem or str(error)
        else:
            if found is not None:
                return found
    raise WrongZone(problem or f"unknown time zone {name}")


def are_known() -> bool:
    """Whether the system has files of time zones."""
    return any(Path(folder).is_dir() for folder in zoneinfo.TZPATH)


def _read(path: Path) -> zoneinfo.ZoneInfo | None:
    """None if there is no such file. Raises WrongZone."""
    if "\0" in str(path):
        raise WrongZone("invalid argument")
    try:
        with path.open("rb") as data:
            return zoneinfo.ZoneInfo.from_file(data)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise WrongZone((error.strerror or "").lower()) from None
    except ValueError:
        raise WrongZone("malformed time zone information") from None
