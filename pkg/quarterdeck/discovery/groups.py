"""What discovery keeps of each group, and the aggregated document that is joined from what groups keep.

Each group's part is compressed once; the document is joined in compressed form too.
"""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache

from quarterdeck.apis.document import GZIP_BYTES_MIN, accepts_gzip
from quarterdeck.discovery import documents
from quarterdeck.transport.messages import Body
from quarterdeck.transport.pieces import Piece, compress, join_gzip


@dataclass(frozen=True, slots=True)
class Group:
    """All that is said of one group. The sort keys place it in /apis and in the aggregated list."""

    name: str
    is_builtin: bool
    group_key: tuple[bool, int, str]
    aggregated_key: tuple[int, str]
    document: bytes
    item: bytes  # empty: no version has an APIService
    resource_lists: dict[str, bytes]
    aggregated: bytes  # empty: no version with resources
    digest: bytes  # of `aggregated`
    compressed: list[Piece] = field(default_factory=list)  # of `aggregated`, once it was asked for

    @property
    def piece(self) -> Piece:
        if not self.compressed:
            self.compressed.append(compress(self.aggregated))
        return self.compressed[0]


class Aggregated:
    """The aggregated document of some groups. It is put together when it is first sent, from what each group keeps;
    its ETag tells whether a group has changed, and is made from theirs."""

    __slots__ = ("_compressed", "_data", "_groups", "etag")

    def __init__(self, groups: Sequence[Group]) -> None:
        self._groups = groups
        self.etag = '"' + hashlib.sha512(b"".join(group.digest for group in groups)).hexdigest().upper() + '"'
        self._data: bytes | None = None
        self._compressed: list[bytes] = []

    @property
    def data(self) -> bytes:
        if self._data is None:
            self._data = documents.build_aggregated_list(group.aggregated for group in self._groups)
        return self._data

    def encode(self, accept_encoding: str) -> tuple[Body, str]:
        """As Document.encode."""
        if not accepts_gzip(accept_encoding) or sum(len(group.aggregated) for group in self._groups) < GZIP_BYTES_MIN:
            return self.data, ""
        if not self._compressed:
            comma = _comma_piece().deflated
            deflated = [part for group in self._groups for part in (comma, group.piece.deflated)]
            deflated[0] = _head_piece().deflated
            deflated.append(_tail_piece().deflated)
            self._compressed = join_gzip(deflated, zlib.crc32(self.data), len(self.data))
        return self._compressed, "gzip"


@cache
def _head_piece() -> Piece:
    return compress(documents.AGGREGATED_HEAD)


@cache
def _comma_piece() -> Piece:
    return compress(b",")


@cache
def _tail_piece() -> Piece:
    return compress(documents.AGGREGATED_TAIL)
