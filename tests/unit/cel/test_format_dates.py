"""format.date() and format.datetime() are strfmt's IsDate and IsDateTime, however loose those are."""

import pytest

from quarterdeck.cel import environment, types

ENV = environment.Environment({"s": types.STRING})


@pytest.mark.parametrize(
    ("name", "text", "valid"),
    [
        ("datetime", "2024-02-29T01:02:03Z", True),
        ("datetime", "2024-02-29t01:02:03z", True),
        ("datetime", "2024-02-29T01:02:03Ztrue", True),
        ("datetime", "2024-02-29T01:02:03+99:99", True),
        ("datetime", "2024-02-29T01:02:03x5Z", True),
        ("datetime", "2024-02-30T01:02:03Z", False),
        ("datetime", "2024-02-29T24:02:03Z", False),
        ("date", "0000-01-01", True),
        ("date", "2023-02-29", False),
    ],
)
def test_what_is_a_date(name, text, valid):
    program = environment.compile_expression(f"!format.{name}().validate(s).hasValue()", ENV)
    assert program.evaluate({"s": text}).value is valid
