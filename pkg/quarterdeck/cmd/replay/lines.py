"""The lines of a recording, of which answers may be looked at before their turn, and the revisions that they tell."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from typing import Any, Final

_AHEAD_MAX: Final = 1000

Line = dict[str, Any]


class Lines:
    """Iterated once. At most 1,000 lines are looked at before their turn."""

    def __init__(self, lines: Iterable[Line]) -> None:
        self._rest = iter(lines)
        self._ahead: deque[Line] = deque()
        # By request, of the answers among those: their order, and the revision that each tells.
        self._answers: dict[int, tuple[int, int]] = {}
        self._order = 0

    def __iter__(self) -> Iterator[Line]:
        while self._ahead or self._read():
            line = self._ahead.popleft()
            yield line
            self._answers.pop(line.get("answer", 0), None)

    def _read(self) -> bool:
        """One more line, if there is one."""
        line = next(self._rest, None)
        if line is None:
            return False
        self._ahead.append(line)
        if "answer" in line:
            self._order += 1
            self._answers[line["answer"]] = self._order, revision_of(line.get("body"))
        return True

    def answers(self, requests: Iterable[int]) -> dict[int, tuple[int, int]]:
        """Of those of these requests whose answer is the line of now, or near: the order in which they come, and the
        revision that they tell (0: none)."""
        return {number: found for number in requests if (found := self._look_for(number)) is not None}

    def _look_for(self, request: int) -> tuple[int, int] | None:
        while request not in self._answers and len(self._ahead) < _AHEAD_MAX and self._read():
            pass
        return self._answers.get(request)


def revision_of(body: Any) -> int:
    """Of an object or a list; 0 where it tells none."""
    metadata = body.get("metadata") if isinstance(body, dict) else None
    text = metadata.get("resourceVersion") if isinstance(metadata, dict) else None
    return int(text) if isinstance(text, str) and text.isascii() and text.isdigit() and len(text) < 20 else 0
