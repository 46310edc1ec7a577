"""Blocks of PEM, as Go finds them: leniently between blocks, strictly within.

Source: encoding/pem/pem.go.
"""

from __future__ import annotations

import binascii
from collections.abc import Iterator
from typing import Final, NamedTuple

_BEGIN: Final = b"-----BEGIN "
_END: Final = b"\n-----END "
_DASHES: Final = b"-----"


class Block(NamedTuple):
    kind: str
    content: bytes
    has_headers: bool


def blocks(text: bytes) -> Iterator[Block]:
    """One block after the other."""
    return (block for block in blocks_and_rest(text) if block is not None)


def blocks_and_rest(text: bytes) -> Iterator[Block | None]:
    """One block after the other; None at the end where text is left that holds no block."""
    start = 0
    while start < len(text):
        found = _find(text, start)
        if found is None:
            yield None
            return
        block, start = found
        yield block


def _find(text: bytes, start: int) -> tuple[Block, int] | None:
    """The first block behind `start`, and where the line behind it begins."""
    while (end := text.find(_END, start)) >= 0:
        # A block that is begun twice and ended once is what stands behind the second beginning.
        begin = text.rfind(_BEGIN, start, end)
        is_at_line = begin == start or (begin > 0 and text[begin - 1 : begin] == b"\n")
        if begin >= 0 and is_at_line:
            kind, at = _line(text, begin + len(_BEGIN))
            if kind.endswith(_DASHES):
                body = _skip_headers(text, at)
                if body is None or body > end + len(_END):
                    return None
                block = _read(text, kind, at, body, end)
                if block is not None:
                    return block, _line(text, end + 1)[1]
        start = end + len(_END)
    return None


def _read(text: bytes, kind: bytes, headers: int, body: int, end: int) -> Block | None:
    """The block whose type, with dashes, is `kind`; None where its end does not fit or what it holds is not base64."""
    last, _ = _line(text, end + len(_END))
    if last != kind or (body > headers and body > end):
        return None
    try:
        content = binascii.a2b_base64(text[body:end].translate(None, b" \t\r\n"), strict_mode=True)
    except binascii.Error:
        return None
    return Block(kind.removesuffix(_DASHES).decode("utf-8", "replace"), content, body > headers)


def _skip_headers(text: bytes, at: int) -> int | None:
    """Where the base64 begins; None where the text ends before."""
    while at < len(text):
        line, behind = _line(text, at)
        if b":" not in line:
            return at
        at = behind
    return None


def _line(text: bytes, at: int) -> tuple[bytes, int]:
    """The line without white space at its end, and where the next one begins."""
    end = text.find(b"\n", at)
    if end < 0:
        return text[at:].rstrip(b" \t"), len(text)
    return text[at:end].removesuffix(b"\r").rstrip(b" \t"), end + 1
