"""Where errors are and how they are shown: cel-go's `ERROR: <input>:1:5: …` with the line and a caret below.

Source: cel-go's common/error.go, common/errors.go and common/source.go.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

ERRORS_SHOWN_MAX: Final = 100
NO_POSITION: Final = -1
_SNIPPET_BYTES_MAX: Final = 16384


@dataclass(frozen=True, slots=True)
class Issue:
    """One error of a compilation: the code point offset (NO_POSITION for none) and the text."""

    pos: int
    message: str


class CompileError(Exception):
    """An expression does not compile; `str()` is cel-go's text of all its issues."""

    def __init__(self, source: str, issues: list[Issue]) -> None:
        super().__init__(source, issues)
        self.source = source
        self.issues = issues

    def __str__(self) -> str:
        return show(self.source, self.issues)


def location(source: str, pos: int) -> tuple[int, int]:
    """(line from 1, column from 0)."""
    if pos < 0:
        return -1, -1
    line = source.count("\n", 0, pos) + 1
    return line, pos - (source.rfind("\n", 0, pos) + 1)


def show(source: str, issues: list[Issue]) -> str:
    if not source:  # which has no place that could be shown
        return "\n".join(f"ERROR: <input>:1:0: {issue.message}" for issue in issues)
    located = sorted(((location(source, i.pos), i.message) for i in issues), key=lambda pair: pair[0])
    lines = source.split("\n")
    shown = [_show_one(lines, line, column, message) for (line, column), message in located[:ERRORS_SHOWN_MAX]]
    if len(located) > ERRORS_SHOWN_MAX:
        shown.append(f"{len(located) - ERRORS_SHOWN_MAX} more errors were truncated")
    return "\n".join(shown)


def _show_one(lines: list[str], line: int, column: int, message: str) -> str:
    text = f"ERROR: <input>:{line}:{column + 1}: {message}"
    if not 1 <= line <= len(lines):
        return text
    snippet = lines[line - 1].replace("\t", " ")
    if len(snippet.encode("utf-8", "surrogatepass")) > _SNIPPET_BYTES_MAX:
        return text
    dots = "".join("." if ord(c) < 0x80 else "\uff0e" for c in snippet[:column])
    wide = column < len(snippet) and ord(snippet[column]) >= 0x80
    caret = "\uff3e" if wide else "^"
    return f"{text}\n | {snippet}\n | {dots}{caret}"
