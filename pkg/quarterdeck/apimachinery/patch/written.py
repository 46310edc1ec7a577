r"""The values of a JSON patch as they are written, which is what its `test` operations compare and `copy` measures.

Upstream's library keeps each scalar as its text. A document's texts are Go's ("<" is "\u003c", "é" stays, 1.50 is 1.5),
a patch's are the client's: two values that mean the same but are written differently do not pass a test. Nearly every
patch is written as Go writes; only where a scalar is not, a `Written` stands for it while the patch is applied.

Source: gopkg.in/evanphx/json-patch.v4 patch.go (lazyNode).
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import Any, Final

from quarterdeck._kernels import json as kernel
from quarterdeck._kernels import longsteps
from quarterdeck.apimachinery.codec import json as json_codec

# A text with the colon that makes it a name, or a number.
_TOKEN: Final = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"(\s*:)?|-?[0-9][0-9.eE+-]*', re.DOTALL)
_PLAIN: Final = re.compile(rb'"[^\\<>&\x00-\x1f\x7f-\xff]*"|-?[1-9][0-9]{0,17}|0')
# Go escapes in texts what HTML and JavaScript would read otherwise.
_HTML: Final = re.compile("[<>&\u2028\u2029]")
_ESCAPED: Final = (b"<", b">", b"&", "\u2028".encode(), "\u2029".encode())
_ESCAPE_BYTES: Final = len("\\u003c")


class Written:
    """A scalar and the text that stands for it in a patch."""

    __slots__ = ("text", "value")

    def __init__(self, text: bytes, value: Any) -> None:
        self.text = text
        self.value = value


def keep_texts(operations: list[Any], data: bytes) -> bool:
    """Put a `Written` in place of each scalar of the operations' values that Go would write otherwise; whether any was.

    `operations` were decoded from `data`, without an error.
    """
    prefix = _unused_prefix(data)
    found: dict[str, Written] = {}

    def mark(match: re.Match[bytes]) -> bytes:
        longsteps.pause()
        token = match[0]
        if match[1] is not None or _PLAIN.fullmatch(token):
            return token
        value = json_codec.decode(token, keeps_huge=True).value
        if _go_text(value) == token:
            return token
        name = f"{prefix}{len(found)}"
        found[name] = Written(token, value)
        return f'"{name}"'.encode()

    marked = _TOKEN.sub(mark, data)
    if not found:
        return False
    for operation, with_marks in zip(operations, json_codec.decode(marked, keeps_huge=True).value, strict=True):
        if operation and "value" in operation:
            operation["value"] = _replace([with_marks["value"]], found)[0]
    return True


def _unused_prefix(data: bytes) -> str:
    """Letters that the patch does not hold, so that no text of its own is taken for a mark."""
    number = 0
    while f"w{number}w".encode() in data:
        number += 1
    return f"w{number}w"


def _replace(root: list[Any], found: dict[str, Written]) -> list[Any]:
    for container, key, scalar in _scalars(root):
        if isinstance(scalar, str) and scalar in found:
            container[key] = found[scalar]
    return root


def _scalars(root: Any) -> Iterator[tuple[Any, Any, Any]]:
    """Each scalar in a dict or list, at any depth, with the container and the key that it stands at."""
    todo: list[Any] = [root]
    while todo:
        container = todo.pop()
        entries = container.items() if isinstance(container, dict) else enumerate(container)
        for key, item in list(entries):
            if isinstance(item, (dict, list)):
                todo.append(item)
            else:
                yield container, key, item


# Stands for a value that no other is equal to.
UNLIKE_ALL: Final = object()


def equal(left: Any, right: Any) -> bool:
    """Whether the values hold the same members in any order, the same items, and scalars of the same texts."""
    if right is UNLIKE_ALL:
        return False
    todo = [(left, right)]
    while todo:
        one, other = todo.pop()
        if isinstance(one, dict):
            if not isinstance(other, dict) or one.keys() != other.keys():
                return False
            todo.extend((item, other[key]) for key, item in one.items())
        elif isinstance(one, list):
            if not isinstance(other, list) or len(one) != len(other):
                return False
            todo.extend(zip(one, other, strict=True))
        elif isinstance(other, (dict, list)) or _text_of(one) != _text_of(other):
            return False
    return True


def _text_of(scalar: Any) -> bytes:
    return scalar.text if isinstance(scalar, Written) else _go_text(scalar)


def _go_text(scalar: Any) -> bytes:
    return b"" if is_huge(scalar) else _escape(json_codec.encode(scalar))


def is_huge(scalar: Any) -> bool:
    """Whether it stands for a number that no float64 holds, which has no text but the one that was sent."""
    return isinstance(scalar, float) and math.isinf(scalar)


def _escape(text: bytes) -> bytes:
    """The text of a scalar as Go marshals it, whatever else it escapes or leaves as it is."""
    return _HTML.sub(lambda match: f"\\u{ord(match[0]):04x}", text.decode(errors="replace")).encode()


def copy(value: Any) -> tuple[Any, int]:
    """A copy for the operation `copy`, which marshals the value: its texts are escaped; and its size as JSON."""
    root = [kernel.copy(value)]
    longer = 0
    for container, key, scalar in _scalars(root):
        if isinstance(scalar, Written):
            text = _escape(scalar.text)
            container[key] = Written(text, scalar.value)
            longer += len(text) - size_of(scalar.value)
    return root[0], size_of(plain(kernel.copy(root))) - len("[]") + longer


def size_of(value: Any) -> int:
    """As Go marshals it. What holds a number that is too large counts for nothing: nobody takes it."""
    try:
        text = json_codec.encode(value)
    except ValueError:
        return 0
    return len(text) + sum(text.count(sign) * (_ESCAPE_BYTES - len(sign)) for sign in _ESCAPED)


def plain(root: Any) -> Any:
    """The dict or list with what each `Written` means, changed in place."""
    for container, key, scalar in _scalars(root):
        if isinstance(scalar, Written):
            container[key] = scalar.value
    return root
