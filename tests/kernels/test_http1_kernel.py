"""Edges of the HTTP/1.1 kernel: refusals one by one, framing of answers, bounds of chunked bodies."""

import sys

import pytest

from quarterdeck._kernels import http1, http1answer, http1chunks

LIMIT = 1 << 20


def parse(text: bytes, head_max: int = LIMIT, fields_max: int = 100) -> object:
    return http1.parse_head(text, 0, head_max, fields_max)


def test_a_head_comes_back_as_python_objects() -> None:
    text = b"GET /api/v1/pods?limit=5 HTTP/1.1\r\nHost: h:6443\r\nX-B: a\r\nx-b: b\r\nX-Odd: \t v \r\n\r\nrest"
    headers = {"host": "h:6443", "x-b": "a, b", "\nx-b": "a\nb", "x-odd": "v"}
    assert parse(text) == ("GET", "/api/v1/pods", "limit=5", headers, -1, http1.KEEP_ALIVE, len(text) - 4)


@pytest.mark.parametrize("name", ["Accept", "Content-Type", "USER-AGENT", "if-none-match", "range"])
def test_of_fields_that_are_read_once_the_first_counts(name: str) -> None:
    head = f"GET / HTTP/1.1\r\nHost: a\r\n{name}: b, c\r\n{name}: d\r\n\r\n".encode()
    parsed = parse(head)
    assert isinstance(parsed, tuple)
    key = name.lower()
    assert parsed[3] == {"host": "a", key: "b, c", f"\n{key}": "b, c\nd"}


@pytest.mark.parametrize(
    ("head", "reason"),
    [
        (b"GET / HTTP/1.1\r\n\r\n", http1.HOST_MISSING),
        (b"GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n", http1.BAD_REQUEST),
        (b"GET / HTTP/1.1\r\nHost: a b\r\n\r\n", http1.HOST_MALFORMED),
        (b"GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nContent-Length: 5\r\n\r\n", http1.BAD_REQUEST),
        (b"GET / HTTP/1.1\r\nHost: a\r\nContent-Length: +4\r\n\r\n", http1.BAD_REQUEST),
        (b"GET / HTTP/1.1\r\nHost: a\r\nContent-Length: -4\r\n\r\n", http1.BAD_REQUEST),
        (b"GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 4, 4\r\n\r\n", http1.BAD_REQUEST),
        (b"GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 0x4\r\n\r\n", http1.BAD_REQUEST),
        (b"GET / HTTP/1.1\r\nHost: a\r\nContent-Length:\r\n\r\n", http1.BAD_REQUEST),
        (b"GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 9999999999999999999\r\n\r\n", http1.BAD_REQUEST),
        (b"GET / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: xchunked\r\n\r\n", http1.TRANSFER_ENCODING_UNSUPPORTED),
        (b"GET / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n", http1.TRANSFER_ENCODING_UNSUPPORTED),
        (b"GET / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding : chunked\r\n\r\n", http1.HEADER_NAME_INVALID),
        (b"GET / HTTP/1.1\r\nA b: c\r\nHost: a\r\n\r\n", http1.HEADER_NAME_INVALID),
        (b"GET / HTTP/1.1\r\nA b: c\r\n\r\n", http1.HOST_MISSING),
        (b"GET / HTTP/1.1\r\nHost: a\r\nA b\tc: d\r\n\r\n", http1.BAD_REQUEST),
        (b"GET / HTTP/1.1\r\nHost: a\r\nA b\r\n\r\n", http1.BAD_REQUEST),
        (b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n", http1.BAD_REQUEST),
        (b"POST / HTTP/1.0\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n", http1.BAD_REQUEST),
        (b"GET / HTTP/1.1\r\nHost: a\r\nX: a\x00b\r\n\r\n", http1.HEADER_VALUE_INVALID),
        (b"GET / HTTP/1.1\r\nHost: a\r\nX: a\rb\r\n\r\n", http1.HEADER_VALUE_INVALID),
        (b"GET / HTTP/1.1\r\nHost: a\r\nX\x00: b\r\n\r\n", http1.BAD_REQUEST),
        (b"GET / HTTP/1.1\r\nHost: a\r\n: b\r\n\r\n", http1.BAD_REQUEST),
        (b"GET / HTTP/1.1\r\nHost: a\r\nno colon\r\n\r\n", http1.BAD_REQUEST),
        (b"GET / HTTP/1.1\r\n folded: first\r\n\r\n", http1.BAD_REQUEST),
        (b"GET /\x00 HTTP/1.1\r\nHost: a\r\n\r\n", http1.BAD_REQUEST),
        (b"GET /%zz HTTP/1.1\r\nHost: a\r\n\r\n", http1.BAD_REQUEST),
        (b"GET /%2 HTTP/1.1\r\nHost: a\r\n\r\n", http1.BAD_REQUEST),
        (b"GET /\r\n", http1.BAD_REQUEST),
        (b"GET  / HTTP/1.1\r\nHost: a\r\n\r\n", http1.BAD_REQUEST),
        (b"G\x7fT / HTTP/1.1\r\nHost: a\r\n\r\n", http1.BAD_REQUEST),
        (b"PRI * HTTP/2.0\r\n\r\n", http1.VERSION_UNSUPPORTED),
        (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\n", http1.BAD_REQUEST),
    ],
)
def test_what_is_refused(head: bytes, reason: int) -> None:
    assert parse(head) == reason


@pytest.mark.parametrize(
    ("head", "part"),
    [
        (b"GET / HTTP/1.1\nHost: a\n\n", {"host": "a"}),
        (b"GET / HTTP/1.1\r\nHost: a\r\nX: a\r\n  b\r\n\tc\r\n\r\n", {"host": "a", "x": "a b c"}),
        (b"\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n", {"host": "a"}),
        (
            b"GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nContent-Length: 4\r\n\r\n",
            {"host": "a", "content-length": "4"},
        ),
        (b"GET / HTTP/1.1\r\nHost:\r\n\r\n", {"host": ""}),
    ],
)
def test_what_is_taken_leniently_as_upstream_takes_it(head: bytes, part: dict[str, str]) -> None:
    parsed = parse(head)
    assert isinstance(parsed, tuple)
    assert parsed[3] == part


def test_methods_of_any_name_pass() -> None:
    parsed = parse(b"FROB / HTTP/1.1\r\nHost: a\r\n\r\n")
    assert isinstance(parsed, tuple)
    assert parsed[0] == "FROB"


def test_octets_beyond_ascii_in_a_target_are_escaped() -> None:
    parsed = parse("GET /ä?ö HTTP/1.1\r\nHost: a\r\n\r\n".encode())
    assert isinstance(parsed, tuple)
    assert parsed[1:3] == ("/%C3%A4", "%C3%B6")


def test_http_1_0_closes_unless_it_asks_not_to() -> None:
    plain = parse(b"GET / HTTP/1.0\r\n\r\n")
    kept = parse(b"GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n")
    assert isinstance(plain, tuple)
    assert isinstance(kept, tuple)
    assert plain[5] == http1.HTTP_1_0
    assert kept[5] == http1.HTTP_1_0 | http1.KEEP_ALIVE


def test_limits_count_from_the_start_of_the_head() -> None:
    head = b"GET / HTTP/1.1\r\nHost: a\r\nX: " + b"x" * 100 + b"\r\n\r\n"
    assert parse(head, head_max=len(head) - 1) == http1.HEAD_TOO_LARGE
    assert isinstance(parse(head, head_max=len(head)), tuple)
    assert parse(head, fields_max=1) == http1.HEAD_TOO_LARGE
    assert isinstance(http1.parse_head(b"x" * 500 + head, 500, len(head), 2), tuple)


def test_misuse_raises() -> None:
    with pytest.raises(TypeError):
        http1.parse_head("text", 0, 1, 1)  # type: ignore[arg-type]
    for start in (-1, 2):
        with pytest.raises(ValueError, match="start"):
            http1.parse_head(b"x", start, 1, 1)
        with pytest.raises(ValueError, match="start"):
            http1chunks.ChunkedBody(1).feed(b"x", start)


def test_an_answer_is_one_run_of_bytes() -> None:
    headers = [("Content-Type", "text/plain"), ("X-Long", "y" * 5000)]
    data = http1answer.build_head(b"HTTP/1.1 200 OK\r\n", headers, 2, b"Date: d\r\n", True, b"ok")
    assert data == (
        b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nX-Long: " + b"y" * 5000 + b"\r\nDate: d\r\n"
        b"Content-Length: 2\r\nConnection: close\r\n\r\nok"
    )


def test_a_line_break_in_a_header_cannot_begin_another_one() -> None:
    data = http1answer.build_head(b"HTTP/1.1 200 OK\r\n", [("Warning", "a\r\nSet-Cookie: b\x00ü")], -1, b"", False)
    assert data == "HTTP/1.1 200 OK\r\nWarning: a  Set-Cookie: b ü\r\nTransfer-Encoding: chunked\r\n\r\n".encode()
    head = http1answer.build_head(b"HTTP/1.1 204 No Content\r\n", [], -2, b"", False)
    assert head == b"HTTP/1.1 204 No Content\r\n\r\n"


@pytest.mark.parametrize("size", [*range(1, 20), 31, 32, 33, 100])
def test_no_line_of_an_answer_is_begun_by_a_value(size: int) -> None:
    for octet in (*range(33), 0x7E, 0x7F, "ü", "€", "\U0001f600"):
        char = octet if isinstance(octet, str) else chr(octet)
        for place in range(size):
            value = "a" * place + char + "b" * (size - place - 1)
            data = http1answer.build_head(b"HTTP/1.1 200 OK\r\n", [("Warning", value)], -2, b"", False)
            shown = value.translate({0: " ", 10: " ", 13: " "}).encode()
            assert data == b"HTTP/1.1 200 OK\r\nWarning: " + shown + b"\r\n\r\n"


def test_known_strings_are_shared_and_counted_right() -> None:
    text = b"GET / HTTP/1.1\r\nHost: a\r\nX-New-Name: b\r\n\r\n"
    before = sys.getrefcount("authorization")
    for _ in range(1000):
        http1.parse_head(text.replace(b"X-New-Name", b"Authorization"), 0, LIMIT, 10)
        http1.parse_head(text, 0, LIMIT, 10)
    assert sys.getrefcount("authorization") <= before + 2


def test_chunks_may_be_cut_anywhere() -> None:
    text = b"5;ext=1\r\nhello\r\n00A\r\n0123456789\r\n0\r\nTrailer: x\r\n\r\nnext"
    for cut in range(len(text)):
        body = http1chunks.ChunkedBody(100)
        assert body.feed(text[:cut], 0) == min(cut, len(text) - 4)
        if not body.is_done:
            assert body.feed(text[:cut] + text[cut:], cut) == len(text) - 4
        assert body.is_done
        assert body.take() == b"hello0123456789"


def test_a_chunk_beyond_the_limit_is_refused_before_its_data() -> None:
    body = http1chunks.ChunkedBody(10)
    assert body.feed(b"5\r\nhello\r\n", 0) == 10
    assert body.feed(b"6\r\n", 0) == http1chunks.CHUNK_TOO_LARGE
    assert http1chunks.ChunkedBody(10).feed(b"fffffffffffffff\r\n", 0) == http1chunks.CHUNK_TOO_LARGE
    assert http1chunks.ChunkedBody(10).feed(b"ffffffffffffffff\r\n", 0) == http1chunks.CHUNK_TOO_LARGE


def test_what_is_no_data_has_a_limit_too() -> None:
    long_lines = b"1;" + b"x" * 4000 + b"\r\n.\r\n"
    assert http1chunks.ChunkedBody(10).feed(b"1;" + b"x" * 20000, 0) == http1chunks.CHUNK_LINE_TOO_LONG
    assert http1chunks.ChunkedBody(10).feed(long_lines * 5, 0) == http1chunks.CHUNK_EXCESS
    assert http1chunks.ChunkedBody(10).feed(b"0\r\n" + b"a: b\r\n" * 5000, 0) == http1chunks.CHUNK_MALFORMED
    many_small = b"1\r\nx\r\n" * 100_000
    assert http1chunks.ChunkedBody(1 << 20).feed(many_small, 0) == len(many_small)


def test_after_a_mistake_nothing_is_read_any_more() -> None:
    body = http1chunks.ChunkedBody(10)
    assert body.feed(b"zz\r\n", 0) == http1chunks.CHUNK_LENGTH_INVALID
    assert body.feed(b"0\r\n\r\n", 0) == http1chunks.CHUNK_LENGTH_INVALID


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (b"22\n", http1chunks.CHUNK_LINE_BARE_LF),
        (b'{"a":\n1}', http1chunks.CHUNK_LINE_BARE_LF),
        (b"2\r2\r\n", http1chunks.CHUNK_LINE_CR),
        (b"2\r2\n", http1chunks.CHUNK_LINE_CR),
        (b"\r\n", http1chunks.CHUNK_LENGTH_EMPTY),
        (b";a=b\r\n", http1chunks.CHUNK_LENGTH_EMPTY),
        (b"2 ;a\r\n", http1chunks.CHUNK_LENGTH_INVALID),
        (b"0x2\r\n", http1chunks.CHUNK_LENGTH_INVALID),
        (b"00000000000000002\r\n", http1chunks.CHUNK_LENGTH_TOO_LARGE),
        (b"2\r\nab12", http1chunks.CHUNK_MALFORMED),
        (b"0\r\n: b\r\n", http1chunks.CHUNK_MALFORMED),
        (b"0\r\nA: b\r\nno colon\r\n\r\n", http1chunks.CHUNK_MALFORMED),
        (b"0\r\nname\r\n\r\n", http1chunks.CHUNK_MALFORMED),
    ],
)
def test_what_is_wrong_with_a_chunk_is_told_when_its_line_is_there(text: bytes, code: int) -> None:
    assert http1chunks.ChunkedBody(10).feed(text, 0) == code
    piecewise = http1chunks.ChunkedBody(10)
    assert [piecewise.feed(text[at : at + 1], 0) for at in range(len(text))].count(code)
    end = text.find(b"\n") + 1
    assert http1chunks.ChunkedBody(10).feed(text[: end - 1], 0) == end - 1, "the line has not ended yet"
