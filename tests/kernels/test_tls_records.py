"""Records of TLS by the kernel: what one side writes is what the other one reads, however the network cuts it."""

from __future__ import annotations

import _ssl
import ctypes
import random
import ssl
from pathlib import Path

import pytest

from quarterdeck._kernels import tlsrecords
from support.tls_pairs import LIBRARY, Ends, Way, prepare_context

_SSL_OFFSET = object.__basicsize__ + ctypes.sizeof(ctypes.c_void_p)  # of the SSL in an _ssl._SSLSocket
_UPDATE_REQUESTED = 1


@pytest.fixture(scope="module")
def context(tmp_path_factory: pytest.TempPathFactory) -> ssl.SSLContext:
    return prepare_context(tmp_path_factory.mktemp("records"))


@pytest.fixture(params=list(Way), ids=lambda way: way.value)
def pair(context: ssl.SSLContext, request: pytest.FixtureRequest) -> Ends:
    return Ends(context, request.param)


@pytest.fixture(params=[Way.OPENSSL_12, Way.OPENSSL_13], ids=lambda way: way.value)
def openssls(context: ssl.SSLContext, request: pytest.FixtureRequest) -> Ends:
    return Ends(context, request.param)


@pytest.fixture(params=[Way.OPENSSL_13, Way.KEYS], ids=lambda way: way.value)
def newer(context: ssl.SSLContext, request: pytest.FixtureRequest) -> Ends:
    return Ends(context, request.param)


def inner(connection: ssl.SSLObject) -> ctypes.c_void_p:
    return ctypes.c_void_p.from_address(id(connection._sslobj) + _SSL_OFFSET)  # type: ignore[attr-defined]


SIZES = [1, 2, 41, 42, 43, 700, 16_383, 16_384, 16_385, 32_768, 100_000, 1_000_000]


@pytest.mark.parametrize("size", SIZES)
def test_a_client_reads_what_was_written(pair: Ends, size: int) -> None:
    data = random.Random(size).randbytes(size)
    for _ in range(2):
        assert pair.read_by_client(pair.records.write(data)) == data


@pytest.mark.parametrize("size", SIZES)
def test_what_a_client_writes_is_read_at_once(pair: Ends, size: int) -> None:
    data = random.Random(size).randbytes(size)
    for _ in range(2):
        assert pair.records.read(pair.sent_by_client(data)) == data
        assert pair.records.state == tlsrecords.OPEN


@pytest.mark.parametrize("seed", range(20))
def test_the_network_cuts_records_anywhere(pair: Ends, seed: int) -> None:
    chance = random.Random(seed)
    data = chance.randbytes(chance.choice([10, 1_000, 20_000, 200_000]))
    sealed = pair.sent_by_client(data)
    read = b""
    while sealed:
        size = chance.choice([1, 4, 5, 6, 100, 17_000, 70_000])
        read += pair.records.read(sealed[:size])
        assert pair.records.state == tlsrecords.OPEN
        sealed = sealed[size:]
    assert read == data
    assert pair.records.read(b"") == b""


def test_nothing_is_no_record(pair: Ends) -> None:
    assert pair.records.write(b"") == b""
    assert pair.records.read(b"") == b""
    assert pair.records.state == tlsrecords.OPEN


def test_a_goodbye_comes_behind_what_was_said_before_it(pair: Ends) -> None:
    said = pair.sent_by_client(b"one") + pair.sent_by_client(b"two")
    with pytest.raises(ssl.SSLWantReadError):
        pair.client.unwrap()
    assert pair.records.read(said + pair.from_client.read()) == b"onetwo"
    assert pair.records.state == tlsrecords.ENDED
    assert pair.read_by_client(pair.records.write(b"answer")) == b"answer"  # this side goes on until it says so


@pytest.mark.parametrize("place", [0, 3, 10, -1])
def test_a_record_that_was_changed_breaks_the_connection(pair: Ends, place: int) -> None:
    good, bad = pair.sent_by_client(b"good"), bytearray(pair.sent_by_client(b"bad, as it turns out"))
    bad[place] ^= 0x40
    assert pair.records.read(good + bytes(bad)) == b"good"
    if place == 3:  # its length: more is waited for
        pair.records.read(bytes(20_000))
    assert pair.records.state == tlsrecords.BROKEN
    assert pair.records.take_output()  # why, in an alert
    assert pair.records.write(b"anything") is None
    other = Ends(pair.server.context, Way.OPENSSL_13)  # what failed is not taken for another connection's
    assert other.records.read(other.sent_by_client(b"x")) == b"x"
    assert other.records.state == tlsrecords.OPEN
    assert other.read_by_client(other.records.write(b"y")) == b"y"


def test_new_keys_are_answered_before_what_is_written_next(newer: Ends) -> None:
    library = ctypes.CDLL(_ssl.__file__)
    assert library.SSL_key_update(inner(newer.client), _UPDATE_REQUESTED) == 1
    assert newer.records.read(newer.sent_by_client(b"with new keys")) == b"with new keys"
    assert newer.records.state == tlsrecords.OPEN
    assert newer.read_by_client(newer.records.write(b"x" * 40_000)) == b"x" * 40_000
    assert newer.records.read(newer.sent_by_client(b"and on")) == b"and on"
    assert newer.records.state == tlsrecords.OPEN


def test_what_waits_to_be_sent_is_told(openssls: Ends) -> None:
    pair = openssls
    pair.server.write(b"one")  # as what TLS itself has to say does, it waits in the buffer
    assert pair.records.read(pair.sent_by_client(b"x")) == b"x"
    assert pair.records.state == tlsrecords.HAS_OUTPUT
    assert pair.read_by_client(pair.records.write(b"two")) == b"onetwo"
    assert pair.records.read(b"") == b""
    assert pair.records.state == tlsrecords.OPEN


def test_records_may_be_read_and_written_by_python_too(openssls: Ends) -> None:
    pair = openssls
    assert pair.records.read(pair.sent_by_client(b"one")) == b"one"
    pair.server.write(b"two")
    assert pair.read_by_client(pair.outgoing.read()) == b"two"
    assert pair.read_by_client(pair.records.write(b"three")) == b"three"


def test_this_side_says_goodbye_once_and_nothing_behind_it(pair: Ends) -> None:
    sealed = pair.records.write(b"last")
    assert sealed is not None
    goodbye = pair.records.goodbye()
    assert pair.read_by_client(sealed) == b"last"
    assert goodbye
    pair.to_client.write(goodbye)
    assert pair.client.read(1) == b""  # the end
    assert pair.records.write(b"more") is None


def test_a_library_without_the_functions_is_told(tmp_path: Path) -> None:
    assert not tlsrecords.prepare(str(tmp_path / "no such library"))
    assert tlsrecords.prepare(LIBRARY)
