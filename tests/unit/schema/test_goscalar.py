"""Scalars of built-in kinds as Go reads them."""

from __future__ import annotations

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quarterdeck.schema.godecode import Decoder
from quarterdeck.schema.goscalar import DecodeError, decode_scalar
from quarterdeck.schema.gotype import BYTES, MICRO_TIME, TIME, Field, Struct

ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"


def stop_of(text: str) -> int | None:
    """Where Go's decoder stops, quantum by quantum and byte by byte."""
    data, at = text.encode(), 0
    while at < len(data):
        taken = 0
        while taken < 4:
            if at == len(data):
                return at - taken if taken else None
            byte = data[at : at + 1]
            at += 1
            if byte in b"\r\n":
                continue
            if byte.decode("latin-1") in ALPHABET:
                taken += 1
                continue
            if byte != b"=" or taken < 2:
                return at - 1
            while data[at : at + 1] in (b"\r", b"\n"):
                at += 1
            if taken == 2:
                if at == len(data):
                    return at
                if data[at : at + 1] != b"=":
                    return at - 1
                at += 1
            while data[at : at + 1] in (b"\r", b"\n"):
                at += 1
            return at if at < len(data) else None
    return None


@given(st.text(alphabet="AQ=\r\n!é", max_size=12))
def test_bytes_are_refused_where_go_stops(text: str) -> None:
    stop = stop_of(text)
    if stop is None:
        content = base64.b64decode(text.replace("\r", "").replace("\n", ""))
        assert decode_scalar(text, BYTES, "") == base64.b64encode(content).decode()
        return
    with pytest.raises(DecodeError) as refusal:
        decode_scalar(text, BYTES, "")
    assert str(refusal.value) == f"illegal base64 data at input byte {stop}"


@pytest.mark.parametrize(
    ("sent", "kept"), [("YR==", "YQ=="), ("YWJ=", "YWI="), ("Y\nQ==\r\n", "YQ=="), ("YWJj", "YWJj")]
)
def test_bytes_are_kept_as_go_writes_them(sent: str, kept: str) -> None:
    assert decode_scalar(sent, BYTES, "") == kept


@pytest.mark.parametrize("text", ["0001-01-01T00:00:00Z", "0001-01-01T01:00:00+01:00"])
def test_the_zero_time_is_null(text: str) -> None:
    assert decode_scalar(text, TIME, "") is None
    assert decode_scalar("0001-01-01T00:00:01Z", TIME, "") == "0001-01-01T00:00:01Z"
    assert decode_scalar("0001-01-01T00:00:00.000000Z", MICRO_TIME, "") is None
    struct = Struct("S", {"at": Field(TIME, always=True), "since": Field(TIME, pointer=True), "s": Field(TIME)})
    made = Decoder(report_unknown=False).decode_struct({"at": text, "since": text, "s": text}, struct)
    assert made == {"at": None, "since": None}


@pytest.mark.parametrize(
    ("zone", "fault"),
    [
        ("+25:00", ": time zone offset hour out of range"),
        ("-01:61", ": time zone offset minute out of range"),
        ("+25:61", ": time zone offset minute out of range"),
        ("+25:00 ", ": time zone offset hour out of range"),
        ("+24:60 ", ': extra text: " "'),
    ],
)
def test_offsets_that_go_does_not_have(zone: str, fault: str) -> None:
    for text, kind in ((f"2024-02-30T01:02:03{zone}", TIME), (f"2024-02-30T01:02:03.000000{zone}", MICRO_TIME)):
        with pytest.raises(DecodeError) as refusal:
            decode_scalar(text, kind, "")
        assert str(refusal.value) == f'parsing time "{text}"{fault}'
