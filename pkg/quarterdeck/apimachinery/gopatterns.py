"""What Go's regexp/syntax says of patterns: its grammar is RE2's but for a few inventions of RE2, its words are not."""

from __future__ import annotations

import re
from typing import Final

from quarterdeck.apimachinery import patternheight

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
# Escapes, classes and names of groups, which Go has of ASCII alone; what stands between \Q and \E is none of them.
_parts: Final = re.compile(
    r"\\Q.*?(?:\\E|\Z)|\\.|\[\^?\]?(?:\\.|\[:[^\]]*:\]|[^\]\\])*+\]|\(\?P?<(?P<name>[^>]*)>", re.DOTALL
).finditer
_TOO_LARGE: Final = "pattern too large - compile failed"


def fault_of_taken(text: str) -> str:
    """What Go says of a pattern that RE2 takes; "" for nothing."""
    if not text.isascii() or _ANY_BYTE in text:
        for found in _parts(text):
            if found[0] == _ANY_BYTE:
                return f"{_PREFIX}invalid escape sequence: `{_ANY_BYTE}`"
            if not (found["name"] or "").isascii():
                return f"{_PREFIX}invalid named capture: `{found[0]}`"
    return _fault_of_depth(text) if patternheight.is_too_deep(text) else ""


def _fault_of_depth(text: str) -> str:
    return f"{_PREFIX}expression nests too deeply: `{text}`"


def fault_of_refused(text: str, error: str) -> str:
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
