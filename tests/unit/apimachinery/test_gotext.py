"""Letters, blanks and printable characters as Go knows them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quarterdeck.apimachinery import gofmt, gotext


@pytest.mark.parametrize(
    ("text", "lowered"),
    [
        ("ABC", "abc"),
        ("\u0130x", "ix"),
        ("\u0391\u03a3", "\u03b1\u03c3"),
        ("\u03c2", "\u03c2"),
        ("\u212a", "k"),
        ("\u1e9e", "\u00df"),
        ("\u00c4", "\u00e4"),
    ],
)
def test_one_letter_is_made_of_one_whatever_stands_beside_it(text: str, lowered: str) -> None:
    assert gotext.lower(text) == lowered


@given(st.text())
def test_no_letter_comes_or_goes(text: str) -> None:
    assert len(gotext.lower(text)) == len(text)
    assert gotext.lower(text) == "".join(map(gotext.lower, text))


def test_separators_of_information_are_no_blanks() -> None:
    separators = "\x1c\x1d\x1e\x1f"
    assert gotext.strip(f" {separators}\u3000") == separators
    assert gotext.split(f"\x85a{separators}b \t\u00a0c") == [f"a{separators}b", "c"]
    assert gotext.split(" ") == []


@given(st.text(st.sampled_from("\x1bab")) | st.text(st.characters(exclude_characters="\x1c\x1d\x1e\x1f")))
def test_everything_else_is_a_blank_where_it_is_one_for_python(text: str) -> None:
    assert gotext.strip(text) == text.strip()
    assert gotext.split(text) == text.split()


@pytest.mark.parametrize("char", ["\U0001f6dc", "\u0cf3", "\u0ece", "\U000323af", "\U00031350", "\U00011f59", "a", " "])
def test_what_unicode_15_knows_is_printable(char: str) -> None:
    assert gotext.is_printable(char)
    assert gofmt.quote(char) == f'"{char}"'


@pytest.mark.parametrize(
    ("char", "shown"),
    [("\u0378", "\\u0378"), ("\U0001f6df\n", "\U0001f6df\\n"), ("\u00a0", "\\u00a0"), ("\x1c", "\\x1c")],
)
def test_what_it_does_not_know_is_not(char: str, shown: str) -> None:
    assert not gotext.is_printable(char)
    assert gofmt.quote(char) == f'"{shown}"'
