"""How json-iterator tells what it cannot read: where it was, and the text around that.

Source: json-iterator iter.go (ReportError).
"""

from __future__ import annotations

from typing import Final

_NEAR: Final = 10  # bytes on each side of the place
_AROUND: Final = 50


def report(data: bytes, at: int, text: str) -> str:
    """`at`: how many bytes of `data` have been read."""
    near, around = max(at - _NEAR, 0), max(at - _AROUND, 0)
    peek = data[near : at + _NEAR].decode("utf-8", "replace")
    context = data[around : at + _AROUND].decode("utf-8", "replace")
    return f"{text}, error found in #{at - near} byte of ...|{peek}|..., bigger context ...|{context}|..."
