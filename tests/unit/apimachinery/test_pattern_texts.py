"""Patterns that Go refuses are refused in its words, RE2's own inventions among them."""

from __future__ import annotations

import pytest

from quarterdeck.apimachinery import patterns

PREFIX = "error parsing regexp: "


def nested(opening: str, count: int, closing: str = ")") -> str:
    return f"{opening * count}a{closing * count}"


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
        ("(?P<é>a)", "invalid named capture: `(?P<é>`"),
        ("é[(?<é>](?<١a>b)", "invalid named capture: `(?<١a>`"),
        *((text, f"expression nests too deeply: `{text}`") for text in (nested("(", 1000), nested("(?:", 1000, ")*"))),
        (nested("(|", 1000), f"expression nests too deeply: `{nested('(|', 1000)}`"),
        (r"(\pL{1000}){0,1}\pL{1000}", r"expression too large: `(\pL{1000}){0,1}\pL{1000}`"),
    ],
)
def test_what_go_refuses(pattern: str, expected: str) -> None:
    with pytest.raises(patterns.PatternError) as raised:
        patterns.compile_pattern(pattern)
    assert str(raised.value) == PREFIX + expected


@pytest.mark.parametrize(
    "pattern",
    [
        *(r"\\C", r"\QC\C\E", r"\Q\C\E", r"\Q\C", "(?P<n>a)", "(?<n>a)", ""),
        *("[(?<é>-[:alpha:]", "é(?P<n_1>[(?<é>])", r"\(?P<é>a", r"\Q(?<é>\E"),
        *(nested("(", 999), nested("(?:", 1000), nested("(?:b|", 1000), nested("(?:", 999, ")*")),
    ],
)
def test_what_go_takes(pattern: str) -> None:
    assert patterns.compile_pattern(pattern) is patterns.compile_pattern(pattern)
