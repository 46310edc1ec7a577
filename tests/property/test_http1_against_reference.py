"""The HTTP/1.1 kernel does what its reference does, for requests that are nearly right."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quarterdeck._kernels import http1, http1chunks
from reference import http1 as reference

ENDS = st.sampled_from([b"\r\n"] * 12 + [b"\n"])
METHODS = st.sampled_from([b"GET", b"POST", b"PATCH", b"FROB"])
TARGETS = st.sampled_from([b"/", b"/a?b=c", b"/a%2Fb", b"/?", b"http://h/x?y", b"http://h", b"/\xc3\xa4?\xff"])
VERSIONS = st.sampled_from([b"HTTP/1.1"] * 6 + [b"HTTP/1.0", b"HTTP/1.9"])
FIELDS = st.sampled_from(
    [
        b"Content-Length: 4",
        b"content-length:04",
        b"Transfer-Encoding: chunked",
        b"Transfer-Encoding: Chunked",
        b"Connection: close",
        b"Connection: keep-alive, Close",
        b"Connection: keep-alive",
        b"Expect: 100-continue",
        b"Expect: 200-ok",
        b"Accept: \t padded \t",
        b"accept: b",
        b"X-" + b"y" * 70 + b": c",
        b"X-Q:",
        b"X-Q: \xe4",
        b"X: folded\r\n more",
        b"X: folded\n\t",
    ]
)
ODD = st.sampled_from(
    [
        b"\r",
        b"\n",
        b"\r\n",
        b" ",
        b"\t",
        b":",
        b"\x00",
        b"\x7f",
        b"\xff",
        b"%",
        b"%2",
        b"+",
        b"-",
        b",",
        b"x",
        b"0",
        b"",
        b"Host: h\r\n",
        b"Host: b/d\r\n",
        b"Transfer-Encoding: gzip\r\n",
        b"Transfer-Encoding:\r\n",
        b"HTTP/2.0",
        b"?",
    ]
) | st.binary(max_size=3)


@st.composite
def heads(draw: st.DrawFn) -> bytes:
    """A good head with up to two mistakes."""
    text = draw(METHODS) + b" " + draw(TARGETS) + b" " + draw(VERSIONS) + draw(ENDS) + b"Host: h" + draw(ENDS)
    for field in draw(st.lists(FIELDS, max_size=4)):
        text += field + draw(ENDS)
    text += draw(ENDS)
    for _ in range(draw(st.integers(0, 2))):
        at = draw(st.integers(0, len(text)))
        text = text[:at] + draw(ODD) + text[at + draw(st.integers(0, 2)) :]
    return text + draw(st.sampled_from([b"", b"rest"]))


def joined(head: object) -> object:
    """Without the values of repeated fields apart, which the reference does not keep: the joined ones, or the first."""
    if not isinstance(head, tuple):
        return head
    headers = {name: value for name, value in head[3].items() if not name.startswith("\n")}
    for name, value in head[3].items():
        if name.startswith("\n"):
            known = name.removeprefix("\n")
            told = value.partition("\n")[0] if known in reference.READ_ONCE else value.replace("\n", ", ")
            assert headers[known] == told
    return (*head[:3], headers, *head[4:])


@settings(max_examples=800, deadline=None)
@given(heads(), st.sampled_from([1 << 20, 60]), st.sampled_from([100, 2]), st.integers(0, 3))
def test_heads_are_read_as_the_reference_reads_them(text: bytes, head_max: int, fields_max: int, start: int) -> None:
    data = b"#" * start + text
    expected = reference.parse_head(data, start, head_max, fields_max)
    assert joined(http1.parse_head(data, start, head_max, fields_max)) == expected
    assert joined(http1.parse_head(bytearray(data), start, head_max, fields_max)) == expected


@settings(max_examples=600, deadline=None)
@given(st.lists(heads(), min_size=1, max_size=3), st.lists(st.integers(0, 2), min_size=2, max_size=40))
def test_what_a_connection_has_sent_before_changes_nothing(texts: list[bytes], order: list[int]) -> None:
    last = http1.LastFields()
    for position in order:
        text = texts[position % len(texts)]
        for start in (b"", b"POST /other?x=y HTTP/1.1\r\n"):  # another line before the same fields
            data = start + text.partition(b"\n")[2] if start else text
            head = http1.parse_head(data, 0, 1 << 20, 100, last)
            assert head == http1.parse_head(data, 0, 1 << 20, 100)
            if isinstance(head, tuple):
                head[3].clear()  # it is the caller's own


@settings(max_examples=400, deadline=None)
@given(heads())
def test_a_prefix_of_a_good_head_is_never_taken_for_a_whole_one(text: bytes) -> None:
    whole = http1.parse_head(text, 0, 1 << 20, 100)
    if isinstance(whole, tuple):
        for end in range(whole[-1]):
            assert not isinstance(http1.parse_head(text[:end], 0, 1 << 20, 100), tuple)


@st.composite
def chunked(draw: st.DrawFn) -> bytes:
    """A good body with up to one mistake."""
    text = b""
    for data in draw(st.lists(st.binary(min_size=1, max_size=20), max_size=3)):
        text += b"%x%b\r\n%b\r\n" % (len(data), draw(st.sampled_from([b"", b"", b";a=b", b" \t"])), data)
    text += draw(st.sampled_from([b"0\r\n\r\n", b"000\r\nA: b\r\nC:\r\n\r\n", b""]))
    for _ in range(draw(st.integers(0, 1))):
        at = draw(st.integers(0, len(text)))
        text = text[:at] + draw(ODD | st.just(b"f" * 16)) + text[at + draw(st.integers(0, 2)) :]
    return text + draw(st.sampled_from([b"", b"rest"]))


MALFORMED = http1chunks.CHUNK_MALFORMED


@settings(max_examples=600, deadline=None)
@given(chunked(), st.lists(st.integers(1, 30), max_size=8))
def test_chunks_are_read_as_the_reference_reads_them(text: bytes, cuts: list[int]) -> None:
    try:
        expected = reference.parse_chunks(text)
    except ValueError:
        expected = MALFORMED
    body = http1chunks.ChunkedBody(1 << 60)
    at = 0
    for size in [*cuts, len(text)]:
        piece = text[at : at + size]
        offset = body.feed(piece, 0)
        if offset < 0:
            assert expected == MALFORMED
            return
        at += offset
        if body.is_done or not piece:
            break
    if expected == MALFORMED:
        pytest.fail(f"{text!r} is malformed")
    assert (body.take(), at) == expected if body.is_done else expected is None
