"""String functions: the strings extension (version 2), find and findAll.

Indices count code points. Source: cel-go's ext/strings.go and ext/formatting.go, apiserver's pkg/cel/library/regex.go.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from quarterdeck._kernels import celkeys, celvalue
from quarterdeck.apimachinery import gofmt, gotext, patterns
from quarterdeck.cel import go_values, regex
from quarterdeck.cel.values import CelErr

# Only ASCII letters change their case.
_LOWER: Final = {c: c + 32 for c in range(ord("A"), ord("Z") + 1)}
_UPPER: Final = {c: c - 32 for c in range(ord("a"), ord("z") + 1)}


def char_at(text: str, index: int) -> object:
    if not 0 <= index <= len(text):
        return CelErr(f"index out of range: {index}")
    return text[index] if index < len(text) else ""


def index_of(text: str, part: str, offset: int = 0) -> object:
    if not part:
        return offset
    if offset < 0:
        return CelErr(f"index out of range: {offset}")
    return text.find(part, offset)


def last_index_of(text: str, part: str) -> object:
    return text.rfind(part)


def last_index_of_offset(text: str, part: str, offset: int) -> object:
    if not part:
        return offset
    if offset < 0:
        return CelErr(f"index out of range: {offset}")
    return text.rfind(part, 0, offset + len(part)) if offset < len(text) else -1


def lower_ascii(text: str) -> object:
    return text.translate(_LOWER)


def upper_ascii(text: str) -> object:
    return text.translate(_UPPER)


def trim(text: str) -> object:
    return gotext.strip(text)


def replace(text: str, old: str, new: str, count: int = -1) -> object:
    return text.replace(old, new, count if count >= 0 else -1)


def split(text: str, separator: str, count: int = -1) -> object:
    if count == 0:
        return []
    if not separator:
        if count < 0 or count >= len(text):
            return list(text)
        return [*text[: count - 1], text[count - 1 :]]
    return text.split(separator, count - 1 if count > 0 else -1)


def substring(text: str, start: int) -> object:
    if not 0 <= start <= len(text):
        return CelErr(f"index out of range: {start}")
    return text[start:]


def substring_range(text: str, start: int, end: int) -> object:
    if start > end:
        return CelErr(f"invalid substring range. start: {start}, end: {end}")
    for index in (start, end):
        if not 0 <= index <= len(text):
            return CelErr(f"index out of range: {index}")
    return text[start:end]


def join(values: object, separator: str = "") -> object:
    items = celvalue.items_of(values)
    for item in items:
        if type(item) is not str:
            return CelErr(f"join: invalid input: {go_values.show(item)}")
    return separator.join(items)


_QUOTED: Final = str.maketrans(gofmt.SIMPLE_ESCAPES)


def quote(text: str) -> object:
    return f'"{text.translate(_QUOTED)}"'


def escape_json_pointer(text: str) -> object:
    return text.replace("~", "~0").replace("/", "~1")


# --- regular expressions


def matches(text: str, pattern: str) -> object:
    try:
        compiled = regex.compile_pattern(pattern)
    except patterns.PatternError as error:
        return CelErr(str(error))
    return regex.span(compiled, text.encode("utf-8", "surrogatepass"), 0) is not None


def find(text: str, pattern: str) -> object:
    try:
        compiled = regex.compile_pattern(pattern)
    except patterns.PatternError as error:
        return CelErr(f"Illegal regex: {error}")
    raw = text.encode("utf-8", "surrogatepass")
    found = regex.span(compiled, raw, 0)
    return "" if found is None else raw[found[0] : found[1]].decode("utf-8", "surrogatepass")


def find_all(text: str, pattern: str, count: int = -1) -> object:
    try:
        compiled = regex.compile_pattern(pattern)
    except patterns.PatternError as error:
        return CelErr(f"Illegal regex: {error}")
    raw = text.encode("utf-8", "surrogatepass")
    out: list[str] = []
    at = 0
    previous_end = -1
    while at <= len(raw) and (count < 0 or len(out) < count):
        found = regex.span(compiled, raw, at)
        if found is None:
            break
        start, end = found
        # An empty match right after the last match is no match.
        if end > start or start != previous_end:
            out.append(raw[start:end].decode("utf-8", "surrogatepass"))
        previous_end = end
        if end > start:
            at = end
        else:
            at = end + 1
            while at < len(raw) and raw[at] & 0xC0 == 0x80:
                at += 1
    return out


def _of_any(function: Callable[..., object]) -> Callable[..., object]:
    """The function for a text and perhaps a number that may be of any type: Go's own values of them count."""

    def call(value: object, pattern: str, *others: object) -> object:
        text = celkeys.go_value(value)
        numbers = [celkeys.go_value(other) for other in others]
        if type(text) is not str or any(type(number) is not int for number in numbers):
            return celvalue.no_such_overload
        return function(text, pattern, *numbers)

    return call


# With a constant pattern.
WITH_PATTERN: Final = {"find": _of_any(find), "findAll": _of_any(find_all), "matches": _of_any(matches)}
