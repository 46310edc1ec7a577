"""Times of years that Python's calendar does not have."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quarterdeck.apimachinery import moments, time
from quarterdeck.apimachinery.codec import protobuf_decode, protobuf_encode
from quarterdeck.schema.goscalar import decode_scalar
from quarterdeck.schema.gotype import MICRO_TIME, TIME

# What is sent, and what Go writes for it; MicroTime's fraction is put before the zone.
BEYOND = [
    ("9999-12-31T23:59:59", "-10:00", "10000-01-01T09:59:59"),
    ("9999-12-31T23:59:59", "Z", "9999-12-31T23:59:59"),
    ("0000-01-01T00:00:00", "+10:00", "-0001-12-31T14:00:00"),
    ("0000-02-29T00:00:00", "Z", "0000-02-29T00:00:00"),
    ("0000-12-31T23:00:00", "-24:60", "0001-01-02T00:00:00"),
    ("2020-02-29T01:02:03", "+01:00", "2020-02-29T00:02:03"),
]


@pytest.mark.parametrize(("sent", "zone", "shown"), BEYOND)
def test_a_time_may_leave_the_years_of_four_digits(sent: str, zone: str, shown: str) -> None:
    assert decode_scalar(f"{sent}{zone}", TIME, "") == f"{shown}Z"
    assert decode_scalar(f"{sent}.000001{zone}", MICRO_TIME, "") == f"{shown}.000001Z"
    assert decode_scalar(f"{sent}.999999{zone}", MICRO_TIME, "") == f"{shown}.999999Z"


@given(st.integers(-(2**50), 2**50), st.integers(0, 999_999))
def test_what_is_shown_is_read_again(seconds: int, microseconds: int) -> None:
    shown = moments.show(seconds)
    assert moments.read(f"{shown}Z") == (seconds, 0)
    assert moments.read(f"{shown}.{microseconds:06d}Z") == (seconds, microseconds)


@given(st.datetimes(datetime(1, 1, 1), datetime(9999, 12, 31, 23, 59, 59)))
def test_years_of_four_digits_are_those_of_pythons_calendar(moment: datetime) -> None:
    seconds = (moment.replace(tzinfo=UTC) - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(seconds=1)
    assert moments.show(seconds) == moment.replace(microsecond=0).isoformat()


@pytest.mark.parametrize("text", ["", "10000-01-01T00:00:00", "2023-02-29T00:00:00Z", "2023-02-28T24:00:00Z"])
def test_other_texts_are_none(text: str) -> None:
    assert moments.read(text) is None


@pytest.mark.parametrize("text", ["10000-01-01T09:59:59", "-0001-12-31T14:00:00", "0000-02-29T00:00:00"])
def test_a_protobuf_message_holds_any_year(text: str) -> None:
    spec = {"acquireTime": f"{text}.000001Z", "renewTime": f"{text}.123456Z"}
    kind = {"apiVersion": "coordination.k8s.io/v1", "kind": "Lease"}
    made = protobuf_encode.encode({**kind, "metadata": {"name": "a", "creationTimestamp": f"{text}Z"}, "spec": spec})
    assert made is not None
    read = protobuf_decode.decode_raw(protobuf_decode.open_envelope(made, *kind.values()))
    assert read["spec"] == spec
    assert read["metadata"]["creationTimestamp"] == f"{text}Z"


@pytest.mark.parametrize(("text", "age"), [("10000-01-01T09:59:59Z", "<invalid>"), ("-0001-12-31T14:00:00Z", "292y")])
def test_ages_of_such_times(text: str, age: str) -> None:
    assert time.human_age(text, 1.8e9) == age
