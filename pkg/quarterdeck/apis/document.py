"""A document that is served as it stands: its bytes, compressed at most once.

Discovery and OpenAPI documents change with a definition and are read by every client that starts, so their bytes are
kept rather than made. No HTTP here. Source of the threshold: apiserver endpoints/handlers/responsewriters/writers.go
(defaultGzipThresholdBytes, gzip level 1 as `defaultGzipContentEncodingLevel`).
"""

from __future__ import annotations

import gzip
from typing import Final

GZIP_BYTES_MIN: Final = 128 * 1024
_GZIP_LEVEL: Final = 1


class Document:
    """Immutable but for the compressed form, which is made when first asked for."""

    __slots__ = ("_gzipped", "data", "gzip_bytes_min", "media_type")

    def __init__(self, data: bytes, media_type: str, gzip_bytes_min: int = GZIP_BYTES_MIN) -> None:
        self.data = data
        self.media_type = media_type
        self.gzip_bytes_min = gzip_bytes_min
        self._gzipped: bytes | None = None

    def encode(self, accept_encoding: str) -> tuple[bytes, str]:
        """The bytes to send and their Content-Encoding ("" for none)."""
        if len(self.data) < self.gzip_bytes_min or not accepts_gzip(accept_encoding):
            return self.data, ""
        if self._gzipped is None:
            self._gzipped = gzip.compress(self.data, _GZIP_LEVEL, mtime=0)
        return self._gzipped, "gzip"


def accepts_gzip(accept_encoding: str) -> bool:
    return any(clause.partition(";")[0].strip() == "gzip" for clause in accept_encoding.split(","))
