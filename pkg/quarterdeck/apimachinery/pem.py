"""Blocks of PEM, as Go reads them: what is none is skipped. Source: Go's encoding/pem."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator
from typing import Final, NamedTuple

_BLOCK: Final = re.compile(
    rb"(?:^|\n)-----BEGIN ([^\r\n]*?)-----[ \t]*\r?\n"
    rb"((?:[^-\r\n][^\r\n]*\r?\n|\r?\n)*)-----END \1-----[ \t]*(?=\r?\n|$)"
)
_HEADERS: Final = re.compile(rb"\A(?:[^\r\n:]+:[^\r\n]*\r?\n)+\r?\n")


class Block(NamedTuple):
    kind: str
    content: bytes
    has_headers: bool


def blocks(text: bytes) -> Iterator[Block]:
    for match in _BLOCK.finditer(text):
        encoded, headers = _HEADERS.subn(b"", match[2])
        try:
            content = base64.b64decode(b"".join(encoded.split()), validate=True)
        except binascii.Error:
            continue
        yield Block(match[1].decode("utf-8", "replace"), content, bool(headers))
