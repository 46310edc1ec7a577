"""Selectors as long as a header: what they cost is bounded before anything is matched."""

from __future__ import annotations

import sys
from types import FrameType

import pytest

from quarterdeck.apimachinery import fields, labels, requirements, selector_syntax
from quarterdeck.storage.cacher import build_selection


@pytest.mark.parametrize("parse", [labels.parse, fields.parse])
def test_a_selector_has_a_bounded_number_of_terms(parse: object) -> None:
    assert callable(parse)
    parse(",".join(f"k{number}!=v" for number in range(requirements.TERMS_MAX)))
    with pytest.raises(requirements.SelectorError, match=f"more than {requirements.TERMS_MAX} terms"):
        parse(",".join(f"k{number}!=v" for number in range(requirements.TERMS_MAX + 1)))


def test_terms_of_one_key_become_one() -> None:
    text = ",".join(f"k!=v{number},j notin (a{number})" for number in range(500))
    selection = build_selection(label_selector=labels.parse(text))
    assert [(key, len(values)) for key, _, values in selection.labels] == [("j", 500), ("k", 500)]
    names = ",".join(f"metadata.name!=n{number}" for number in range(500))
    (requirement,) = build_selection(field_selector=fields.parse(names)).fields
    assert len(requirement[2]) == 500


def test_terms_that_exclude_each_other_select_nothing() -> None:
    never = build_selection(label_selector=labels.NOTHING)
    assert build_selection(label_selector=labels.parse("a=1,a=2")).key == never.key
    assert build_selection(field_selector=fields.parse("metadata.name=1,metadata.name=2")).key == never.key


def test_what_is_refused_at_its_beginning_is_not_read_to_its_end() -> None:
    steps = 0

    def count(frame: FrameType, event: str, argument: object) -> None:
        nonlocal steps
        steps += 1

    sys.setprofile(count)
    try:
        with pytest.raises(requirements.SelectorError):
            labels.parse("k in " + "(" * 100_000)
    finally:
        sys.setprofile(None)
    assert steps < 1000


def test_a_run_of_blanks_is_one_token() -> None:
    """Counted: the texts that the lexer looks at, wherever the blanks stand."""
    text = f"a{' ' * 100_000}={' ' * 100_000}b{' ' * 100_000}"
    assert len([*selector_syntax._next_token(text)]) == 6
    assert str(labels.parse(text)) == "a=b"
