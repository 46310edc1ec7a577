"""Answers of HTTP/1.1 servers from bytes: right ones in any pieces, and wrong ones."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quarterdeck.transport.client.answers import HEAD_BYTES_MAX, Answer, AnswerParser
from quarterdeck.transport.client.failures import CallFailed

CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
RIGHT = {
    "length": (b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", 200, b"hello", True),
    "no reason": (b"HTTP/1.1 500\r\ncontent-length:2\r\n\r\nno", 500, b"no", True),
    "same length twice": (b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\nx", 200, b"x", True),
    "chunked": (
        CHUNKED + b"3\r\nabc\r\n1;x=y\r\nd\r\n0\r\nT: 1\r\n\r\n",
        200,
        b"abcd",
        True,
    ),
    "interim": (b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx", 200, b"x", True),
    "no content": (b"HTTP/1.1 204 No Content\r\n\r\n", 204, b"", True),
    "close": (b"HTTP/1.1 200 OK\r\nConnection: Close\r\nContent-Length: 1\r\n\r\nx", 200, b"x", False),
    "old": (b"HTTP/1.0 200 OK\r\nContent-Length: 1\r\n\r\nx", 200, b"x", False),
    "chunked with length": (
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 9\r\n\r\n1\r\nx\r\n0\r\n\r\n",
        200,
        b"x",
        False,
    ),
    "redirect": (b"HTTP/1.1 302 Found\r\nLocation: https://a.b/\r\nContent-Length: 0\r\n\r\n", 302, b"", True),
}
WRONG = {
    "garbage": (b"SSH-2.0-x\r\n\r\n", 'malformed HTTP response "SSH-2.0-x"'),
    "version": (b"HTTP/2.0 200 OK\r\n\r\n", 'malformed HTTP response "HTTP/2.0 200 OK"'),
    "short status": (b"HTTP/1.1 20 OK\r\n\r\n", 'malformed HTTP status code "20"'),
    "long status": (b"HTTP/1.1 2000 OK\r\n\r\n", 'malformed HTTP status code "2000"'),
    "no status": (b"HTTP/1.1 abc OK\r\n\r\n", 'malformed HTTP status code "abc"'),
    "field": (b"HTTP/1.1 200 OK\r\nno colon\r\n\r\n", "malformed MIME header line: no colon"),
    "folded": (b"HTTP/1.1 200 OK\r\nA: b\r\n c\r\n\r\n", "malformed MIME header line:  c"),
    "space in name": (b"HTTP/1.1 200 OK\r\nA : b\r\n\r\n", "malformed MIME header line: A : b"),
    "nul": (b"HTTP/1.1 200 OK\r\nA: \0\r\n\r\n", "malformed MIME header line: A: \0"),
    "lengths": (b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", 'bad Content-Length "1, 2"'),
    "length": (b"HTTP/1.1 200 OK\r\nContent-Length: +1\r\n\r\n", 'bad Content-Length "+1"'),
    "coding": (CHUNKED.replace(b"chunked", b"br, chunked"), 'unsupported transfer encoding: "br, chunked"'),
    "chunk": (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nz\r\n", "invalid byte in chunk length"),
    "interims": (b"HTTP/1.1 100 Continue\r\n\r\n" * 6, "too many 1xx informational responses"),
    "large": (b"HTTP/1.1 200 OK\r\nContent-Length: 101\r\n\r\n", "response body exceeds 100 bytes"),
    "large chunks": (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n65\r\n", "response body exceeds 100 bytes"),
    "endless": (b"HTTP/1.1 200 OK\r\n\r\n" + b"x" * 101, "response body exceeds 100 bytes"),
    "head": (b"HTTP/1.1 200 OK\r\n" + b"A: b\r\n" * (HEAD_BYTES_MAX // 6 + 1), "response headers exceeded"),
    "fields": (b"HTTP/1.1 200 OK\r\n" + b"A: b\r\n" * 300 + b"\r\n", "too many header fields"),
}

# Answers whose head is good: what is wrong is told of the body.
WITH_A_HEAD = ("chunk", "large", "large chunks", "endless")


def parse(pieces: list[bytes]) -> tuple[AnswerParser, Answer]:
    parser = AnswerParser(100)
    for piece in pieces:
        assert not parser.is_done
        parser.feed(piece)
    assert parser.is_done
    return parser, parser.answer()


@pytest.mark.parametrize("name", RIGHT)
def test_answer(name: str) -> None:
    data, status, body, keeps_alive = RIGHT[name]
    parser, answer = parse([data])
    assert (answer.status, answer.body, parser.keeps_alive) == (status, body, keeps_alive)


@given(st.sampled_from(sorted(RIGHT)), st.lists(st.integers(1, 90), max_size=8))
def test_pieces_make_no_difference(name: str, cuts: list[int]) -> None:
    data = RIGHT[name][0]
    edges = sorted({0, len(data), *(cut for cut in cuts if cut < len(data))})
    pieces = [data[a:b] for a, b in itertools.pairwise(edges)]
    parser, answer = parse(pieces)
    whole_parser, whole = parse([data])
    assert (answer, parser.keeps_alive) == (whole, whole_parser.keeps_alive)


@pytest.mark.parametrize("name", WRONG)
@pytest.mark.parametrize("size", [1, 7, 1 << 20])
def test_wrong_answer(name: str, size: int) -> None:
    data, text = WRONG[name]
    parser = AnswerParser(100)
    with pytest.raises(CallFailed) as caught:
        for begin in range(0, len(data), size):
            parser.feed(data[begin : begin + size])
    assert text in caught.value.text or (size < len(data) and "malformed HTTP response" in caught.value.text)
    assert not parser.is_untouched
    assert (parser.has_status or caught.value.has_status) is (name in WITH_A_HEAD)


def test_surplus_ends_the_connection() -> None:
    parser, answer = parse([b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nxHTTP/1.1 200 OK\r\n"])
    assert answer.body == b"x"
    assert not parser.keeps_alive


def test_end_of_connection() -> None:
    parser = AnswerParser(100)
    parser.feed(b"HTTP/1.1 200 OK\r\n\r\nall of it")
    assert not parser.is_done
    parser.end()
    assert parser.is_done
    assert parser.answer().body == b"all of it"


@pytest.mark.parametrize(
    ("data", "text", "has_status"),
    [
        (b"", "EOF", False),
        (b"HTTP/1.1 2", "unexpected EOF", False),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhell", "unexpected EOF", True),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n", "unexpected EOF", True),
    ],
)
def test_early_end(data: bytes, text: str, has_status: bool) -> None:
    parser = AnswerParser(100)
    parser.feed(data)
    with pytest.raises(CallFailed) as caught:
        parser.end()
    assert (caught.value.text, caught.value.has_status) == (text, has_status)


def test_fields() -> None:
    _, answer = parse([b"HTTP/1.1 200 OK\r\nX-A: 1\r\nx-a:  2 \r\nB:\r\nContent-Length: 0\r\n\r\n"])
    assert answer.headers == {"x-a": "1, 2", "b": "", "content-length": "0"}
