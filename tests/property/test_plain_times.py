"""Metadata with the usual form of time needs no decoding: on every day of the calendar, and on no other."""

from __future__ import annotations

import datetime

from hypothesis import example, given
from hypothesis import strategies as st

from quarterdeck._kernels import plainmeta
from quarterdeck.apimachinery import layouts
from quarterdeck.schema import metadecode, timestamps

moments = st.datetimes().map(lambda moment: moment.replace(microsecond=0, tzinfo=datetime.UTC))
two_digits = st.integers(0, 99).map("{:02}".format)
texts = st.tuples(st.sampled_from(["00", "19", "20"]), *[two_digits] * 6).map(
    lambda parts: "{}{}-{}-{}T{}:{}:{}Z".format(*parts)
)


def is_plain(text: str) -> bool:
    return plainmeta.is_plain_object_meta({"creationTimestamp": text})


@given(moments)
@example(datetime.datetime(2026, 11, 29, tzinfo=datetime.UTC))
@example(datetime.datetime(2024, 2, 29, tzinfo=datetime.UTC))
@example(datetime.datetime(2000, 2, 29, 23, 59, 59, tzinfo=datetime.UTC))
@example(datetime.datetime(2026, 12, 31, tzinfo=datetime.UTC))
@example(datetime.datetime(1, 1, 31, tzinfo=datetime.UTC))
def test_every_moment_of_the_calendar_is_plain(moment: datetime.datetime) -> None:
    text = moment.isoformat().replace("+00:00", "Z")
    assert is_plain(text)
    assert timestamps.normalize(text) == text


@given(texts)
@example("2026-02-29T00:00:00Z")
@example("1900-02-29T00:00:00Z")
@example("2026-11-31T00:00:00Z")
@example("2026-01-01T24:00:00Z")
@example("2026-01-01T00:00:60Z")
@example("0000-01-01T00:00:00Z")
@example("2026-00-01T00:00:00Z")
def test_what_is_plain_is_decoded_to_itself(text: str) -> None:
    try:
        layouts.read(text, layouts.RFC3339)
    except layouts.TimeError:
        assert not is_plain(text)
        return
    assert is_plain(text) or text.startswith("0000")  # Python's calendar has no year 0: the decoder knows it
    assert metadecode.decode_object_meta({"creationTimestamp": text}) == ({"creationTimestamp": text}, [])
