"""How deep the tree is that Go's regexp/syntax makes of a pattern, which may not be deeper than it allows.

What alternatives begin with in common, and Go takes out of them, is not counted.
Source: regexp/syntax/parse.go (maxHeight, maybeConcat, collapse).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final, NamedTuple

from quarterdeck.apimachinery.pattern_pieces import QUOTED, SET, UNICODE_CLASS

HEIGHT_MAX: Final = 1000
# A group adds four at most: itself, its alternatives, what stands in a row in one of them, and a repetition.
_GROUPS_MIN: Final = HEIGHT_MAX // 4 - 1
# Differs from upstream: longer ones may be as deep as they are. Others would wait too long while that is found out.
_CHARS_MAX: Final = 1 << 16

_CHAR, _TEXT, _SET, _EMPTY, _ROW, _ALTERNATIVES, _OTHER = range(7)
_KINDS: Final = {"char": _CHAR, "text": _TEXT, "set": _SET, "place": _OTHER}
_COUNT: Final = r"\{(?:0|[1-9][0-9]*)(?:,(?:0|[1-9][0-9]*)?)?\}"
_tokens: Final = re.compile(
    rf"""
    \(\?[imsU-]*\)
    |(?P<opens>\((?:\?(?:P?<[^>]*>|[imsU-]*:))?)
    |(?P<closes>\))
    |(?P<bar>\|)
    |(?P<repeats>(?:[*+?]|{_COUNT})\??)
    |(?P<set>{SET}|{UNICODE_CLASS}|\\[dDsSwW]|\.)
    |(?P<place>[\^$]|\\[AbBz])
    |(?P<text>{QUOTED}|(?:[^\\\[()|*+?^$.](?![*+?{{])){{2,}})
    |(?P<char>\\(?:x(?:\{{[^}}]*\}}|..)|[0-7]{{1,3}}|.)|.)
    """,
    re.DOTALL | re.VERBOSE,
).finditer


class _Node(NamedTuple):
    kind: int
    height: int


class _Parts:
    """Of a row or of alternatives: neighbours that are of one kind in `merging` are one part, and the parts of a part
    of the same kind are its own."""

    def __init__(self, kind: int, merging: Mapping[int, int]) -> None:
        self._kind = kind
        self._merging = merging
        self._count = 0
        self._last = _OTHER
        self._height = 0

    def add(self, node: _Node) -> None:
        kind, height = node
        if kind == self._kind:
            self._count += 2
            height -= 1
        elif kind in self._merging and self._merging[kind] == self._merging.get(self._last):
            kind = self._merging[kind]
        else:
            self._count += 1
        self._last = kind
        self._height = max(self._height, height)

    def joined(self) -> _Node:
        if self._count > 1:
            return _Node(self._kind, self._height + 1)
        return _Node(self._last, self._height) if self._count else _Node(_EMPTY, 1)


class _Group:
    def __init__(self, is_captured: bool) -> None:
        self.is_captured = is_captured
        self.last: _Node | None = None  # which may be repeated
        self._row = self._new_row()
        self._alternatives = _Parts(_ALTERNATIVES, {_CHAR: _SET, _SET: _SET, _EMPTY: _EMPTY})

    def _new_row(self) -> _Parts:
        return _Parts(_ROW, {_CHAR: _TEXT, _TEXT: _TEXT})

    def push(self, node: _Node | None) -> None:
        if self.last is not None:
            self._row.add(self.last)
        self.last = node

    def end_row(self) -> None:
        self.push(None)
        self._alternatives.add(self._row.joined())
        self._row = self._new_row()

    def end(self) -> _Node:
        self.end_row()
        node = self._alternatives.joined()
        return _Node(_OTHER, node.height + 1) if self.is_captured else node


def is_too_deep(text: str) -> bool:
    """Of a pattern without mistakes."""
    return len(text) <= _CHARS_MAX and text.count("(") >= _GROUPS_MIN and _height(text) > HEIGHT_MAX


def _height(text: str) -> int:
    groups = [_Group(is_captured=False)]
    for token in _tokens(text):
        kind, group = token.lastgroup, groups[-1]
        if kind == "opens":
            groups.append(_Group(is_captured=not token[0].endswith(":")))
        elif kind == "closes":
            groups.pop()
            groups[-1].push(group.end())
        elif kind == "bar":
            group.end_row()
        elif kind == "repeats":
            group.last = _Node(_OTHER, group.last.height + 1) if group.last is not None else None
        elif kind is not None:
            group.push(_Node(_KINDS[kind], 1))
    return groups[0].end().height
