"""Classes of Unicode in patterns, by the names that Go 1.26 knows, in schemas and in CEL."""

from __future__ import annotations

import pytest

from quarterdeck.apimachinery import patterns
from quarterdeck.cel import regex

UNASSIGNED = "\u0378"
TAKEN = [  # pattern, a text that matches, one that does not
    (r"^\p{ASCII}$", "a", "é"),
    (r"^\P{ascii}$", "é", "a"),
    (r"^[\P{ASCII}x]$", "é", "a"),
    (r"^\p{^ASCII}$", "é", "a"),
    (r"^\p{Assigned}$", "é", UNASSIGNED),
    (r"^\p{Cn}$", UNASSIGNED, "é"),
    (r"^[\p{Unassigned}x]$", UNASSIGNED, "é"),
    (r"^[^\p{Cn}x]$", "é", UNASSIGNED),
    (r"^\p{C}$", UNASSIGNED, "é"),
    (r"^[\pC]$", UNASSIGNED, "é"),
    (r"^\P{Other}$", "é", UNASSIGNED),
    (r"^\p{LC}$", "a", "ª"),
    (r"^[\P{Cased_Letter}x]$", "ª", "a"),
    (r"^\p{Letter}+$", "é", "1"),
    (r"^[\p{ L-u }_]$", "A", "a"),
    (r"^\pl$", "é", "1"),
    (r"^\p{decimalNUMBER}\p{digit}\p{punct}\p{cntrl}$", "12!\t", "12a\t"),
    (r"^\p{greek}$", "α", "a"),
    (r"^\Q\p{lu}\E\\p{2}$", r"\p{lu}\pp", "Ab"),
    (r"^(?i)\p{lu}$", "a", "1"),
]
REFUSED = [  # pattern, what is told
    (r"\p{Old_Italic}", r"invalid character class range: `\p{Old_Italic}`"),
    (r"[\P{SignWriting}]", r"invalid character class range: `\P{SignWriting}`"),
    (r"\p{^^Lu}", r"invalid character class range: `\p{^^Lu}`"),
    (r"\p{lu}[\p{gr eek}", r"missing closing ]: `[\p{gr eek}`"),
    (r"\C)", r"invalid escape sequence: `\C`"),
    (r"(\C", r"invalid escape sequence: `\C`"),
    (r"[\C", r"invalid escape sequence: `\C`"),
    (r"a)\C", r"unexpected ): `a)\C`"),
    (r"**\C", r"missing argument to repetition operator: `*`"),
]


@pytest.mark.parametrize(("pattern", "right", "wrong"), TAKEN)
def test_what_a_class_holds(pattern: str, right: str, wrong: str) -> None:
    compiled = patterns.compile_pattern(pattern)
    assert (patterns.search(compiled, right), patterns.search(compiled, wrong)) == (True, False)
    in_cel = regex.compile_pattern(pattern)
    assert regex.span(in_cel, right.encode(), 0) is not None
    assert regex.span(in_cel, wrong.encode(), 0) is None


@pytest.mark.parametrize(("pattern", "text"), REFUSED)
def test_what_is_told_first(pattern: str, text: str) -> None:
    for compile_pattern in (patterns.compile_pattern, regex.compile_pattern):
        with pytest.raises(patterns.PatternError) as raised:
            compile_pattern(pattern)
        assert str(raised.value) == f"error parsing regexp: {text}"
