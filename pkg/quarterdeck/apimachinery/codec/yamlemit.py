"""YAML as go-yaml v2 writes it for `Accept: application/yaml`: block style, sorted keys, quotes where they are needed.

libyaml's emitter, of which go-yaml's is a port, does the layout; this module decides the order of the keys and the
style of the scalars. Source: go-yaml v2 encode.go, sorter.go; sigs.k8s.io/yaml JSONToYAML.
"""

from __future__ import annotations

import functools
import io
import re
from typing import Any, Final

from yaml._yaml import CEmitter
from yaml.events import (
    DocumentEndEvent,
    DocumentStartEvent,
    Event,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
    StreamEndEvent,
    StreamStartEvent,
)

from quarterdeck._kernels import longsteps
from quarterdeck.apimachinery import gofmt
from quarterdeck.apimachinery.codec import yamlscalar
from quarterdeck.apimachinery.codec.yamlmarks import MARKS, Marks

_WIDTH: Final = 80
_PLAIN_IMPLICIT: Final = (True, False)
_QUOTED_IMPLICIT: Final = (False, True)
_EITHER_IMPLICIT: Final = (True, True)

# What go-yaml does not read as it stands in JSON: characters that it takes for control characters or the end of a line,
# and keys that are longer with their quotes and escapes.
_misread = re.compile("[\x7f-\x9f\ufffe\uffff]").search
_KEY_MAX: Final = 1024
_ESCAPED_MAX: Final = 6  # characters that stand for one

_is_base_60 = re.compile(r"[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?\Z").match


class Misread(Exception):
    """What JSON says is another thing to go-yaml, which reads it before it writes YAML."""


def encode(value: Any, *, is_read: bool) -> bytes:
    """A JSON value as one YAML document. `is_read`: go-yaml has to read its JSON first. Raises Misread."""
    for code in MARKS:
        marks = Marks(chr(code))
        document = marks.correct(_emit(value, is_read, marks))
        if document is not None:
            return document
    raise ValueError("the document has all characters")


def _emit(value: Any, is_read: bool, marks: Marks) -> bytes:
    stream = io.BytesIO()
    emitter = CEmitter(stream, width=_WIDTH, allow_unicode=True, encoding="utf-8")
    emitter.emit(StreamStartEvent(encoding="utf-8"))
    emitter.emit(DocumentStartEvent(explicit=False))
    stack: list[Any] = [value]
    while stack:
        item = stack.pop()
        if isinstance(item, Event):
            emitter.emit(item)
        elif isinstance(item, dict):
            emitter.emit(MappingStartEvent(None, None, implicit=True, flow_style=False))
            stack.append(MappingEndEvent())
            for key in reversed(sort_keys(item)):
                stack.append(item[key])
                stack.append(_text_scalar(marks.of_key(key)))
                if is_read and (_misread(key) or _is_long(key)):
                    raise Misread
        elif isinstance(item, list):
            emitter.emit(SequenceStartEvent(None, None, implicit=True, flow_style=False))
            stack.append(SequenceEndEvent())
            stack.extend(reversed(item))
        else:
            if is_read and isinstance(item, str) and _misread(item):
                raise Misread
            emitter.emit(_text_scalar(marks.of_value(item)) if isinstance(item, str) else _scalar(item))
    emitter.emit(DocumentEndEvent(explicit=False))
    emitter.emit(StreamEndEvent())
    text = stream.getvalue()
    # libyaml closes a document that ends with the blank lines of a text by "...", go-yaml does not. A line of a text
    # is indented, so this can be nothing else.
    return text[: -len("...\n")] if text.endswith(b"\n...\n") else text


def _is_long(key: str) -> bool:
    return len(key) > _KEY_MAX // _ESCAPED_MAX and len(gofmt.format_json(key)) > _KEY_MAX


def _text_scalar(value: str) -> ScalarEvent:
    if "\n" in value:
        return ScalarEvent(None, None, _EITHER_IMPLICIT, value, style="|")
    tag, _ = yamlscalar.resolve("", value)
    if tag == yamlscalar.STR_TAG and not _is_base_60(value):
        return ScalarEvent(None, None, _EITHER_IMPLICIT, value)
    return ScalarEvent(None, None, _QUOTED_IMPLICIT, value, style='"')


def _scalar(value: Any) -> ScalarEvent:
    """Of what is no text."""
    if value is None:
        text = "null"
    elif isinstance(value, bool):
        text = "true" if value else "false"
    elif isinstance(value, float):
        # JSON is the intermediate form, where 1.0 is 1, and whose integers are read again: signed, else unsigned ones.
        whole = int(gofmt.format_json(value)) if value.is_integer() and abs(value) < 2**64 else 2**64
        text = str(whole) if -(2**63) <= whole < 2**64 else gofmt.format_float_g(repr(value))
    else:
        text = str(value)
    return ScalarEvent(None, None, _PLAIN_IMPLICIT, text)


def sort_keys(members: dict[str, Any]) -> list[str]:
    """Numbers in keys by their value, letters after everything else."""
    keys = list(members)
    if all(key.isalpha() for key in keys):
        return longsteps.sort(keys)
    return sorted(keys, key=functools.cmp_to_key(_compare))


def _compare(left: str, right: str) -> int:
    return -1 if _is_less(left, right) else int(left != right)


def _is_less(left: str, right: str) -> bool:
    for position, (a, b) in enumerate(zip(left, right, strict=False)):
        if a == b:
            continue
        if a.isalpha() or b.isalpha():
            return a < b if a.isalpha() and b.isalpha() else b.isalpha()
        # A digit that continues a number counts with it: 10 and 11 after 9, but 1.09 before 1.1.
        start = 1 if "0" in (a, b) and _continues_number(left, position) else 0
        left_number, left_end = _number_at(left, position, start)
        right_number, right_end = _number_at(right, position, start)
        if left_number != right_number:
            return left_number < right_number
        return left_end < right_end if left_end != right_end else a < b
    return len(left) < len(right)


def _continues_number(text: str, position: int) -> bool:
    for char in reversed(text[:position]):
        if not char.isdecimal():
            return False
        if char != "0":
            return True
    return False


def _number_at(text: str, position: int, start: int) -> tuple[int, int]:
    """The number at `position` (as int64 arithmetic has it) and where it ends."""
    number = start
    while position < len(text) and text[position].isdecimal():
        number = (number * 10 + ord(text[position]) - ord("0")) & 0xFFFFFFFFFFFFFFFF
        position += 1
    return number, position
