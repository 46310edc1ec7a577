"""Times of claims, and of templates of claims, of which Go sees more than is kept: a part of a second of the one, and
of the other that it was sent at all where it is Go's zero time."""

from __future__ import annotations

from contextvars import ContextVar
from typing import Any, Final

from quarterdeck.apimachinery.time import ZERO
from quarterdeck.registry.builtin import written
from quarterdeck.registry.builtin.senttimes import SentTimes
from quarterdeck.schema import timestamps

TIMES: Final = SentTimes("status.allocation.allocationTimestamp")

_OF_METADATA: Final = ("creationTimestamp", "deletionTimestamp")
_NOTHING: Final[dict[str, str]] = {}
# As in written.py: of the template that was decoded last.
_zero_times: ContextVar[dict[str, str]] = ContextVar("zero times in a template's metadata", default=_NOTHING)


def note_template(body: dict[str, Any]) -> None:
    """Of a template that is about to be decoded."""
    written.note(body)
    spec = body.get("spec")
    metadata = spec.get("metadata") if isinstance(spec, dict) else None
    sent = metadata if isinstance(metadata, dict) else {}
    found = {name: ZERO for name in _OF_METADATA if _is_zero(sent.get(name))}
    if found != _zero_times.get():
        _zero_times.set(found or _NOTHING)


def zero_times() -> dict[str, str]:
    """Those that the metadata in the template was sent with, which decoding has dropped."""
    return _zero_times.get()


def _is_zero(sent: object) -> bool:
    return isinstance(sent, str) and timestamps.is_time(sent) and timestamps.normalize(sent) == ZERO
