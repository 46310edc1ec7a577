"""Requests in, answers out: what HTTP1Protocol does with well and badly behaved clients, without a socket."""

from __future__ import annotations

import asyncio
import gzip
import json
import math
import random
import re
from collections.abc import Awaitable

import pytest

from quarterdeck.transport import bodies
from quarterdeck.transport.brokenbodies import BrokenBody
from quarterdeck.transport.limits import Limits
from quarterdeck.transport.messages import Request, Response
from support.http1 import GET, Bench, body_of, settle, status_of
from support.waiting import until

HEAD_END = b"\r\n\r\n"


async def test_a_request_is_answered_with_length_and_date() -> None:
    channel, answer = Bench().exchange(GET % b"a")
    assert answer.startswith(b"HTTP/1.1 200 OK\r\nDate: ")
    assert answer.endswith(b" GMT\r\nContent-Length: 2\r\n\r\n/a")
    assert channel.state == "open"


async def test_a_request_may_come_octet_by_octet() -> None:
    bench = Bench()
    text = b"POST /x?y HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\nabc"
    _, answer = bench.exchange(*(text[i : i + 1] for i in range(len(text))))
    assert body_of(answer) == b"/x"
    assert bench.requests[0].body == b"abc"
    assert bench.requests[0].query == "y"


async def test_pipelined_requests_are_answered_in_order() -> None:
    gates: dict[str, asyncio.Future[Response]] = {}

    def answer(request: Request) -> Response | Awaitable[Response]:
        if request.path.startswith("/slow"):
            gates[request.path] = asyncio.get_running_loop().create_future()
            return gates[request.path]
        return Response(200, [], request.path.encode())

    bench = Bench(answer)
    channel, first = bench.exchange(GET % b"slow1" + GET % b"fast" + GET % b"slow2" + GET % b"last")
    assert first == b""
    assert [request.path for request in bench.requests] == ["/slow1"]
    await settle()
    gates["/slow1"].set_result(Response(200, [], b"1"))
    await settle()
    assert [request.path for request in bench.requests] == ["/slow1", "/fast", "/slow2"]
    gates["/slow2"].set_result(Response(200, [], b"2"))
    await settle()
    bodies = [part.partition(HEAD_END)[2] for part in channel.take().split(b"HTTP/1.1 200 OK\r\n")[1:]]
    assert bodies == [b"1", b"/fast", b"2", b"/last"]


async def test_a_flood_of_pipelined_requests_gives_others_their_turn() -> None:
    bench = Bench(limits=Limits(pipeline_turn_s=math.inf))
    channel, answer = bench.exchange(GET % b"a" * 200)
    assert answer.count(b"HTTP/1.1 200") == 64
    await settle()
    assert channel.take().count(b"HTTP/1.1 200") == 136


async def test_a_turn_whose_time_is_over_ends_after_the_request_that_took_it() -> None:
    bench = Bench(limits=Limits(pipeline_turn_s=-1.0))
    _, answer = bench.exchange(GET % b"a" * 200)
    assert answer.count(b"HTTP/1.1 200") == 1


async def test_bytes_behind_a_waiting_request_are_bounded() -> None:
    gate: asyncio.Future[Response] = asyncio.get_running_loop().create_future()
    bench = Bench(lambda request: gate if request.path == "/slow" else Response(200, [], b""))
    channel, _ = bench.exchange(GET % b"slow")
    assert channel.is_reading
    channel.protocol.data_received(GET % b"next" * 5000)
    assert not channel.is_reading
    await settle()
    gate.set_result(Response(200, [], b""))
    for _ in range(100):
        await settle()
    assert channel.is_reading
    assert len(bench.requests) == 5001


async def test_chunked_bodies_are_put_together() -> None:
    bench = Bench()
    head = b"POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
    channel, answer = bench.exchange(head + b"3\r\nabc\r\n", b"2\r\nde\r\n0\r\n", b"\r\n" + GET % b"next")
    assert bench.requests[0].body == b"abcde"
    assert bench.requests[1].path == "/next"
    assert answer.count(b"HTTP/1.1 200") == 2
    assert channel.state == "open"


async def test_100_continue_is_said_when_the_body_is_waited_for() -> None:
    head = b"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n"
    channel, answer = Bench().exchange(head)
    assert answer == b"HTTP/1.1 100 Continue\r\n\r\n"
    channel.protocol.data_received(b"ab")
    assert status_of(channel.take()) == 200
    _, answer = Bench().exchange(head + b"ab")
    assert status_of(answer) == 200


async def test_an_expectation_is_found_among_others() -> None:
    head = b"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\nExpect: tea, 100-Continue\r\nExpect: tea\r\n\r\n"
    _, answer = Bench().exchange(head, b"ab")
    assert answer.startswith(b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n")


async def test_other_expectations_fail() -> None:
    _, answer = Bench().exchange(b"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\nExpect: tea\r\n\r\n")
    assert status_of(answer) == 417
    assert b"Content-Type" not in answer


async def test_head_has_the_length_but_no_body() -> None:
    _, answer = Bench().exchange(b"HEAD /abc HTTP/1.1\r\nHost: h\r\n\r\n")
    assert answer.endswith(b"Content-Length: 4\r\n\r\n")
    big = Bench(lambda request: Response(200, [], [b"x" * 100_000] * 3))
    _, answer = big.exchange(b"HEAD /abc HTTP/1.1\r\nHost: h\r\n\r\n")
    assert answer.endswith(b"Content-Length: 300000\r\n\r\n")


async def test_no_content_has_no_length() -> None:
    _, answer = Bench(lambda request: Response(204, [])).exchange(GET % b"")
    assert b"Content-Length" not in answer
    assert answer.endswith(HEAD_END)


async def test_close_is_answered_with_close() -> None:
    channel, answer = Bench().exchange(b"GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n")
    assert b"\r\nConnection: close\r\n" in answer
    assert channel.state == "closed"


async def test_http_1_0_is_served() -> None:
    channel, answer = Bench().exchange(b"GET / HTTP/1.0\r\n\r\n")
    assert answer.startswith(b"HTTP/1.0 200 OK\r\n")
    assert b"Connection" not in answer, "each connection of HTTP/1.0 ends with its answer"
    assert channel.state == "closed"
    channel, answer = Bench().exchange(b"GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
    assert answer.startswith(b"HTTP/1.0 200 OK\r\n")
    assert b"\r\nConnection: keep-alive\r\n" in answer
    assert channel.state == "open"


@pytest.mark.parametrize(
    ("request_bytes", "code", "text"),
    [
        (b"GET / HTTP/1.1\r\n\r\n", 400, b"400 Bad Request: missing required Host header"),
        (b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 400, b"400 Bad Request"),
        (b"GET / HTTP/1.1\r\nHost: a\r\nX: \x00\r\n\r\n", 400, b"400 Bad Request"),
        (b"GET /\r\n", 400, b"400 Bad Request"),
        (b"GET / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: xchunked\r\n\r\n", 501, b"Unsupported transfer encoding"),
        (b"GET / HTTP/3.0\r\n\r\n", 505, b"505 HTTP Version Not Supported: unsupported protocol version"),
        (b"GET / HTTP/1.1\r\nHost: a\r\nX: " + b"x" * 1_200_000, 431, b"431 Request Header Fields Too Large"),
    ],
)
async def test_bad_heads_are_answered_and_the_connection_ends(request_bytes: bytes, code: int, text: bytes) -> None:
    bench = Bench()
    channel, answer = bench.exchange(request_bytes)
    assert (status_of(answer), body_of(answer)) == (code, text)
    assert b"\r\nConnection: close\r\n" in answer
    assert channel.has_written_eof
    channel.protocol.data_received(GET % b"more")
    assert bench.requests == []
    bench.wait(7)
    assert channel.state == "aborted"


@pytest.mark.parametrize(
    "request_bytes",
    [
        b"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 3145729\r\n\r\n",
        b"POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n300001\r\n",
        b"POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n300000\r\n" + b"x" * 3145728 + b"\r\n1\r\n",
        b"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 3145729\r\nExpect: 100-continue\r\n\r\n",
    ],
)
async def test_bodies_beyond_the_limit_are_refused_before_they_come(request_bytes: bytes) -> None:
    bench = Bench()
    _, answer = bench.exchange(request_bytes)
    assert status_of(answer) == 413
    assert b"Cache-Control: no-cache, private\r\n" in answer
    assert json.loads(body_of(answer)) == {
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Failure",
        "message": "Request entity too large: limit is 3145728",
        "reason": "RequestEntityTooLarge",
        "code": 413,
    }
    assert bench.requests == []


async def test_a_body_of_just_the_limit_passes() -> None:
    bench = Bench()
    bench.exchange(b"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 3145728\r\n\r\n", b"x" * 3_000_000, b"x" * 145_728)
    bench.exchange(b"POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n300000\r\n" + b"x" * 3145728)
    assert len(bench.requests[0].body) == 3145728
    assert len(bench.requests) == 1


async def test_what_is_wrong_with_a_chunk_is_told_to_who_asks_for_the_body() -> None:
    bench = Bench()
    channel, answer = bench.exchange(b"GET / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nGET / H")
    assert status_of(answer) == 200
    assert b"Connection: close" in answer
    assert channel.state == "closed"
    body = bench.requests[0].body
    assert isinstance(body, BrokenBody)
    assert body.fault == "invalid byte in chunk length"


@pytest.mark.parametrize(
    ("line", "path", "query"),
    [
        (b"GET http://other:1/a%2Fb?c=d", "/a%2Fb", "c=d"),
        (b"GET https://other?c", "", "c"),
        (b"GET any.scheme:/a", "/a", ""),
        (b"GET http:a", "", ""),
        (b"GET *", "*", ""),
        (b"OPTIONS /a", "/a", ""),
        (b"CONNECT other:443", "", ""),
        (b"CONNECT /a", "/a", ""),
    ],
)
async def test_targets_may_have_other_forms_than_paths(line: bytes, path: str, query: str) -> None:
    bench = Bench()
    _, answer = bench.exchange(line + b" HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\n", b"ab")
    assert status_of(answer) == 200
    request = bench.requests[0]
    assert (request.path, request.query, request.body) == (path, query, b"ab")


async def test_what_the_server_can_do_no_application_is_asked_for() -> None:
    bench = Bench()
    for pieces in [
        (b"OPTIONS * HTTP/1.1\r\nHost: h\r\n\r\n",),
        (b"OPTIONS * HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\n\r\n", b"x"),
    ]:
        _, answer = bench.exchange(*pieces)
        assert status_of(answer) == 200
        assert b"\r\nContent-Length: 0\r\n" in answer
    assert bench.requests == []


async def test_a_failing_application_cuts_the_connection() -> None:
    async def fail() -> Response:
        raise RuntimeError("bug")

    channel, _ = Bench(lambda request: fail()).exchange(GET % b"")
    asyncio.get_running_loop().set_exception_handler(lambda loop, context: None)
    await settle()
    assert channel.state == "aborted"


@pytest.mark.parametrize(("method", "is_cancelled"), [(b"GET", True), (b"POST", False)])
async def test_when_the_client_leaves_reads_stop_and_writes_go_on(method: bytes, is_cancelled: bool) -> None:
    outcome: list[str] = []
    has_left = asyncio.Event()

    async def work() -> Response:
        try:
            await has_left.wait()
        except asyncio.CancelledError:
            outcome.append("cancelled")
            raise
        outcome.append("done")
        return Response(200, [], b"")

    channel, _ = Bench(lambda request: work()).exchange(method + b" / HTTP/1.1\r\nHost: h\r\n\r\n")
    await settle()
    channel.abort()
    has_left.set()
    await settle()
    assert outcome == ["cancelled" if is_cancelled else "done"]


async def test_a_client_that_has_ended_its_side_gets_its_answers() -> None:
    gate: asyncio.Future[Response] = asyncio.get_running_loop().create_future()
    bench = Bench(lambda request: gate if request.path == "/slow" else Response(200, [], b"2"))
    channel, _ = bench.exchange(GET % b"slow" + GET % b"b")
    assert channel.protocol.eof_received() is True
    await settle()
    gate.set_result(Response(200, [], b"1"))
    await settle()
    assert channel.take().count(b"HTTP/1.1 200 OK") == 2
    assert channel.state == "closed"
    channel, _ = bench.exchange()
    assert channel.protocol.eof_received() is False


async def test_large_bodies_wait_for_a_slow_client() -> None:
    pieces = [b"%07d\n" % i for i in range(200_000)]
    bench = Bench(lambda request: Response(200, [], pieces))
    channel = bench.connect()
    channel.is_reading_client = False
    channel.protocol.data_received(GET % b"a" + GET % b"b")
    assert channel.buffered < 1_000_000
    assert len(bench.requests) == 1
    answer = channel.take()
    while len(answer) < 1_600_000:
        channel.catch_up()
        channel.is_reading_client = False
        await asyncio.sleep(0)
        answer += channel.take()
    channel.catch_up()
    assert body_of(answer)[:1_600_000] == b"".join(pieces)
    assert len(bench.requests) == 2


async def test_a_single_large_body_is_cut_in_pieces() -> None:
    body = bytes(range(256)) * 8192
    channel, answer = Bench(lambda request: Response(200, [], body)).exchange(GET % b"a")
    while len(answer) < len(body):
        await asyncio.sleep(0)
        answer += channel.take()
    assert body_of(answer) == body


@pytest.mark.parametrize("pieces", [[b"x" * 20_000_000], [b"x" * 100] * 100_000])
async def test_a_client_that_reads_quickly_gets_so_much_of_an_answer_in_one_turn_of_the_loop(
    pieces: list[bytes],
) -> None:
    channel, begun = Bench(lambda request: Response(200, [], pieces)).exchange(GET % b"a")
    turns = [len(begun)]
    while sum(turns) < sum(map(len, pieces)):
        await asyncio.sleep(0)
        turns.append(len(channel.take()))
    assert max(turns) <= bodies.TURN_BYTES + 4096  # and what HTTP adds
    assert len(turns) >= sum(turns) // bodies.TURN_BYTES


async def test_a_client_that_leaves_between_two_turns_is_written_nothing_more() -> None:
    channel, _ = Bench(lambda request: Response(200, [], [b"x" * 20_000_000])).exchange(GET % b"a")
    channel.close()
    await asyncio.sleep(0)
    assert not channel.take()


@pytest.mark.parametrize(
    ("accept", "size", "is_compressible", "is_compressed"),
    [
        (b"gzip", 131073, True, True),
        (b"deflate, gzip", 131073, True, True),
        (b"gzip;q=1", 131073, True, False),
        (b"gzip", 131072, True, False),
        (b"gzip", 131073, False, False),
        (b"", 131073, True, False),
    ],
)
async def test_large_answers_are_compressed_when_asked_for(
    accept: bytes, size: int, is_compressible: bool, is_compressed: bool
) -> None:
    body = b"abcdefgh" * (size // 8) + b"x" * (size % 8)
    bench = Bench(lambda request: Response(200, [], [body[:1000], body[1000:]], compressible=is_compressible))
    channel, sent = bench.exchange(
        b"GET / HTTP/1.1\r\nHost: h\r\nAccept-Encoding: " + accept + b"\r\n\r\n" + GET % b"b"
    )
    await until(lambda: len(bench.requests) == 2)
    first = (sent + channel.take()).split(b"HTTP/1.1 200 OK\r\n")[1]
    assert (b"Content-Encoding: gzip\r\nVary: Accept-Encoding\r\n" in first) == is_compressed
    content = body_of(first)
    assert (gzip.decompress(unchunk(content)) if is_compressed else content) == body


def unchunk(data: bytes) -> bytes:
    whole, at = b"", 0
    while size := int(data[at : data.index(b"\r\n", at)], 16):
        begin = data.index(b"\r\n", at) + 2
        whole += data[begin : begin + size]
        at = begin + size + 2
    assert data[at:] == b"0\r\n\r\n"
    return whole


def has_answer(sent: bytes, *, has_content: bool) -> bool:
    """Whether all of one answer has been sent."""
    head, end, content = sent.partition(HEAD_END)
    if not end or not has_content:
        return bool(end)
    length = re.search(rb"Content-Length: (\d+)", head)
    return content.endswith(b"0\r\n\r\n") if length is None else len(content) >= int(length[1])


@pytest.mark.parametrize("version", [b"1.0", b"1.1"])
@pytest.mark.parametrize("method", [b"GET", b"HEAD"])
async def test_compressed_answers_have_a_length_where_there_are_no_chunks(method: bytes, version: bytes) -> None:
    bench = Bench(lambda request: Response(200, [], b"x" * 200_000, compressible=True))
    channel = bench.connect()
    fields = b"Host: h\r\nAccept-Encoding: gzip\r\nConnection: keep-alive\r\n\r\n"
    channel.protocol.data_received(method + b" / HTTP/" + version + b"\r\n" + fields)
    await until(lambda: has_answer(bytes(channel.sent), has_content=method == b"GET"))
    head, _, content = channel.take().partition(HEAD_END)
    assert b"Content-Encoding: gzip" in head
    assert (b"Transfer-Encoding: chunked" in head) == ((method, version) == (b"GET", b"1.1"))
    if method == b"HEAD":
        assert content == b""
    else:
        assert gzip.decompress(content if version == b"1.0" else unchunk(content)) == b"x" * 200_000
    channel.protocol.data_received(GET % b"next")
    await until(lambda: has_answer(bytes(channel.sent), has_content=True))
    assert status_of(channel.take()) == 200


async def test_a_compressed_answer_waits_for_its_client() -> None:
    """However large the list, so much is held for one who does not read, and he is cut off."""
    noise = random.Random(1).randbytes(1_000_000)  # does not get smaller
    bench = Bench(lambda request: Response(200, [], [noise] * 20, compressible=True))
    channel = bench.connect()
    channel.is_reading_client = False
    channel.protocol.data_received(b"GET / HTTP/1.1\r\nHost: h\r\nAccept-Encoding: gzip\r\n\r\n")
    await until(lambda: channel.buffered > channel.high)
    await asyncio.sleep(0.1)
    assert channel.buffered < 1_000_000
    channel.catch_up(is_slow=True)
    await until(lambda: channel.buffered > channel.high)
    bench.wait(32)
    assert channel.state == "aborted"
    assert len(channel.sent) < 3_000_000


async def test_a_compressed_answer_arrives_whole_however_slowly_it_is_read() -> None:
    noise = random.Random(2).randbytes(3_000_000)
    bench = Bench(lambda request: Response(200, [], [noise], compressible=True))
    channel = bench.connect()
    channel.is_reading_client = False
    channel.protocol.data_received(b"GET / HTTP/1.1\r\nHost: h\r\nAccept-Encoding: gzip\r\n\r\n")
    while not channel.sent.endswith(b"\r\n0\r\n\r\n"):
        await until(lambda: channel.buffered > channel.high or channel.sent.endswith(b"\r\n0\r\n\r\n"))
        channel.catch_up(is_slow=True)
    assert gzip.decompress(unchunk(body_of(channel.take()))) == noise
    channel.is_reading_client = True
    await settle()
    channel.protocol.data_received(GET % b"next")
    await until(lambda: len(bench.requests) == 2)


async def test_connections_are_counted_and_limited() -> None:
    bench = Bench(limits=Limits(connections_max=2))
    first, second, third = bench.connect(), bench.connect(), bench.connect()
    assert third.state == "refused"
    assert (bench.server.connections_count, bench.server.accepted_total, bench.server.rejected_total) == (2, 2, 1)
    first.close()
    second.abort()
    assert bench.server.connections_count == 0
    assert bench.connect().state == "open"
