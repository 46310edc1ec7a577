"""Go's durations and what it says of others."""

from __future__ import annotations

import pytest

from quarterdeck.apimachinery import duration


@pytest.mark.parametrize(
    ("text", "ns"),
    [
        ("0", 0),
        ("-0", 0),
        ("0s", 0),
        ("1ns", 1),
        ("1.5h", 5_400_000_000_000),
        ("-1m0.5s", -60_500_000_000),
        ("+.5us", 500),
        ("5.s", 5_000_000_000),
        ("9223372036854775807ns", 2**63 - 1),
        ("-9223372036854775808ns", -(2**63)),
        ("1μs1µs", 2000),
        ("000000000000000000000002s", 2_000_000_000),
    ],
)
def test_durations_are_read(text: str, ns: int) -> None:
    assert duration.parse_ns(text) == ns


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", 'time: invalid duration ""'),
        ("abc", 'time: invalid duration "abc"'),
        ("-", 'time: invalid duration "-"'),
        (".s", 'time: invalid duration ".s"'),
        ("9223372036854775808ns", 'time: invalid duration "9223372036854775808ns"'),
        ("5", 'time: missing unit in duration "5"'),
        ("1s5", 'time: missing unit in duration "1s5"'),
        ("1d", 'time: unknown unit "d" in duration "1d"'),
        ("1 s", 'time: unknown unit " s" in duration "1 s"'),
    ],
)
def test_other_texts_are_refused_in_gos_words(text: str, problem: str) -> None:
    with pytest.raises(ValueError) as caught:
        duration.parse_ns(text)
    assert str(caught.value) == problem
