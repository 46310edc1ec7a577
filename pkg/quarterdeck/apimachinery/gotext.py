"""Letters, blanks and printable characters as Go knows them, for rules on clients' text.

Python's str differs in a few: str.lower() may make two letters of one and looks at a letter's neighbours, str.strip()
and str.split() take four control characters for blanks, and str.isprintable() is as old as Python's Unicode is.
Source of the rules: Go's strings, unicode and strconv; Unicode 15.0, which the Go of this release of upstream has.
"""

from __future__ import annotations

import re
from typing import Final

BLANKS: Final = (
    "\t\n\v\f\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000"
)
"""unicode.IsSpace."""

# What Unicode 15.0 added to 14.0, the version that the oldest Python has which this server runs on: first and last.
_ADDED: Final = (
    (0x0CF3, 0x0CF3),
    (0x0ECE, 0x0ECE),
    (0x10EFD, 0x10EFF),
    (0x1123F, 0x11241),
    (0x11B00, 0x11B09),
    (0x11F00, 0x11F10),
    (0x11F12, 0x11F3A),
    (0x11F3E, 0x11F59),
    (0x1342F, 0x1342F),
    (0x13440, 0x13455),
    (0x1B132, 0x1B132),
    (0x1B155, 0x1B155),
    (0x1D2C0, 0x1D2D3),
    (0x1DF25, 0x1DF2A),
    (0x1E030, 0x1E06D),
    (0x1E08F, 0x1E08F),
    (0x1E4D0, 0x1E4F9),
    (0x1F6DC, 0x1F6DC),
    (0x1F774, 0x1F776),
    (0x1F77B, 0x1F77F),
    (0x1F7D9, 0x1F7D9),
    (0x1FA75, 0x1FA77),
    (0x1FA87, 0x1FA88),
    (0x1FAAD, 0x1FAAF),
    (0x1FABB, 0x1FABD),
    (0x1FABF, 0x1FABF),
    (0x1FACE, 0x1FACF),
    (0x1FADA, 0x1FADB),
    (0x1FAE8, 0x1FAE8),
    (0x1FAF7, 0x1FAF8),
    (0x2B739, 0x2B739),
    (0x31350, 0x323AF),
)
_is_added = re.compile(f"[{''.join(f'{chr(first)}-{chr(last)}' for first, last in _ADDED)}]").fullmatch
_words = re.compile(f"[^{BLANKS}]+").findall


def lower(text: str) -> str:
    """strings.ToLower: one letter for each, whatever stands beside it."""
    return text.lower() if text.isascii() else text.replace("\u0130", "i").replace("\u03a3", "\u03c3").lower()


def strip(text: str) -> str:
    """strings.TrimSpace"""
    return text.strip(BLANKS)


def split(text: str) -> list[str]:
    """strings.Fields"""
    return _words(text)


def is_printable(text: str) -> bool:
    """Whether strconv.IsPrint holds of each character."""
    return text.isprintable() or all(char.isprintable() or _is_added(char) is not None for char in text)
