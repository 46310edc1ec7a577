"""Parts of a document, as Go's ServeContent gives them out."""

from __future__ import annotations

from typing import cast

import pytest

from quarterdeck.transport import freshness, ranges
from quarterdeck.transport.messages import Headers, Request, Response
from quarterdeck.transport.pieces import GZIP_BYTES_MIN, Joined, compress

TEXT = b"0123456789abcdefghij"
DOCUMENT = Joined([compress(TEXT[:7]), compress(b""), compress(TEXT[7:8]), compress(TEXT[8:])], "")
CHANGED_S = 1_000_000_000.7
WHOLE: Headers = [("ETag", '"a"'), ("Vary", "Accept"), ("Content-Type", "application/json"), ("Last-Modified", "x")]


class FakeRequest:
    def __init__(self, method: str, **headers: str) -> None:
        self.method = method
        self.headers = {name.replace("_", "-"): value for name, value in headers.items()}


def ask(method: str = "GET", **headers: str) -> Response:
    return ranges.answer(cast(Request, FakeRequest(method, **headers)), WHOLE, '"a"', CHANGED_S, DOCUMENT)


@pytest.mark.parametrize("start", range(len(TEXT)))
def test_each_range_is_given_as_it_stands_in_the_document(start: int) -> None:
    for end in range(start, len(TEXT) + 3):
        answer, part = ask(range=f"bytes={start}-{end}"), TEXT[start : end + 1]
        assert (answer.status, answer.body) == (206, part)
        assert ("Content-Range", f"bytes {start}-{start + len(part) - 1}/{len(TEXT)}") in answer.headers
        assert ("Accept-Ranges", "bytes") in answer.headers
    assert ask(range=f"bytes={start}-").body == TEXT[start:]
    assert ask(range=f"bytes=-{start}").body == TEXT[len(TEXT) - start :]


@pytest.mark.parametrize(
    ("text", "body"),
    [
        ("bytes= 1 - 2 ,", b"12"),
        ("bytes=+1-2", b"12"),
        ("bytes=-999", TEXT),
        ("bytes=,3-3,,99-", b"3"),
        ("bytes=-0", b""),
    ],
)
def test_ranges_are_read_as_go_reads_them(text: str, body: bytes) -> None:
    answer = ask(range=text)
    assert (answer.status, answer.body) == (206, body)


@pytest.mark.parametrize(
    ("accepted", "is_compressed"),
    [
        ("gzip", True),
        ("GZIP", True),
        ("br, gzip ; q=0.1", True),
        ("gzip;q=0;x=1", True),
        ("", False),
        ("*", False),
        ("gzip;q=0", False),
        ("gzip;q=x", False),
        ("gzip, gzip;q=0", False),
    ],
)
def test_what_is_large_is_compressed_for_whom_takes_it(accepted: str, is_compressed: bool) -> None:
    large = Joined([compress(bytes(GZIP_BYTES_MIN))], "")
    request = FakeRequest("GET", accept_encoding=accepted)
    answer = ranges.answer(cast(Request, request), WHOLE, '"a"', CHANGED_S, large)
    assert (("Content-Encoding", "gzip") in answer.headers) == is_compressed
    request = FakeRequest("HEAD", accept_encoding=accepted)
    answer = ranges.answer(cast(Request, request), WHOLE, '"a"', CHANGED_S, large)
    assert "Content-Encoding" not in dict(answer.headers), "nothing is sent"


@pytest.mark.parametrize("text", ["", "bytes=", "bytes=0-1,3-4", "bytes=0-,0-"])
def test_no_range_and_several_are_answered_with_the_whole(text: str) -> None:
    answer = ask(range=text)
    assert (answer.status, answer.body) == (200, TEXT)
    assert ("Accept-Ranges", "bytes") in answer.headers


REFUSED = ["items=0-1", "BYTES=0-1", "bytes=5", "bytes=-", "bytes=a-b", "bytes=2-1", "bytes=--5", "bytes=1-x"]


@pytest.mark.parametrize("text", [*REFUSED, "bytes=1_0-", f"bytes={1 << 63}-", f"bytes=-{'9' * 5000}"])
def test_what_is_no_range_is_refused_without_telling_of_the_document(text: str) -> None:
    answer = ask(range=text)
    assert (answer.status, answer.body) == (416, b"invalid range\n")
    assert answer.headers == [
        ("Vary", "Accept"),
        ("Content-Type", "text/plain; charset=utf-8"),
        ("X-Content-Type-Options", "nosniff"),
    ]


def test_a_range_behind_the_end_is_told_how_long_the_document_is() -> None:
    answer = ask(range=f"bytes={len(TEXT)}-")
    assert (answer.status, answer.body) == (416, b"invalid range: failed to overlap\n")
    assert ("Content-Range", f"bytes */{len(TEXT)}") in answer.headers


def test_a_range_of_another_document_is_answered_with_the_whole() -> None:
    same = ['"a"', '"a", "b"', freshness.http_time(CHANGED_S), ""]
    other = ['W/"a"', '"b"', "x", freshness.http_time(CHANGED_S + 1), freshness.http_time(CHANGED_S - 1)]
    assert [ask(range="bytes=0-0", if_range=text).status for text in same] == [206] * len(same)
    assert [ask(range="bytes=0-0", if_range=text).status for text in other] == [200] * len(other)
    assert ask("POST", range="bytes=0-0", if_range='"b"').status == 206
