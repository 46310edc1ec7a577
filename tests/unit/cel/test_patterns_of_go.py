"""Patterns that RE2 takes and Go does not, and what is said of others: as schemas have it."""

import pytest

from unit.cel.test_keys_of_maps import outcome_of, value_of


@pytest.mark.parametrize(
    ("pattern", "fault"),
    [
        (r"a\\C", r"invalid escape sequence: `\C`"),
        ("(?<=a)b", "invalid named capture: `(?<=a)b`"),
        ("(?<!a>b)c", "invalid named capture: `(?<!a>`"),
        ("a)", "unexpected ): `a)`"),
        ("(", "missing closing ): `(`"),
        ("[é(](?P<é>a)", "invalid named capture: `(?P<é>`"),
        ("(?<\u0661>a)", "invalid named capture: `(?<\u0661>`"),
        ("x{1001}", "invalid repeat count: `{1001}`"),
        ("a**", "invalid nested repetition operator: `**`"),
        ("[[:foo:]]", "invalid character class range: `[:foo:]`"),
        (r"\\", "trailing backslash at end of expression: ``"),
    ],
)
def test_patterns_that_go_refuses(pattern, fault):
    told = f"error parsing regexp: {fault}"
    assert outcome_of(f"['{pattern}'].all(p, 'a'.matches(p))").error == told
    assert outcome_of(f"['{pattern}'].all(p, 'a'.find(p) == '')").error == f"Illegal regex: {told}"


def test_quoted_text_is_no_escape():
    assert value_of(r"'\\C'.matches(r'\Q\C\E')") is True


@pytest.mark.parametrize("pattern", ["[(?P<é>]+", r"\Q(?P<é>\E", r"\((?:P<é>)?", r"[^][:alpha:]\](?P<é>]+", "(?P<a>é)"])
def test_what_only_looks_like_a_name_of_a_group_is_taken(pattern):
    assert value_of(f"'é'.matches(r'{pattern}') in [true, false]") is True
