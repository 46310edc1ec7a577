"""Where in the data values come from, as the cost estimate writes it down.

Upstream's paths are Go's slices. A path that is continued twice may share its room, and then the later name stands in
both: in `self.l.all(v, v.items.all(w, w == v.name))` the path of `v.items` ends with `name` by the time that its length
is asked. Estimates, and so which rules are refused, hang on that.

Source: cel-go's checker/cost.go (append to getPath); Go's growslice, which doubles.
"""

from __future__ import annotations


class Path:
    """The first `length` of the names in `room`, whose length is what Go calls the capacity."""

    __slots__ = ("_length", "_room")

    def __init__(self, room: list[str], length: int) -> None:
        self._room = room
        self._length = length

    def __bool__(self) -> bool:
        return self._length > 0

    def names(self) -> tuple[str, ...]:
        return tuple(self._room[: self._length])

    def then(self, name: str) -> Path:
        """The path that goes on with a name: in the same room where it has place for one more."""
        room, length = self._room, self._length
        if length == len(room):
            room = room[:] + [""] * max(length, 1)
        room[length] = name
        return Path(room, length + 1)


def path_of(name: str) -> Path:
    return Path([name], 1)


EMPTY = Path([], 0)
