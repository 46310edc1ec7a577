"""Times as Go's time.Parse and time.Duration have them: bounds of offsets, a year 0, hours rounded as float64."""

import pytest

from quarterdeck.cel import environment, strfmt
from quarterdeck.cel.values import Timestamp

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
