"""Patterns that Go refuses are refused in its words, RE2's own inventions among them."""

from __future__ import annotations

import pytest

from quarterdeck.schema import patterns

PREFIX = "error parsing regexp: "


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("(?<=a)b", "invalid named capture: `(?<=a)b`"),
        ("x(?<!a)b", "invalid named capture: `(?<!a)b`"),
        ("(?<=a>b)c", "invalid named capture: `(?<=a>`"),
        ("(?=a)", "invalid or unsupported Perl syntax: `(?=`"),
        (r"a\C", r"invalid escape sequence: `\C`"),
        (r"[\C]", r"invalid escape sequence: `\C`"),
        ("(", "missing closing ): `(`"),
    ],
)
def test_what_go_refuses(pattern: str, expected: str) -> None:
    with pytest.raises(patterns.PatternError) as raised:
        patterns.compile_pattern(pattern)
    assert str(raised.value) == PREFIX + expected


@pytest.mark.parametrize("pattern", [r"\\C", r"\QC\C\E", r"\Q\C\E", r"\Q\C", "(?P<n>a)", "(?<n>a)", ""])
def test_what_go_takes(pattern: str) -> None:
    assert patterns.compile_pattern(pattern) is patterns.compile_pattern(pattern)
