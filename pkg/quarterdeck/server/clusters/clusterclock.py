"""The virtual clocks of logical clusters: which one a new cluster has."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from quarterdeck.apimachinery import errors
from quarterdeck.apimachinery.time import parse_rfc3339
from quarterdeck.server.clusters.cluster import Cluster
from quarterdeck.server.config import VirtualClockSettings

if TYPE_CHECKING:  # loaded where there is a virtual clock
    from quarterdeck.server.virtualtime import VirtualTime

NOW: Final = "now"


def make(settings: VirtualClockSettings | None, purpose: str) -> VirtualTime | None:
    """`purpose` tells what it begins with: uids that are there must not be given again for the same seed."""
    if settings is None:
        return None
    from quarterdeck.server.virtualtime import VirtualTime

    return VirtualTime(settings, purpose)


def settings_of(original: Cluster | None) -> VirtualClockSettings | None:
    """Of a fork: its clock goes on from there. None: the original goes by the machine's time."""
    virtual = None if original is None else original.kept.time
    return None if virtual is None else virtual.settings_now


def read(clock: str, seed: str) -> VirtualClockSettings | None:
    """Of query parameters; empty ones are not there. Raises BadRequest."""
    if not clock:
        if seed:
            raise errors.BadRequest("seed needs clock", {})
        return None
    start_s = None if clock == NOW else parse_rfc3339(clock)
    if start_s is None and clock != NOW:
        raise errors.BadRequest(f"clock: must be {NOW}, or a time as of RFC 3339, such as 2026-01-01T00:00:00Z", {})
    try:
        return VirtualClockSettings(start_s, int(seed) if seed else None)
    except ValueError as error:
        raise errors.BadRequest("seed: must be a whole number", {}) from error
