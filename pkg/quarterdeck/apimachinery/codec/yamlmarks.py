"""Texts that go-yaml writes otherwise than libyaml does, of which its emitter is a port.

libyaml is given a marked text in place of each, and what it makes of the mark is corrected.

Source: go-yaml v2 emitterc.go (how quoted texts are written), yamlprivateh.go (is_bom).
"""

from __future__ import annotations

import re
from typing import Final

# Characters of which no document has all: a mark is one that it does not have.
MARKS: Final = range(0xE000, 0xF900)
_BREAKS: Final = ("\u2028", "\u2029", "\x85")
_BOM: Final = "\ufeff"
_SHORT: Final = {
    "\0": "0",
    "\a": "a",
    "\b": "b",
    "\t": "t",
    "\n": "n",
    "\v": "v",
    "\f": "f",
    "\r": "r",
    "\x1b": "e",
    '"': '"',
    "\\": "\\",
    "\x85": "N",
    "\xa0": "_",
    "\u2028": "L",
    "\u2029": "P",
}


class Marks:
    """Those of one document."""

    def __init__(self, mark: str) -> None:
        self._mark = mark
        self._count = 0
        self._escaped: list[str] = []

    def of_value(self, text: str) -> str:
        """What to write for a text: of one that begins with a byte order mark all is escaped."""
        if not text.startswith(_BOM):
            return self.of_key(text)
        self._count += 2
        self._escaped.append(text)
        return f"{self._mark}{len(self._escaped) - 1}{self._mark}"

    def of_key(self, text: str) -> str:
        """libyaml indents the quote behind a last line break, which then is another text."""
        if "\n" in text or not text.endswith(_BREAKS):
            return text
        self._count += 1
        return text + self._mark

    def correct(self, data: bytes) -> bytes | None:
        """The document as go-yaml writes it. None where the mark stands in one of its texts."""
        if not self._count:
            return data
        mark = self._mark.encode()
        if data.count(mark) != self._count:
            return None
        data = re.sub(b"%b([0-9]+)%b" % (mark, mark), self._show_escaped, data)
        return re.sub(b" *%b(?=['\"])" % mark, b"", data)

    def _show_escaped(self, found: re.Match[bytes]) -> bytes:
        return f'"{_escape_all(self._escaped[int(found.group(1))])}"'.encode()


def _escape_all(text: str) -> str:
    return "".join("\\" + (_SHORT.get(char) or _escape(ord(char))) for char in text)


def _escape(code: int) -> str:
    return f"x{code:02X}" if code <= 0xFF else f"u{code:04X}" if code <= 0xFFFF else f"U{code:08X}"
