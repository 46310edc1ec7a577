"""What RFC 9113 and RFC 7541 let a client do, in each form that they know, and what a stream's state forbids.

With test_http2_conformance.py it has a case for each of the 146 of h2spec 2.6 that concern a server."""

from __future__ import annotations

import pytest
from hpack.huffman import HuffmanEncoder
from hpack.huffman_constants import REQUEST_CODES, REQUEST_CODES_LENGTH

from support.http1 import settle
from support.http2_frames import (
    ACK,
    CLOSED,
    COMPRESSION,
    CONTINUATION,
    DATA,
    END_HEADERS,
    END_STREAM,
    GOAWAY,
    HEADERS,
    PADDED,
    PING,
    POST,
    PRIORITY,
    PROTOCOL,
    RST_STREAM,
    SETTINGS,
    USUAL,
    Wire,
    codes,
    frame,
    head,
    setting,
    window,
)

CANCEL = b"\0\0\0\x08"
# Its answer cannot be sent: the stream is half closed, and stays so.
WAITING = setting(4, 0) + head(1)
OPEN = head(1, POST, END_HEADERS)
# :method GET, :scheme https, :path / by their indices in the static table, then :authority by its index and a text.
INDEXED = b"\x82\x87\x84\x41\x01h"
_NAME = 58  # user-agent


def huffman(text: bytes) -> bytes:
    packed = HuffmanEncoder(REQUEST_CODES, REQUEST_CODES_LENGTH).encode(text)
    return bytes((0x80 | len(packed),)) + packed


def plain(text: bytes) -> bytes:
    return bytes((len(text),)) + text


def request(fields: bytes) -> bytes:
    return frame(HEADERS, END_STREAM | END_HEADERS, 1, INDEXED + fields)


# How an index begins: with a place in the table, without one, and never to be given one.
FORMS = {"indexed": (0x40, 63), "not indexed": (0x00, 15), "never indexed": (0x10, 15)}


def build_literals() -> dict[str, bytes]:
    found = {}
    for form, (prefix, index_max) in FORMS.items():
        index = bytes((prefix | _NAME,)) if index_max > _NAME else bytes((prefix | index_max, _NAME - index_max))
        found[f"{form}, its name by an index"] = request(index + plain(b"golden"))
        found[f"{form}, its name by an index, in Huffman's code"] = request(index + huffman(b"golden"))
        found[f"{form}, with its name"] = request(bytes((prefix,)) + plain(b"x-test") + plain(b"golden"))
        found[f"{form}, with its name, in Huffman's code"] = request(
            bytes((prefix,)) + huffman(b"x-test") + huffman(b"golden")
        )
    return found


ANSWERED: dict[str, bytes] = {
    **build_literals(),
    "all that the static table has": request(b""),
    "a change of the table's size": frame(HEADERS, 5, 1, b"\x20" + INDEXED),
    "two changes of the table's size": frame(HEADERS, 5, 1, b"\x20\x3f\xe1\x1f" + INDEXED),
    "HEAD": head(1, [(":method", "HEAD"), *USUAL[1:]]),
    "a body": OPEN + frame(DATA, END_STREAM, 1, b"test"),
    "a body in parts": OPEN + frame(DATA, 0, 1, b"te") + frame(DATA, END_STREAM, 1, b"st"),
    "a body with padding": OPEN + frame(DATA, END_STREAM | PADDED, 1, b"\x06test" + b"\0" * 6),
    "a body of a frame as large as may be": OPEN + frame(DATA, END_STREAM, 1, b"x" * 2**14),
    "a body without bytes": OPEN + frame(DATA, END_STREAM, 1),
    "a trailer": OPEN + frame(DATA, 0, 1, b"test") + head(1, [("x-test", "ok")]),
    "priorities of 1 and 256": frame(PRIORITY, 0, 1, b"\0\0\0\0\0") + frame(PRIORITY, 0, 1, b"\0\0\0\0\xff") + head(1),
    "dependencies": frame(PRIORITY, 0, 1, b"\0\0\0\3\x0f") + frame(PRIORITY, 0, 1, b"\x80\0\0\3\x0f") + head(1),
    "a priority of a later stream": frame(PRIORITY, 0, 5, b"\0\0\0\3\xff") + head(1),
    "a window of the stream that grows": OPEN + window(1, 1) + frame(DATA, END_STREAM, 1, b"test"),
    "settings that change while requests wait": setting(4, 0) + setting(3, 100) + setting(4, 65535) + head(1),
}

BORNE: dict[str, bytes] = {
    "WINDOW_UPDATE of a half closed stream": WAITING + window(1, 10),
    "PRIORITY of a half closed stream": WAITING + frame(PRIORITY, 0, 1, b"\0\0\0\0\xff"),
    "RST_STREAM of a half closed stream": WAITING + frame(RST_STREAM, 0, 1, CANCEL),
    "PRIORITY of a closed stream": head(1) + frame(PRIORITY, 0, 1, b"\0\0\0\0\xff"),
    "WINDOW_UPDATE of a closed stream": OPEN + frame(RST_STREAM, 0, 1, CANCEL) + window(1, 10),
    "RST_STREAM of an open stream": OPEN + frame(RST_STREAM, 0, 1, CANCEL),
    "RST_STREAM with an unknown code": OPEN + frame(RST_STREAM, 0, 1, b"\0\0\0\xff"),
    "DATA behind the client's own reset": OPEN + frame(RST_STREAM, 0, 1, CANCEL) + frame(DATA, 1, 1, b"x"),
    "an acknowledged PING among others": frame(PING, 0, 0, b"invalid!") + frame(PING, ACK, 0, b"nobodys!"),
    "the window of a stream made negative": setting(4, 3) + head(1) + setting(4, 2) + window(1, 2),
}

# The connection ends with one of the codes; a stream that is reset instead is as good for some.
ENDED: dict[str, tuple[bytes, tuple[int, ...]]] = {
    "a literal by an index that is in no table": (request(b"\x7f\x7f\x01x"), (COMPRESSION,)),
    "Huffman's code filled up with zeros": (request(b"\x00\x01x\x81\x18"), (COMPRESSION,)),
    "Huffman's code with the sign of its end": (request(b"\x00\x01x\x84\xff\xff\xff\xff"), (COMPRESSION,)),
    "a head that cannot be read": (frame(HEADERS, 5, 1, b"\x40\x83\xff\xff\xff"), (COMPRESSION,)),
    "CONTINUATION of a half closed stream": (WAITING + frame(CONTINUATION, 4, 1, b""), (PROTOCOL, CLOSED)),
    "CONTINUATION behind one that ended the head": (
        head(1, flags=1) + frame(CONTINUATION, 4, 1, b"") + frame(CONTINUATION, 4, 1, b""),
        (PROTOCOL, CLOSED),
    ),
    "CONTINUATION behind DATA": (OPEN + frame(DATA, 0, 1, b"x") + frame(CONTINUATION, 4, 1, b""), (PROTOCOL,)),
    "CONTINUATION behind a reset": (
        OPEN + frame(RST_STREAM, 0, 1, CANCEL) + frame(CONTINUATION, 4, 1, b""),
        (PROTOCOL, CLOSED),
    ),
    "SETTINGS with too large a window between others": (
        frame(SETTINGS, 0, 0, b"\0\3\0\0\0\x64" + b"\0\4\x80\0\0\0"),
        (3,),
    ),
}

STATES: dict[str, bytes] = {
    "DATA of a half closed stream": WAITING + frame(DATA, 1, 1, b"x"),
    "HEADERS of a half closed stream": WAITING + head(1),
    "HEADERS behind the client's own reset": OPEN + frame(RST_STREAM, 0, 1, CANCEL) + head(1),
    "DATA of a closed stream": head(1) + frame(DATA, 1, 1, b"x"),
    "HEADERS of a closed stream": head(1) + head(1),
    "PRIORITY on itself": OPEN + frame(PRIORITY, 0, 1, b"\0\0\0\1\xff"),
    "two schemes": head(1, [*USUAL, (":scheme", "https")]),
}


async def spoken(data: bytes, last: bytes = b"") -> tuple[Wire, list[tuple[int, int, int, bytes]]]:
    wire = Wire()
    wire.send(data + last)
    await settle()
    return wire, wire.take()


@pytest.mark.parametrize("name", ANSWERED)
async def test_what_is_answered(name: str) -> None:
    wire, frames = await spoken(ANSWERED[name])
    assert wire.channel.state == "open"
    assert [stream for kind, _, stream, _ in frames if kind == HEADERS] == [1]
    assert not codes(frames, RST_STREAM)


@pytest.mark.parametrize("name", BORNE)
async def test_what_is_borne(name: str) -> None:
    wire, frames = await spoken(BORNE[name], head(9))
    assert wire.channel.state == "open"
    assert 9 in [stream for kind, _, stream, _ in frames if kind == HEADERS]


@pytest.mark.parametrize("name", ENDED)
async def test_what_ends_the_connection(name: str) -> None:
    data, allowed = ENDED[name]
    wire, frames = await spoken(data)
    assert wire.channel.state != "open"
    assert codes(frames, GOAWAY)[-1] in allowed


@pytest.mark.parametrize("name", STATES)
async def test_what_the_state_of_a_stream_forbids(name: str) -> None:
    """It is passed over where the stream has been forgotten, ends the stream or the connection; nothing answers it."""
    wire, frames = await spoken(STATES[name])
    heads = [stream for kind, _, stream, _ in frames if kind == HEADERS]
    assert heads in ([], [1])
    if wire.channel.state == "open":
        wire.send(head(9))
        await settle()
        assert 9 in [stream for kind, _, stream, _ in wire.take() if kind == HEADERS]


async def test_a_client_that_says_goodbye_is_let_go() -> None:
    for code in (b"\0\0\0\0", b"\0\0\0\xff"):
        wire, frames = await spoken(head(1), frame(GOAWAY, 0, 0, b"\0\0\0\0" + code))
        assert 1 in [stream for kind, _, stream, _ in frames if kind == HEADERS]
        wire.send(frame(PING, 0, 0, b"12345678"))
        await settle()
        answered = [(kind, flags) for kind, flags, _, _ in wire.take()]
        assert wire.channel.state != "open" or (PING, ACK) in answered


async def test_settings_for_windows_count_from_the_last() -> None:
    wire, frames = await spoken(
        frame(SETTINGS, 0, 0, b"\0\4\0\0\0\x64\0\4\0\0\0\1"),
        head(1, [USUAL[0], USUAL[1], (":path", "/large"), USUAL[3]]),
    )
    assert [len(payload) for kind, _, _, payload in frames if kind == DATA] == [1]
    wire.send(window(1, 4))
    await settle()
    assert [len(payload) for kind, _, _, payload in wire.take() if kind == DATA] == [4]
