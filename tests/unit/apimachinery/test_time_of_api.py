"""Times and durations as kubectl users know them."""

import pytest

from quarterdeck.apimachinery import time


@pytest.mark.parametrize(
    ("duration_s", "text"),
    [
        (-2, "<invalid>"),
        (-1.5, "0s"),
        (0, "0s"),
        (119.9, "119s"),
        (120, "2m"),
        (150, "2m30s"),
        (600, "10m"),
        (3 * 3600 - 1, "179m"),
        (3 * 3600, "3h"),
        (3 * 3600 + 300, "3h5m"),
        (8 * 3600, "8h"),
        (47 * 3600, "47h"),
        (48 * 3600, "2d"),
        (49 * 3600, "2d1h"),
        (8 * 86400, "8d"),
        (729 * 86400, "729d"),
        (730 * 86400, "2y"),
        (735 * 86400, "2y5d"),
        (8 * 365 * 86400, "8y"),
        (1e12, "292y"),
    ],
)
def test_human_duration(duration_s, text):
    assert time.human_duration(duration_s) == text


@pytest.mark.parametrize(
    ("text", "time_s"),
    [
        ("1970-01-01T00:00:00Z", 0),
        ("1970-01-01T00:00:00.250Z", 0.25),
        ("1970-01-01T01:00:00+01:00", 0),
        ("1969-12-31T23:00:00-01:00", 0),
        ("0001-01-01T00:00:00Z", time.ZERO_S),
        ("1970-01-01T1:00:00Z", 3600),
        ("1970-01-01T:00:00Z", None),
        ("2020-13-45", None),
        ("2020-01-01", None),
        ("2020-02-30T00:00:00Z", None),
        ("2020-01-01t00:00:00z", None),
        ("2020-01-01T00:00:00", None),
    ],
)
def test_parse_rfc3339(text, time_s):
    assert time.parse_rfc3339(text) == time_s


def test_a_moment_is_written_as_the_api_does():
    assert time.format_rfc3339(1700000000.9) == "2023-11-14T22:13:20Z"
    assert time.format_micro(1700000000.25) == "2023-11-14T22:13:20.250000Z"


def test_human_age_of_what_is_not_set_or_not_readable():
    assert time.human_age("", 0) == "<unknown>"
    assert time.human_age("0001-01-01T00:00:00Z", 0) == "<unknown>"
    assert time.human_age("text", 0) == "<invalid>"
    assert time.human_age("0000-12-31T23:59:59Z", 0) == "292y"
    assert time.human_age("0000-13-31T23:59:59Z", 0) == "<invalid>"
    assert time.human_age("1970-01-01T00:00:00Z", 42) == "42s"


@pytest.mark.parametrize(
    ("text", "digits"),
    [
        ("2020-01-01T00:00:00Z", ""),
        ("2020-01-01T00:00:00.000Z", ""),
        ("2020-01-01T00:00:00.50+01:00", "5"),
        ("2020-01-01T00:00:00,05Z", "05"),
        ("2020-01-01T00:00:00.0000000019Z", "000000001"),
        ("2020-01-01T00:00:00.0000000009-10:00", ""),
    ],
)
def test_go_keeps_nine_digits_of_a_second(text, digits):
    assert time.fraction_of(text) == digits
