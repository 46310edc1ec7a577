"""What RFC 9113 and RFC 7541 ask of a server, case by case, in bytes: what it must end, and what it must bear.

`GOAWAY`: the connection ends with that code (or one of several); `RESET`: the stream does, or the connection; `ALIVE`:
requests are answered as before.
"""

from __future__ import annotations

import asyncio

import hpack
import pytest

from quarterdeck.transport.messages import Request, Response
from support.http1 import settle
from support.http2_frames import (
    ACK,
    CALM,
    CLOSED,
    COMPRESSION,
    CONTINUATION,
    DATA,
    END_HEADERS,
    END_STREAM,
    FLOW_CONTROL,
    FRAME_SIZE,
    GOAWAY,
    HEADERS,
    PADDED,
    PING,
    POST,
    PREFACE,
    PRIORITIZED,
    PRIORITY,
    PROTOCOL,
    PUSH_PROMISE,
    RST_STREAM,
    SETTINGS,
    USUAL,
    WINDOW_UPDATE,
    Wire,
    block,
    codes,
    frame,
    head,
    setting,
    window,
)

ENDS: dict[str, tuple[bytes, tuple[int, ...]]] = {
    # 3.4, 4
    "the first frame is no SETTINGS": (b"", ()),
    "a frame is larger than announced": (frame(DATA, 0, 1, b"x" * 16385), (FRAME_SIZE, PROTOCOL)),
    "a HEADERS frame is larger than announced": (frame(HEADERS, 5, 1, b"x" * 16385), (FRAME_SIZE, PROTOCOL)),
    "PRIORITY within a head": (head(1, flags=END_STREAM) + frame(PRIORITY, 0, 1, b"\0\0\0\0\1"), (PROTOCOL,)),
    "a head of another stream within a head": (head(1, flags=END_STREAM) + head(3), (PROTOCOL,)),
    "an unknown frame within a head": (head(1, flags=END_STREAM) + frame(22, 0, 1, b"x"), (PROTOCOL,)),
    # 5.1
    "DATA on an idle stream": (frame(DATA, END_STREAM, 1, b"x"), (PROTOCOL, CLOSED)),
    "RST_STREAM on an idle stream": (frame(RST_STREAM, 0, 1, b"\0\0\0\x08"), (PROTOCOL,)),
    "WINDOW_UPDATE on an idle stream": (window(1, 100), (PROTOCOL,)),
    "CONTINUATION on an idle stream": (frame(CONTINUATION, END_HEADERS, 1, block(USUAL)), (PROTOCOL,)),
    "a stream with an even number": (head(2), (PROTOCOL,)),
    # 6.1, 6.2
    "DATA without a stream": (frame(DATA, 0, 0, b"x"), (PROTOCOL,)),
    "DATA with more padding than bytes": (
        head(1, POST, END_HEADERS) + frame(DATA, END_STREAM | PADDED, 1, b"\x06abcd"),
        (PROTOCOL,),
    ),
    "HEADERS without a stream": (frame(HEADERS, 5, 0, block(USUAL)), (PROTOCOL,)),
    "HEADERS with more padding than bytes": (frame(HEADERS, 5 | PADDED, 1, b"\xffabc"), (PROTOCOL,)),
    # 6.3 to 6.5
    "PRIORITY without a stream": (frame(PRIORITY, 0, 0, b"\0\0\0\0\1"), (PROTOCOL,)),
    "RST_STREAM without a stream": (frame(RST_STREAM, 0, 0, b"\0\0\0\x08"), (PROTOCOL,)),
    "RST_STREAM of a wrong size": (head(1, POST, END_HEADERS) + frame(RST_STREAM, 0, 1, b"\0\0\x08"), (FRAME_SIZE,)),
    "SETTINGS with a stream": (frame(SETTINGS, 0, 1), (PROTOCOL,)),
    "SETTINGS of a wrong size": (frame(SETTINGS, 0, 0, b"\0\3\0\0\0"), (FRAME_SIZE,)),
    "an acknowledgement of SETTINGS with a payload": (frame(SETTINGS, ACK, 0, b"\0\3\0\0\0\1"), (FRAME_SIZE,)),
    "ENABLE_PUSH of 2": (setting(2, 2), (PROTOCOL,)),
    "INITIAL_WINDOW_SIZE above the largest": (setting(4, 2**31), (FLOW_CONTROL,)),
    "MAX_FRAME_SIZE below the smallest": (setting(5, 16383), (PROTOCOL,)),
    "MAX_FRAME_SIZE above the largest": (setting(5, 2**24), (PROTOCOL,)),
    # 6.6 to 6.10
    "PUSH_PROMISE by a client": (frame(PUSH_PROMISE, END_HEADERS, 1, b"\0\0\0\2" + block(USUAL)), (PROTOCOL,)),
    "PING with a stream": (frame(PING, 0, 1, b"12345678"), (PROTOCOL,)),
    "PING of a wrong size": (frame(PING, 0, 0, b"123456"), (FRAME_SIZE,)),
    "GOAWAY with a stream": (frame(GOAWAY, 0, 1, b"\0" * 8), (PROTOCOL,)),
    "a window of the connection grows by nothing": (window(0, 0), (PROTOCOL,)),
    "a window of the connection becomes too large": (window(0, 2**31 - 1) * 2, (FLOW_CONTROL,)),
    "WINDOW_UPDATE of a wrong size": (frame(WINDOW_UPDATE, 0, 0, b"\0\0\1"), (FRAME_SIZE,)),
    "CONTINUATION behind a whole head": (head(1) + frame(CONTINUATION, 4, 1, b""), (PROTOCOL, CLOSED)),
    "CONTINUATION without a stream": (head(1, flags=1) + frame(CONTINUATION, 4, 0, b""), (PROTOCOL,)),
    "CONTINUATION behind the last of a head": (
        head(1, flags=1) + frame(CONTINUATION, END_HEADERS, 1, b"") + frame(CONTINUATION, END_HEADERS, 1, b""),
        (PROTOCOL, CLOSED),
    ),
    "CONTINUATION behind DATA": (
        head(1, POST, END_HEADERS) + frame(DATA, 0, 1, b"x") + frame(CONTINUATION, END_HEADERS, 1, b""),
        (PROTOCOL,),
    ),
    "CONTINUATION of a stream that was given up": (
        head(1, POST, END_HEADERS) + frame(RST_STREAM, 0, 1, b"\0\0\0\x08") + frame(CONTINUATION, 4, 1, b""),
        (PROTOCOL, CLOSED),
    ),
    "DATA within a head": (head(1, POST, 0) + frame(DATA, 1, 1, b"x"), (PROTOCOL,)),
    # RFC 7541
    "an index that is in no table": (frame(HEADERS, 5, 1, b"\xff\xff\xff\x7f"), (COMPRESSION,)),
    "the name of an index that is in no table": (frame(HEADERS, 5, 1, b"\x7f\xff\x7f\x01x"), (COMPRESSION,)),
    "a string of Huffman's that is padded with zeros": (
        frame(HEADERS, 5, 1, b"\x00\x84\xf2\xb2\x4a\x80\x84\x49\x50\x9f\xff"),
        (COMPRESSION,),
    ),
    "a string of Huffman's that holds its end": (
        frame(HEADERS, 5, 1, b"\x00\x84\xff\xff\xff\xff\x84\x49\x50\x9f\xff"),
        (COMPRESSION,),
    ),
    "index 0": (frame(HEADERS, 5, 1, b"\x80"), (COMPRESSION,)),
    "a string that is cut": (frame(HEADERS, 5, 1, b"\x00\x7fabc"), (COMPRESSION,)),
    "a string of Huffman's with more than 7 bits of padding": (
        frame(HEADERS, 5, 1, b"\x00\x85\xf2\xb2\x4a\x84\xff\x84\x49\x50\x9f\xff"),
        (COMPRESSION,),
    ),
    "a table that is made larger than allowed": (
        frame(HEADERS, 5, 1, b"\x3f\xff\xff\x7f" + block(USUAL)),
        (COMPRESSION,),
    ),
    "a change of the table's size behind a field": (frame(HEADERS, 5, 1, block(USUAL) + b"\x20"), (COMPRESSION,)),
}

RESETS: dict[str, bytes] = {
    "a name in capitals": head(1, [*USUAL, ("X-Test", "ok")]),
    "an unknown pseudo field": head(1, [*USUAL, (":test", "ok")]),
    "the pseudo field of an answer": head(1, [*USUAL, (":status", "200")]),
    "a pseudo field behind others": head(1, [("x-test", "ok"), *USUAL]),
    "a field of the connection": head(1, [*USUAL, ("connection", "keep-alive")]),
    "te with another value than trailers": head(1, [*USUAL, ("te", "gzip")]),
    "no method": head(1, USUAL[1:]),
    "no scheme": head(1, [USUAL[0], *USUAL[2:]]),
    "no path": head(1, [*USUAL[:2], USUAL[3]]),
    "an empty path": head(1, [*USUAL[:2], (":path", ""), USUAL[3]]),
    "two methods": head(1, [USUAL[0], *USUAL]),
    "two paths": head(1, [*USUAL, (":path", "/")]),
    "a transfer encoding": head(1, [*USUAL, ("transfer-encoding", "chunked")]),
    "an upgrade": head(1, [*USUAL, ("upgrade", "websocket")]),
    "a length that is not the body's": head(1, [*POST, ("content-length", "1")], END_HEADERS)
    + frame(DATA, END_STREAM, 1, b"test"),
    "a length that is not that of the parts": head(1, [*POST, ("content-length", "1")], END_HEADERS)
    + frame(DATA, 0, 1, b"te")
    + frame(DATA, END_STREAM, 1, b"st"),
    "a length that is no number": head(1, [*POST, ("content-length", "x")]),
    "pseudo fields in a trailer": head(1, POST, END_HEADERS) + head(1, [(":method", "GET")]),
    "a line feed in a value": head(1, [*USUAL, ("x-test", "a\nb")]),
    "a stream that depends on itself": frame(HEADERS, 5 | PRIORITIZED, 1, b"\0\0\0\1\x10" + block(USUAL)),
    "a window of a stream that grows by nothing": head(1, POST, END_HEADERS) + window(1, 0),
    "a window of a stream that becomes too large": head(1, POST, END_HEADERS) + window(1, 2**31 - 1) * 2,
    "PRIORITY of a wrong size": head(1, POST, END_HEADERS) + frame(PRIORITY, 0, 1, b"\0\0\0\1"),
    "DATA behind the end": head(1, POST) + frame(DATA, END_STREAM, 1, b"x"),
    "a trailer that does not end the stream": head(1, POST, END_HEADERS) + head(1, [("x-test", "ok")], END_HEADERS),
}

BORNE: dict[str, bytes] = {
    "an unknown frame": frame(22, 255, 0, b"12345678"),
    "unknown flags": frame(PING, 0xFE, 0, b"12345678"),
    "the reserved bit": frame(PING, 0, 2**31, b"12345678"),
    "an unknown setting": setting(255, 1),
    "padding": frame(HEADERS, 5 | PADDED, 1, b"\x06" + block(USUAL) + b"\0" * 6),
    "a priority": frame(HEADERS, 5 | PRIORITIZED, 1, b"\0\0\0\0\xff" + block(USUAL)),
    "PRIORITY of an idle stream": frame(PRIORITY, 0, 1, b"\0\0\0\0\xff"),
    "a head in many frames": head(1, flags=END_STREAM)
    + frame(CONTINUATION, 0, 1, block([("x-test", "ok")]))
    + frame(CONTINUATION, END_HEADERS, 1, block([("x-next", "ok")])),
    "te: trailers": head(1, [*USUAL, ("te", "trailers")]),
    "a body and a trailer": head(1, POST, END_HEADERS) + frame(DATA, 0, 1, b"x") + head(1, [("x-test", "ok")]),
    "the smallest and the largest priority": frame(PRIORITY, 0, 1, b"\0\0\0\0\0")
    + frame(PRIORITY, 0, 1, b"\0\0\0\0\xff"),
    "a dependency and an exclusive one": frame(PRIORITY, 0, 3, b"\0\0\0\1\x10")
    + frame(PRIORITY, 0, 5, b"\x80\0\0\1\x10"),
    "PRIORITY of a stream that is done": head(1) + frame(PRIORITY, 0, 1, b"\0\0\0\0\x10"),
    "PRIORITY of a stream above that of the next head": frame(PRIORITY, 0, 3, b"\0\0\0\0\x10") + head(1),
    "a window of a stream that is done": head(1) + window(1, 100),
    "RST_STREAM of a stream that is done": head(1) + frame(RST_STREAM, 0, 1, b"\0\0\0\x08"),
    "RST_STREAM with an unknown code": head(1, POST, END_HEADERS) + frame(RST_STREAM, 0, 1, b"\0\0\0\xff"),
    "the largest DATA": head(1, POST, END_HEADERS) + frame(DATA, END_STREAM, 1, b"x" * 16384),
    "DATA in many frames": head(1, POST, END_HEADERS) + frame(DATA, 0, 1, b"x") * 3 + frame(DATA, END_STREAM, 1, b"x"),
    "DATA with padding": head(1, POST, END_HEADERS) + frame(DATA, END_STREAM | PADDED, 1, b"\x03test\0\0\0"),
    "HEAD": head(1, [(":method", "HEAD"), *USUAL[1:]]),
    "a table that is resized twice": frame(HEADERS, 5, 1, b"\x20\x3f\xe1\x1f" + block(USUAL)),
    "RST_STREAM twice": head(1, POST, END_HEADERS) + frame(RST_STREAM, 0, 1, b"\0\0\0\x08") * 2,
    "an unasked answer to PING": frame(PING, ACK, 0, b"12345678"),
    "a window that is opened": window(0, 1000),
    "a window of 0 at first": setting(4, 0) + setting(4, 65535),
    "a smaller table": setting(1, 0),
    "OPTIONS *": head(1, [(":method", "OPTIONS"), (":scheme", "https"), (":path", "*"), (":authority", "h")]),
}


# Frames behind the end of the stream 1, which the client itself has ended, and of which nothing is left here.
BEHIND: dict[str, tuple[bytes, bytes]] = {
    "DATA behind a whole request": (head(1), frame(DATA, END_STREAM, 1, b"x")),
    "DATA behind a body": (head(1, POST, 4) + frame(DATA, END_STREAM, 1, b"x"), frame(DATA, END_STREAM, 1, b"x")),
    "DATA behind a reset": (head(1, POST, 4) + frame(RST_STREAM, 0, 1, b"\0\0\0\x08"), frame(DATA, 1, 1, b"x")),
    "a head behind a whole request": (head(1), head(1)),
    "a head behind a reset": (head(1, POST, 4) + frame(RST_STREAM, 0, 1, b"\0\0\0\x08"), head(1)),
    "a head of a stream below one that was open": (head(5), head(3)),
    "DATA of a stream below one that was open": (head(5), frame(DATA, END_STREAM, 3, b"x")),
}


@pytest.mark.parametrize("name", BEHIND)
async def test_what_comes_behind_the_end_of_a_stream(name: str) -> None:
    before, behind = BEHIND[name]
    wire = Wire()
    wire.send(before)
    await settle()
    wire.take()
    wire.send(behind)
    await settle()
    frames = wire.take()
    if behind[3] == HEADERS:
        assert codes(frames, GOAWAY)[-1] == PROTOCOL
        assert wire.channel.state != "open"
    else:
        assert codes(frames, RST_STREAM) == [CLOSED]
        wire.send(head(7))
        await settle()
        assert any(kind == HEADERS and stream == 7 for kind, _, stream, _ in wire.take())


async def test_frames_on_their_way_to_a_stream_that_the_server_has_given_up_are_passed_over() -> None:
    wire = Wire()
    wire.send(head(1, [*POST, ("transfer-encoding", "chunked")], END_HEADERS))  # malformed: it is reset
    await settle()
    assert codes(wire.take(), RST_STREAM)
    wire.send(frame(DATA, 0, 1, b"x") + head(1, [("x-test", "ok")]) + head(3))
    await settle()
    frames = wire.take()
    assert not codes(frames, GOAWAY)
    assert not codes(frames, RST_STREAM)
    assert any(kind == HEADERS and stream == 3 for kind, _, stream, _ in frames)


async def test_data_behind_the_end_does_not_go_on_for_ever() -> None:
    wire = Wire()
    wire.send(head(1))
    await settle()
    for _ in range(30):
        wire.send(frame(DATA, 0, 1, b"x") * 100)
        wire.channel.take()
    assert wire.channel.state != "open"


async def test_the_server_says_its_settings_first() -> None:
    wire = Wire(b"")
    await settle()
    kind, flags, stream, payload = wire.take()[0]
    assert (kind, flags, stream) == (SETTINGS, 0, 0)
    found = {
        int.from_bytes(payload[at : at + 2]): int.from_bytes(payload[at + 2 : at + 6])
        for at in range(0, len(payload), 6)
    }
    assert found[3] == 250
    assert found[4] == 256 * 1024


@pytest.mark.parametrize("name", ENDS)
async def test_what_ends_the_connection(name: str) -> None:
    data, allowed = ENDS[name]
    wire = Wire(PREFACE + head(1)) if not data else Wire()
    wire.send(data)
    await settle()
    frames = wire.take()
    assert wire.channel.state != "open"
    if allowed:
        assert codes(frames, GOAWAY)[-1] in allowed


@pytest.mark.parametrize("name", RESETS)
async def test_what_ends_the_stream(name: str) -> None:
    wire = Wire()
    wire.send(RESETS[name])
    await settle()
    frames = wire.take()
    assert wire.channel.state != "open" or codes(frames, RST_STREAM)
    if wire.channel.state == "open":
        wire.send(head(7))
        await settle()
        assert any(kind == HEADERS and stream == 7 for kind, _, stream, _ in wire.take())


@pytest.mark.parametrize("name", BORNE)
async def test_what_is_borne(name: str) -> None:
    wire = Wire()
    wire.send(BORNE[name])
    wire.send(head(9))
    await settle()
    frames = wire.take()
    assert not codes(frames, GOAWAY)
    assert any(kind == HEADERS and stream == 9 for kind, _, stream, _ in frames)


@pytest.mark.parametrize("preface", [b"GET / HTTP/1.1\r\n\r\n", b"PRI * HTTP/2.0\r\n\r\nXX\r\n\r\n"])
async def test_another_preface_ends_the_connection(preface: bytes) -> None:
    wire = Wire(preface)
    await settle()
    assert wire.channel.state != "open"


async def test_frames_in_pieces() -> None:
    wire = Wire(b"")
    for octet in PREFACE + frame(SETTINGS) + head(1):
        wire.send(bytes((octet,)))
    await settle()
    assert any(kind == HEADERS and stream == 1 for kind, _, stream, _ in wire.take())


async def test_pings_are_answered_with_what_they_hold() -> None:
    wire = Wire()
    wire.send(frame(PING, 0, 0, b"h2h2h2h2"))
    await settle()
    assert (PING, ACK, 0, b"h2h2h2h2") in wire.take()


async def test_settings_are_acknowledged() -> None:
    wire = Wire(PREFACE + setting(3, 100))
    await settle()
    assert (SETTINGS, ACK, 0, b"") in wire.take()


async def test_windows_of_streams_are_kept() -> None:
    wire = Wire(PREFACE + setting(4, 1))
    wire.send(head(1, [*USUAL[:2], (":path", "/large"), USUAL[3]]))
    await settle()
    assert [payload for kind, _, _, payload in wire.take() if kind == DATA] == [b"x"]
    wire.send(window(1, 3))
    await settle()
    assert b"".join(payload for kind, _, _, payload in wire.take() if kind == DATA) == b"xxx"
    wire.send(setting(4, 65535))
    await settle()
    assert sum(len(payload) for kind, _, _, payload in wire.take() if kind == DATA) == 96


async def test_a_window_may_become_negative() -> None:
    wire = Wire(PREFACE + setting(4, 3))
    wire.send(head(1, [*USUAL[:2], (":path", "/large"), USUAL[3]]))
    wire.send(setting(4, 2))
    wire.send(window(1, 1))
    await settle()
    assert sum(len(payload) for kind, _, _, payload in wire.take() if kind == DATA) == 3
    wire.send(window(1, 2))
    await settle()
    assert sum(len(payload) for kind, _, _, payload in wire.take() if kind == DATA) == 2


async def test_answers_are_read_by_any_decoder_across_requests() -> None:
    wire = Wire()
    decoder = hpack.Decoder()
    for number in range(1, 40, 2):
        wire.send(head(number))
        await settle()
        for kind, _, _, payload in wire.take():
            if kind == HEADERS:
                assert (":status", "200") in decoder.decode(payload)


# Floods and bombs, by their CVEs.


async def test_answers_to_pings_that_nobody_reads_are_bounded() -> None:
    """CVE-2019-9512."""
    wire = Wire()
    wire.channel.is_reading_client = False
    wire.channel.protocol.pause_writing()
    for _ in range(50):
        wire.send(frame(PING, 0, 0, b"12345678") * 100)
    assert wire.channel.state != "open"


async def test_empty_data_does_not_go_on_for_ever() -> None:
    """CVE-2019-9518."""
    wire = Wire()
    wire.send(head(1, POST, END_HEADERS))
    for _ in range(150):
        wire.send(frame(DATA, 0, 1) * 100)
        wire.channel.take()
    assert wire.channel.state != "open"


async def test_a_small_head_that_becomes_a_large_one_is_refused() -> None:
    """CVE-2016-6581: a table entry of 4,000 bytes, named 1,000 times."""
    wire = Wire()
    entry = b"\x40\x01a\x7f" + bytes((0x81, 0x1E)) + b"v" * (127 + 0x01 + 0x1E * 128)
    wire.send(frame(HEADERS, 5, 1, block(USUAL) + entry + b"\xbe" * 1000))
    await settle()
    frames = wire.take()
    statuses = [hpack.Decoder().decode(payload)[0] for kind, _, _, payload in frames if kind == HEADERS]
    assert statuses == [(":status", "431")]
    assert wire.bench.requests == []


async def test_resets_that_the_server_is_made_to_send_count_too() -> None:
    """CVE-2025-8671."""
    wire = Wire()

    def never(request: Request) -> asyncio.Future[Response]:
        return asyncio.get_running_loop().create_future()

    wire.bench.server.application = never
    for number in range(1, 2401, 2):
        wire.send(head(number) + window(number, 2**31 - 1))
    await settle()
    assert CALM in codes(wire.take(), GOAWAY)
    wire.channel.close()
    await settle()


async def test_windows_that_are_opened_byte_by_byte_end_the_connection() -> None:
    """CVE-2019-9511."""
    wire = Wire(PREFACE + setting(4, 0))
    wire.bench.server.application = lambda request: Response(200, [], b"x" * 60_000)
    wire.send(head(1))
    for _ in range(600):
        wire.send(window(1, 1) * 50)
        wire.channel.take()
    assert wire.channel.state != "open"
