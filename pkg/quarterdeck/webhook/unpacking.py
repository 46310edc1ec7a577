"""Answers that webhooks have compressed. Go's client asks for gzip, and unpacks it before anybody reads the answer.

Source: net/http transport.go (gzipReader), compress/gzip.
"""

from __future__ import annotations

import zlib
from typing import Final

from quarterdeck.transport.client.answers import Answer

_GZIP_WBITS: Final = 16 + zlib.MAX_WBITS
_MAGIC: Final = b"\x1f\x8b\x08"
_HEAD_BYTES: Final = 10


class BadPacking(Exception):
    """Why the body cannot be unpacked, in Go's words."""


def unpack(answer: Answer, bytes_max: int) -> Answer:
    """As it would be without compression. Raises BadPacking, also where more than `bytes_max` come out."""
    if not answer.body or answer.headers.get("content-encoding", "").lower() != "gzip":
        return answer
    out, rest = bytearray(), answer.body
    while rest:  # members of one file stand one after the other
        if len(rest) < _HEAD_BYTES:
            raise BadPacking("unexpected EOF")
        if not rest.startswith(_MAGIC):
            raise BadPacking("gzip: invalid header")
        member = zlib.decompressobj(_GZIP_WBITS)
        try:
            out += member.decompress(rest, bytes_max + 1 - len(out))
        except zlib.error as error:
            raise BadPacking(_describe(str(error))) from error
        if len(out) > bytes_max:
            # As of an answer that is not compressed.
            raise BadPacking(f"response body exceeds {bytes_max} bytes")
        if not member.eof:
            raise BadPacking("unexpected EOF")
        rest = member.unused_data
    return answer._replace(body=bytes(out))


def _describe(text: str) -> str:
    if "check" in text:
        return "gzip: invalid checksum"
    return "gzip: invalid header" if "header" in text else "flate: corrupt input before offset 0"
