"""Times that were sent with a part of a second, which a kind compares before it is lost.

metav1.Time keeps nanoseconds until it is stored, and Go's equality sees them: a time of the same second that was sent
with a fraction is another than the one that is stored. Decoding drops the fraction. So is the zero time where metadata
has a pointer to one: it is stored as null, and nothing is there when it is read.

Source: apimachinery/pkg/apis/meta/v1/time.go, apimachinery/pkg/api/equality.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextvars import ContextVar
from typing import Any, Final

from quarterdeck._kernels import longsteps
from quarterdeck.apimachinery import time
from quarterdeck.registry.builtin import written

_NONE: Final[dict[str, str]] = {}
_OF_METADATA: Final = ("creationTimestamp", "deletionTimestamp", "managedFields.*.time")
_POINTERS: Final = ("deletionTimestamp", "time")


class SentTimes:
    """Of one kind. `paths`: where its times are; "*" is any item of a list. `metadata`: where metadata of other objects
    is, which has times of its own."""

    def __init__(self, *paths: str, metadata: tuple[str, ...] = ()) -> None:
        places = (*paths, *(f"{place}.{name}" for place in metadata for name in _OF_METADATA))
        self._paths: Final = [tuple(path.split(".")) for path in places]
        # As in written.py: between decoding and validation no other object is decoded.
        self._sent: ContextVar[dict[str, str]] = ContextVar("fractions of a second, by their paths", default=_NONE)

    def note_written(self, body: dict[str, Any]) -> None:
        """What is empty in a body, too."""
        written.note(body)
        self.note(body)

    def note(self, body: dict[str, Any]) -> None:
        """Of what is about to be decoded."""
        found = {path: fraction for steps in self._paths for path, fraction in _find(body, steps, "")}
        if found != self._sent.get():
            self._sent.set(found or _NONE)

    def fraction(self, path: str) -> str:
        """The digits after the seconds of the time at that path of the object that was decoded last."""
        return self._sent.get().get(path, "")

    def have_fraction(self, path: str) -> bool:
        """Whether a time at that path of the object that was decoded last (`spec.devices[0]`), or in what is there, is
        another than any that is stored."""
        return any(each == path or each.startswith((f"{path}.", f"{path}[")) for each in self._sent.get())


def _find(value: Any, steps: tuple[str, ...], path: str) -> Iterator[tuple[str, str]]:
    for position, step in enumerate(steps):
        if step == "*":
            for index, item in enumerate(value if isinstance(value, list) else ()):
                longsteps.pause()
                yield from _find(item, steps[position + 1 :], f"{path}[{index}]")
            return
        value = value.get(step) if isinstance(value, dict) else None
        if value is None:
            return
        path = f"{path}.{step}" if path else step
    if not isinstance(value, str):
        return
    fraction = time.fraction_of(value)
    if fraction or (steps[-1] in _POINTERS and time.parse_rfc3339(value) == time.ZERO_S):
        yield path, fraction
