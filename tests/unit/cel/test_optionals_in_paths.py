"""Optionals that a path meets: only the one that it starts at is opened."""

import pytest

from unit.cel.test_keys_of_maps import outcome_of, value_of


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("has({'foo': optional.none()}.foo)", True),
        ("has(dyn({'foo': optional.none()}).foo)", True),
        ("has({'foo': optional.none()}.foo.value)", False),
        ("has({?'foo': optional.none()}.foo)", False),
        ("has(optional.of({'a': 1}).a)", True),
        ("has(optional.none().a)", False),
        ("[optional.of({'a': 1})].map(x, x.a.orValue(2)) == [1]", True),
        ("[optional.of({'a': 1})][0].?a == optional.none()", True),
        ("has({'a': {'b': optional.none()}}.?a.b)", True),
    ],
)
def test_optionals_on_the_way_of_a_path(expression, value):
    assert value_of(expression) is value


def test_an_optional_on_the_way_has_no_members():
    assert outcome_of("[optional.of({'a': 1})][0].a").error == "no such key: a"
