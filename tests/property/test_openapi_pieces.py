"""Pieces that were compressed one by one are one gzip file, whatever they hold."""

from __future__ import annotations

import gzip
import zlib

from hypothesis import example, given, settings
from hypothesis import strategies as st

from quarterdeck.transport.pieces import GZIP_BYTES_MIN, Joined, compress

DATA = st.one_of(
    st.binary(max_size=200),
    st.builds(lambda data, times: data * times, st.binary(min_size=1, max_size=5), st.integers(0, 70_000)),
)
LARGE = b"x" * GZIP_BYTES_MIN


def read(joined: Joined, accept_encoding: str) -> bytes:
    body, encoding = joined.encode(accept_encoding)
    data = body if isinstance(body, bytes) else b"".join(body)
    return gzip.decompress(data) if encoding else data  # checks size and CRC


@settings(max_examples=100, deadline=None)
@given(st.lists(DATA, max_size=5))
@example([])
@example([b""])
def test_joined_pieces_are_their_data(data: list[bytes]) -> None:
    whole = b"".join(data)
    joined = Joined([compress(each) for each in data], "etag")
    assert joined.size == len(whole)
    assert read(joined, "") == whole
    assert read(joined, "gzip, deflate") == whole
    large = Joined([compress(each) for each in [*data, LARGE]], "etag")
    assert large.encode("deflate, gzip;q=1.0")[1] == "gzip"
    assert read(large, "gzip") == whole + LARGE


@settings(max_examples=50, deadline=None)
@given(DATA)
def test_a_piece_can_be_read_alone(data: bytes) -> None:
    piece = compress(data)
    assert piece.inflate() == data
    assert piece.crc == zlib.crc32(data)
