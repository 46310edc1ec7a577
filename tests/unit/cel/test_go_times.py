"""Times as Go's time.Parse and time.Duration have them: bounds of offsets, a year 0, hours rounded as float64."""

import pytest

from quarterdeck.cel import environment, strfmt
from quarterdeck.cel.values import CelErr, Timestamp

ENV = environment.Environment({})


@pytest.mark.parametrize(
    "expression",
    [
        "timestamp('2024-02-29T1:02:03Z') == timestamp('2024-02-29T01:02:03Z')",
        "timestamp('2024-02-29T01:02:03+01:60') == timestamp('2024-02-28T23:02:03Z')",
    ],
)
def test_times_as_go_parses_them(expression):
    assert environment.compile_expression(expression, ENV).evaluate({}).value is True


def test_the_bounds_of_offsets():
    assert strfmt.parse_rfc3339("2024-02-29T01:02:03+24:60") is not None
    assert strfmt.parse_rfc3339("2024-02-29T01:02:03+25:00") is None
    assert strfmt.parse_rfc3339("2024-02-29T01:02:03+01:61") is None


def test_a_date_in_the_year_0():
    found = strfmt.read_date("0000-01-01")
    assert isinstance(found, Timestamp)
    assert found.seconds == -62167219200


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("duration('2000000h59m59.999999999s').getHours()", 2000001),
        ("duration('9000000000.9999999s').getSeconds()", 9000000001),
        ("duration('-9000000000.9999999s').getSeconds()", -9000000001),
        ("duration('-90m').getHours()", -1),
        ("duration('90m').getMinutes()", 90),
    ],
)
def test_parts_of_durations_are_rounded_as_float64(expression, value):
    assert environment.compile_expression(expression, ENV).evaluate({}).value == value


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        (
            "2024-02-29t01:02:03z",
            'parsing time "2024-02-29t01:02:03z" as "2006-01-02T15:04:05": cannot parse "t01:02:03z" as "T"',
        ),
        ("2024-02-29T01:02:03+99:99", 'parsing time "2024-02-29T01:02:03+99:99": extra text: "+99:99"'),
        ("2024-02-29T01:02:03Ztail", 'parsing time "2024-02-29T01:02:03Ztail": extra text: "Ztail"'),
        ("2024-02-29T01:02:03.5+99:99", 'parsing time "2024-02-29T01:02:03.5+99:99": extra text: "+99:99"'),
        ("2024-02-29T01:02:03x5Z", 'parsing time "2024-02-29T01:02:03x5Z": extra text: "x5Z"'),
        ("2024-02-29T01:02:03é5Z", r'parsing time "2024-02-29T01:02:03\xc3\xa95Z": extra text: "\xc3\xa95Z"'),
        ("2024-02-29T24:02:03Z", 'parsing time "2024-02-29T24:02:03Z": hour out of range'),
        ("2023-02-29T01:02:03Z", 'parsing time "2023-02-29T01:02:03Z": extra text: "Z"'),
        ("2023-02-29T01:02:03", 'parsing time "2023-02-29T01:02:03": day out of range'),
        ("soon", 'parsing time "soon" as "2006-01-02T15:04:05": cannot parse "soon" as "2006"'),
    ],
)
def test_date_times_that_go_does_not_read(text, fault):
    found = strfmt.read_datetime(text)
    assert isinstance(found, CelErr)
    assert found.message == f"Invalid date-time formatted string {text}: {fault}"


def test_a_date_time_without_a_zone_is_one_of_utc():
    found = strfmt.read_datetime("1970-01-01T00:00:05")
    assert isinstance(found, Timestamp)
    assert (found.seconds, found.offset_s) == (5, 0)


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("2024-13-01", 'parsing time "2024-13-01": month out of range'),
        ("2024-1-01", 'parsing time "2024-1-01" as "2006-01-02": cannot parse "1-01" as "01"'),
    ],
)
def test_dates_that_go_does_not_read(text, fault):
    found = strfmt.read_date(text)
    assert isinstance(found, CelErr)
    assert found.message == f"Invalid date formatted string {text}: {fault}"


@pytest.mark.parametrize(("text", "value"), [("YWI=", b"ab"), ("YW\nI=", b"ab"), ("YWJ-", b"ab~"), ("YWJ_", b"ab\x7f")])
def test_bytes_are_read_in_the_alphabet_of_urls(text, value):
    assert strfmt.read_bytes(text) == value


@pytest.mark.parametrize(("text", "position"), [("YWJ+", 3), ("a/b+", 1), ("YW", 0), ("YWI=YWI=", 4), ("é", 0)])
def test_bytes_of_another_alphabet_are_none(text, position):
    found = strfmt.read_bytes(text)
    assert isinstance(found, CelErr)
    assert found.message == f"Invalid byte formatted string {text}: illegal base64 data at input byte {position}"
