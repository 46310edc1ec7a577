"""Floats as Go's %v prints them: the recorded answers show 5e+09 and 1.23456789125e+08."""

import pytest

from quarterdeck.apimachinery import gofmt


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1.5, "1.5"),
        (999999.0, "999999"),
        (1e6, "1e+06"),
        (123456789.125, "1.23456789125e+08"),
        (5e9, "5e+09"),
        (1e21, "1e+21"),
        (0.0001, "0.0001"),
        (0.00001, "1e-05"),
        (-1e300, "-1e+300"),
    ],
)
def test_float_has_an_exponent_from_a_million(value, text):
    assert gofmt.format_float(value) == text
