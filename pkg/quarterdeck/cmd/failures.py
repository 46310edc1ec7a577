"""Reports the failure of a command: one line on stderr."""

from __future__ import annotations

import sys


def say(text: str) -> None:
    print(f"quarterdeck: {one_line(text)}", file=sys.stderr, flush=True)


def fail(code: int, text: str) -> int:
    """Reports `text`; returns the exit code of the command."""
    say(f"error: {text}")
    return code


def one_line(text: str) -> str:
    """The text as one printable line: SQLite's messages have several, and a damaged key may hold anything."""
    words = " ".join(text.split())
    return "".join(each if each.isprintable() else each.encode("unicode_escape").decode() for each in words)
