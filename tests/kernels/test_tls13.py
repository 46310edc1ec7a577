"""Records of TLS 1.3 without OpenSSL's connection, against a client that puts its own together: what RFC 8446 allows is
taken, what it forbids ends the connection with the alert that it names."""

from __future__ import annotations

import gc
import random
import ssl
import sys
from pathlib import Path

import pytest

from quarterdeck._kernels import tls13, tlscipher, tlsrecords, tlssealer, tlssecrets
from reference.tls13 import ALERT, DATA, HANDSHAKE, Direction, read_secrets
from support.tls_pairs import LIBRARY, Ends, Way, prepare_context

UPDATE, UPDATE_AND_ANSWER = b"\x18\x00\x00\x01\x00", b"\x18\x00\x00\x01\x01"
CLOSE_NOTIFY, USER_CANCELED = b"\x01\x00", b"\x01\x5a"
UNEXPECTED_MESSAGE, BAD_RECORD_MAC, RECORD_OVERFLOW, ILLEGAL_PARAMETER, DECODE_ERROR = 10, 20, 22, 47, 50
SUITES = ["TLS_AES_128_GCM_SHA256", "TLS_AES_256_GCM_SHA384"]


@pytest.fixture(scope="module", params=SUITES)
def context(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> ssl.SSLContext:
    return prepare_context(tmp_path_factory.mktemp("tls13"), request.param)


class Connection:
    """`client` seals what the client sends, `server` opens what the server does."""

    def __init__(self, context: ssl.SSLContext, folder: Path, records_max: int = tls13.RECORDS_MAX) -> None:
        log = folder / f"keys-{random.getrandbits(64):x}"
        self.ends = Ends(context, Way.KEYS, records_max, log)
        secrets = read_secrets(log)
        self.records = self.ends.records
        self.client = Direction(secrets["CLIENT_TRAFFIC_SECRET_0"])
        self.server = Direction(secrets["SERVER_TRAFFIC_SECRET_0"])

    def says(self, *records: bytes) -> bytes:
        return self.records.read(b"".join(records))

    def answers(self, data: bytes) -> list[tuple[int, bytes]]:
        sealed = self.records.write(data)
        assert sealed is not None
        return self.server.open(sealed)

    def is_over(self, alert: int) -> None:
        """It has ended, for a reason that the client is told."""
        assert self.records.state == tlsrecords.BROKEN
        assert self.server.open(self.records.take_output()) == [(ALERT, bytes([2, alert]))]
        assert self.records.take_output() == b""
        assert self.records.write(b"more") is None
        assert self.records.goodbye() == b""
        assert self.says(self.client.seal(DATA, b"more")) == b""


@pytest.fixture
def connection(context: ssl.SSLContext, tmp_path: Path) -> Connection:
    return Connection(context, tmp_path)


@pytest.mark.parametrize("size", [1, 15, 16, 17, 1_900, 16_383, 16_384])
def test_records_are_those_of_the_rfc(connection: Connection, size: int) -> None:
    data = random.Random(size).randbytes(size)
    for _ in range(300 if size < 100 else 3):  # the numbers of records go beyond a byte
        assert connection.says(connection.client.seal(DATA, data)) == data
        assert connection.answers(data) == [(DATA, data)]


@pytest.mark.parametrize("padding", [1, 100, 255])
def test_padding_is_no_data(connection: Connection, padding: int) -> None:
    client = connection.client
    assert connection.says(client.seal(DATA, b"one\x00", padding), client.seal(DATA, b"two")) == b"one\x00two"
    assert connection.says(client.seal(DATA, b"x" * (16_384 - padding), padding)) == b"x" * (16_384 - padding)
    assert connection.records.state == tlsrecords.OPEN


def test_new_keys_are_used_from_the_next_record_on(connection: Connection) -> None:
    client = connection.client
    for generation in range(5):
        said = client.seal(DATA, b"before") + client.seal(HANDSHAKE, UPDATE)
        client.advance()
        assert connection.says(said, client.seal(DATA, b"after")) == b"beforeafter"
        assert connection.answers(b"%d" % generation) == [(DATA, b"%d" % generation)]  # nobody has asked for others


@pytest.mark.parametrize("times", [1, 3])
def test_who_asks_for_new_keys_gets_them_once_before_more_data(connection: Connection, times: int) -> None:
    client = connection.client
    for _ in range(times):
        assert connection.says(client.seal(HANDSHAKE, UPDATE_AND_ANSWER)) == b""
        client.advance()
    assert connection.records.state == tlsrecords.OPEN
    assert connection.answers(b"data") == [(HANDSHAKE, UPDATE), (DATA, b"data")]
    assert connection.answers(b"more") == [(DATA, b"more")]


def test_a_change_of_keys_may_come_in_parts(connection: Connection) -> None:
    client = connection.client
    for at in range(1, 5):
        assert connection.says(client.seal(HANDSHAKE, UPDATE[:at]), client.seal(HANDSHAKE, UPDATE[at:])) == b""
        client.advance()
        assert connection.says(client.seal(DATA, b"after")) == b"after"


def test_keys_that_are_used_up_are_changed(context: ssl.SSLContext, tmp_path: Path) -> None:
    connection = Connection(context, tmp_path, records_max=4)
    answered = [connection.answers(b"%d" % number) for number in range(10)]
    assert [b"".join(data for kind, data in each if kind == DATA) for each in answered] == [
        b"%d" % number for number in range(10)
    ]
    assert [number for number, each in enumerate(answered) if each[0] == (HANDSHAKE, UPDATE)] == [4, 8]
    assert [kind for kind, _ in connection.answers(b"x" * 16_384 * 3)] == [DATA, DATA, HANDSHAKE, DATA]
    pair = Ends(context, Way.KEYS, records_max=1)
    for number in range(5):
        assert pair.read_by_client(pair.records.write(b"%d" % number)) == b"%d" % number


def test_an_alert_that_cancels_is_passed_over(connection: Connection) -> None:
    client = connection.client
    assert connection.says(client.seal(ALERT, USER_CANCELED), client.seal(DATA, b"data")) == b"data"
    assert connection.records.state == tlsrecords.OPEN


@pytest.mark.parametrize("level", [1, 2])
def test_a_goodbye_ends_what_the_client_says(connection: Connection, level: int) -> None:
    client = connection.client
    said = client.seal(DATA, b"last"), client.seal(ALERT, bytes([level, 0])), client.seal(DATA, b"too late")
    assert connection.says(*said) == b"last"
    assert connection.records.state == tlsrecords.ENDED
    assert connection.answers(b"answer") == [(DATA, b"answer")]
    assert connection.server.open(connection.records.goodbye()) == [(ALERT, CLOSE_NOTIFY)]
    assert connection.records.write(b"more") is None


@pytest.mark.parametrize("alert", [10, 20, 40, 42, 80, 90 + 1])
def test_any_other_alert_ends_the_connection_without_an_answer(connection: Connection, alert: int) -> None:
    client = connection.client
    assert connection.says(client.seal(DATA, b"last"), client.seal(ALERT, bytes([1, alert]))) == b"last"
    assert connection.records.state == tlsrecords.BROKEN
    assert connection.records.take_output() == b""
    assert connection.records.write(b"more") is None


@pytest.mark.parametrize("size", [0, 1, 3])
def test_an_alert_has_two_bytes(connection: Connection, size: int) -> None:
    connection.says(connection.client.seal(ALERT, b"\x01" * size))
    connection.is_over(DECODE_ERROR)


@pytest.mark.parametrize("kind", [1, 20, 24, 255])
def test_nothing_but_data_alerts_and_messages(connection: Connection, kind: int) -> None:
    assert connection.says(connection.client.seal(DATA, b"a"), connection.client.seal(kind, b"data")) == b"a"
    connection.is_over(UNEXPECTED_MESSAGE)


def test_a_record_of_no_kind(connection: Connection) -> None:
    connection.says(connection.client.seal_inner(b"\x00" * 10))
    connection.is_over(UNEXPECTED_MESSAGE)


@pytest.mark.parametrize(
    ("messages", "alert"),
    [
        ([b""], UNEXPECTED_MESSAGE),
        ([b"\x01\x00\x00\x01\x00"], UNEXPECTED_MESSAGE),
        ([b"\x0b\x00\x00"], UNEXPECTED_MESSAGE),
        ([UPDATE + b"\x18"], UNEXPECTED_MESSAGE),
        ([UPDATE + UPDATE], UNEXPECTED_MESSAGE),
        ([UPDATE[:3], UPDATE[3:] + UPDATE], UNEXPECTED_MESSAGE),
        ([b"\x18\x00\x00\x02\x00"], DECODE_ERROR),
        ([b"\x18\x01\x00\x01\x00"], DECODE_ERROR),
        ([b"\x18\x00\x00\x01\x02"], ILLEGAL_PARAMETER),
        ([b"\x18\x00\x00\x01\xff"], ILLEGAL_PARAMETER),
    ],
)
def test_other_messages_are_refused(connection: Connection, messages: list[bytes], alert: int) -> None:
    connection.says(*(connection.client.seal(HANDSHAKE, message) for message in messages))
    connection.is_over(alert)


@pytest.mark.parametrize("kind", [DATA, ALERT])
def test_nothing_comes_between_the_parts_of_a_message(connection: Connection, kind: int) -> None:
    client = connection.client
    assert connection.says(client.seal(HANDSHAKE, UPDATE[:2]), client.seal(kind, CLOSE_NOTIFY)) == b""
    connection.is_over(UNEXPECTED_MESSAGE)


def test_records_without_data_are_not_taken_for_ever(connection: Connection) -> None:
    client = connection.client
    for _ in range(3):  # what brings data in between begins anew
        empty = [client.seal(DATA, b"") for _ in range(32)]
        assert connection.says(*empty, client.seal(DATA, b"data")) == b"data"
    connection.says(*(client.seal(DATA, b"") for _ in range(33)))
    connection.is_over(UNEXPECTED_MESSAGE)


def test_a_record_may_hold_so_much(connection: Connection) -> None:
    connection.says(connection.client.seal(DATA, b"x" * 16_385))
    connection.is_over(RECORD_OVERFLOW)


@pytest.mark.parametrize(
    ("header", "alert"),
    [
        (b"\x17\x03\x03\x41\x01", RECORD_OVERFLOW),
        (b"\x17\x03\x03\xff\xff", RECORD_OVERFLOW),
        (b"\x17\x03\x03\x00\x00", DECODE_ERROR),
        (b"\x17\x03\x03\x00\x10", DECODE_ERROR),
        (b"\x15\x03\x03\x00\x02", UNEXPECTED_MESSAGE),  # in the clear
        (b"\x16\x03\x01\x02\x00", UNEXPECTED_MESSAGE),
        (b"\x14\x03\x03\x00\x01", UNEXPECTED_MESSAGE),
        (b"GET /", UNEXPECTED_MESSAGE),
    ],
)
def test_what_is_no_record_ends_the_connection_by_its_header(connection: Connection, header: bytes, alert: int) -> None:
    assert connection.says(connection.client.seal(DATA, b"good"), header[:3]) == b"good"
    assert connection.records.state == tlsrecords.OPEN
    assert connection.says(header[3:]) == b""
    connection.is_over(alert)


@pytest.mark.parametrize("place", [0, 1, 2, 4, 5, 6, -17, -16, -1])
def test_a_bit_that_was_changed_is_found(connection: Connection, place: int) -> None:
    good, bad = connection.client.seal(DATA, b"good"), bytearray(connection.client.seal(DATA, b"x" * 50))
    bad[place] ^= 1
    assert connection.says(good, bytes(bad), bytes(20)) == b"good"
    connection.is_over(UNEXPECTED_MESSAGE if place == 0 else BAD_RECORD_MAC)


def test_records_left_out_doubled_or_in_another_order_are_found(context: ssl.SSLContext, tmp_path: Path) -> None:
    for order in ([1], [0, 0], [1, 0], [0, 2]):
        connection = Connection(context, tmp_path)
        sealed = [connection.client.seal(DATA, b"%d" % number) for number in range(3)]
        assert connection.says(*(sealed[number] for number in order)) == (b"0" if order[0] == 0 else b"")
        connection.is_over(BAD_RECORD_MAC)


@pytest.mark.parametrize("seed", range(10))
def test_the_network_cuts_anywhere_and_everything_mixes(connection: Connection, seed: int) -> None:
    chance = random.Random(seed)
    client, expected, said, idle = connection.client, b"", b"", 0
    for _ in range(100):
        kind = chance.choice(["data", "data", "data", "empty", "update", "ask", "cancel"])
        idle = 0 if kind == "data" else idle + 1
        if kind == "data" or idle > 30:
            data = chance.randbytes(chance.choice([1, 10, 2_000, 16_384]))
            expected += data
            said += client.seal(DATA, data)
        elif kind == "empty":
            said += client.seal(DATA, b"", chance.choice([0, 5]))
        elif kind == "cancel":
            said += client.seal(ALERT, USER_CANCELED)
        else:
            said += client.seal(HANDSHAKE, UPDATE if kind == "update" else UPDATE_AND_ANSWER)
            client.advance()
    read = b""
    while said:
        size = chance.choice([1, 3, 5, 100, 5_000, 70_000])
        read += connection.says(said[:size])
        assert connection.records.state == tlsrecords.OPEN
        said = said[size:]
        if chance.random() < 0.2:
            assert connection.answers(b"answer")[-1] == (DATA, b"answer")
    assert read == expected


def test_openssls_connection_is_let_go(context: ssl.SSLContext) -> None:
    pair = Ends(context, Way.KEYS)
    inner = pair.server._sslobj  # type: ignore[attr-defined]
    del pair.server
    gc.collect()
    assert sys.getrefcount(inner) == 2  # the local name, and the call's argument
    del inner
    assert pair.read_by_client(pair.records.write(b"data")) == b"data"
    assert pair.records.read(pair.sent_by_client(b"data")) == b"data"


def test_connections_whose_keys_are_not_known_or_not_for_this_are_left_to_openssl(tmp_path: Path) -> None:
    def built(context: ssl.SSLContext, way: Way, suite: str = "") -> tls13.Records | None:
        server = Ends(context, way).server
        cipher = server.cipher()
        assert cipher is not None
        return tls13.build_records(server._sslobj, context, suite or cipher[0])  # type: ignore[attr-defined]

    context = prepare_context(tmp_path)
    assert built(context, Way.OPENSSL_13) is not None
    assert built(context, Way.OPENSSL_12) is None
    assert built(context, Way.OPENSSL_13, "TLS_AES_128_CCM_SHA256") is None
    chacha = prepare_context(tmp_path, "TLS_CHACHA20_POLY1305_SHA256")
    assert built(chacha, Way.OPENSSL_13) is None
    assert built(prepare_context(tmp_path, SUITES[1]), Way.OPENSSL_13, SUITES[0]) is None  # its secrets are longer


def test_a_handshake_that_is_not_done_has_no_records(context: ssl.SSLContext) -> None:
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    server = context.wrap_bio(incoming, outgoing, server_side=True)
    trusting = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    trusting.check_hostname, trusting.verify_mode = False, ssl.CERT_NONE
    hello = ssl.MemoryBIO()
    client = trusting.wrap_bio(ssl.MemoryBIO(), hello)
    with pytest.raises(ssl.SSLWantReadError):
        client.do_handshake()
    incoming.write(hello.read())
    with pytest.raises(ssl.SSLWantReadError):
        server.do_handshake()  # its secrets are known now
    for suite in SUITES:
        assert tls13.build_records(server._sslobj, context, suite) is None  # type: ignore[attr-defined]


def test_a_library_without_the_functions_is_told(context: ssl.SSLContext, tmp_path: Path) -> None:
    nowhere = str(tmp_path / "no such library")
    assert not tlscipher.prepare(nowhere)
    assert not tls13.prepare(nowhere)
    assert not tlssealer.prepare(nowhere)
    assert not tlssecrets.prepare(context, nowhere, context.options & 0xFFFFFFFFFFFFFFFF)
    assert not tlssecrets.prepare(context, LIBRARY, 1)  # not what Python tells of the context
