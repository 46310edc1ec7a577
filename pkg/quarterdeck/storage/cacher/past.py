"""The state of one resource at an older revision, kept as the difference to the newest state.

It follows the changes: a list that reads an older revision page by page, or the newest one step by step, pays once for
each change that happens meanwhile, and not once for each page.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sortedcontainers import SortedList

from quarterdeck._kernels import watchobject


class Past:
    """The state at `revision`. `entries`: what stood there under each path that has changed since; None: nothing.
    `up_to`: the changes up to this revision are among them.

    Invariant, once `up_to` is the newest revision: `gone` are the paths that existed then and do not now, `new` those
    that exist now and did not then; None: none yet, as nearly always for the newest state.
    """

    __slots__ = ("entries", "gone", "new", "revision", "up_to")

    def __init__(self, revision: int) -> None:
        self.revision = self.up_to = revision
        self.entries: dict[str, watchobject.Entry | None] = {}
        self.gone: Any = None
        self.new: Any = None

    def add(self, change: watchobject.Change) -> None:
        """The next change after `up_to`."""
        entry = change.entry
        some = entry if entry is not None else change.old
        assert some is not None
        path = some.path
        old = self.entries.setdefault(path, change.old)
        self.up_to = change.revision
        if old is not None:
            self.gone = _with_member(self.gone, path, is_member=entry is None)
        else:
            self.new = _with_member(self.new, path, is_member=entry is not None)

    def gone_from(self, start: str, end: str | None) -> Iterator[str]:
        """The paths from `start` on, before `end` (None: all), that do not exist any more."""
        if self.gone is None:
            return iter(())
        found: Iterator[str] = self.gone.irange(start or None, end, (True, False))
        return found


def _with_member(paths: Any, path: str, *, is_member: bool) -> Any:
    if paths is None:
        return SortedList((path,)) if is_member else None
    if not is_member:
        paths.discard(path)
    elif path not in paths:
        paths.add(path)
    return paths
