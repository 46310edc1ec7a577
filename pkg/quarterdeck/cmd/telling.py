"""How commands tell that they failed: one line on stderr."""

from __future__ import annotations

import sys


def say(text: str) -> None:
    print(f"quarterdeck: {one_line(text)}", file=sys.stderr, flush=True)


def fail(code: int, text: str) -> int:
    """The code, for the command to end with."""
    say(f"error: {text}")
    return code


def one_line(text: str) -> str:
    """SQLite reports in several lines, and a damaged key may hold anything."""
    words = " ".join(text.split())
    return "".join(each if each.isprintable() else each.encode("unicode_escape").decode() for each in words)
