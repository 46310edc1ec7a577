"""What Go's regexp/syntax says of patterns: its grammar is RE2's but for a few inventions of RE2, its words are not."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from quarterdeck.apimachinery import patternheight
from quarterdeck.apimachinery.pattern_pieces import QUOTED, SET

_PREFIX: Final = "error parsing regexp: "
# RE2's words for what Go calls otherwise.
_GO_WORDS: Final = {
    "missing ]": "missing closing ]",
    "missing )": "missing closing )",
    "trailing \\": "trailing backslash at end of expression",
    "no argument for repetition operator": "missing argument to repetition operator",
    "invalid repetition size": "invalid repeat count",
    "bad repetition operator": "invalid nested repetition operator",
    "invalid repeat op": "invalid nested repetition operator",
    "invalid perl operator": "invalid or unsupported Perl syntax",
    "invalid named capture group": "invalid named capture",
}
_LOOKS_BEHIND: Final = ("invalid perl operator: (?<=", "invalid perl operator: (?<!")
_ANY_BYTE: Final = "\\C"
# Escapes; what stands between \Q and \E is none.
_escapes: Final = re.compile(rf"{QUOTED}|\\.", re.DOTALL).finditer
# Escapes, sets of characters, and names of groups, which Go has of ASCII alone.
_parts: Final = re.compile(rf"{QUOTED}|\\.|{SET}|\(\?P?<(?P<name>[^>]*)>", re.DOTALL).finditer
_TOO_LARGE: Final = "pattern too large - compile failed"


def find_fault(text: str, error_of: Callable[[str], str]) -> str:
    """What Go says of a pattern, "" for nothing. `error_of` gives RE2's words on a text, "" where it takes it."""
    at = _any_byte_at(text)
    # Go has not looked at what comes behind, nor for what closes a group or a class.
    if at >= 0 and error_of(text[:at]).partition(": ")[0] in ("", "missing )", "missing ]"):
        return f"{_PREFIX}invalid escape sequence: `{_ANY_BYTE}`"
    error = error_of(text)
    return _fault_of_refused(text, error) if error else _fault_of_taken(text)


def _fault_of_taken(text: str) -> str:
    """What Go says of a pattern that RE2 takes; "" for nothing."""
    if not text.isascii():
        for found in _parts(text):
            if not (found["name"] or "").isascii():
                return f"{_PREFIX}invalid named capture: `{found[0]}`"
    return _fault_of_depth(text) if patternheight.is_too_deep(text) else ""


def _fault_of_depth(text: str) -> str:
    return f"{_PREFIX}expression nests too deeply: `{text}`"


def _any_byte_at(text: str) -> int:
    """Where RE2's escape for any byte stands; -1: nowhere."""
    if _ANY_BYTE not in text:
        return -1
    return next((found.start() for found in _escapes(text) if found[0] == _ANY_BYTE), -1)


def _fault_of_refused(text: str, error: str) -> str:
    """What Go says of a pattern that RE2 refuses with these words."""
    if error in _LOOKS_BEHIND:  # what comes is taken for a name
        begin = text.find(error.partition(": ")[2])
        end = text.find(">", begin)
        return f"{_PREFIX}invalid named capture: `{text[begin:] if end < 0 else text[begin : end + 1]}`"
    words, _, shown = error.partition(": ")
    if words == _TOO_LARGE:
        return _fault_of_depth(text) if patternheight.is_too_deep(text) else f"{_PREFIX}expression too large: `{text}`"
    if words in ("missing )", "unexpected )"):
        shown = text
    return f"{_PREFIX}{_GO_WORDS.get(words, words)}: `{shown}`"
