"""Integers beside doubles: upstream compares them as doubles, in lists of constants too."""

import pytest

from unit.cel.test_keys_of_maps import value_of


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("dyn(9007199254740992.0) in [9007199254740993]", True),
        ("dyn(9007199254740993) in [9007199254740992.0]", False),
        ("dyn(9007199254740992) in [9007199254740993]", False),
        ("dyn(2.0) in [2u]", True),
        ("dyn(2) in [2.0]", True),
        ("dyn(2u) in [2]", True),
        ("dyn(true) in [1]", False),
        ("dyn(1) in [dyn(true)]", False),
        ("dyn(1.0) in [true]", False),
        ("dyn(18446744073709551616.0) in [18446744073709551615u]", True),
        ("dyn(timestamp(0)) in [1]", False),
        ("dyn([1]) in ['a']", False),
    ],
)
def test_membership_in_lists_of_constants(expression, value):
    assert value_of(expression) is value


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("dyn(9007199254740992.0) == 9007199254740993", True),
        ("dyn(9007199254740993) == 9007199254740992.0", True),
        ("dyn(9223372036854775807) == 9223372036854775808.0", True),
        ("dyn(18446744073709551615u) == 18446744073709551616.0", True),
        ("dyn(9007199254740992) == 9007199254740993", False),
        ("dyn(9007199254740994.0) == 9007199254740993", False),
        ("dyn(9223372036854775807u) == 9223372036854775807", True),
        ("dyn(1.5) == 1", False),
        ("dyn(0.0 / 0.0) == 0", False),
        ("[dyn(9007199254740992.0)] == [9007199254740993]", True),
    ],
)
def test_integers_are_compared_with_doubles_as_doubles(expression, value):
    assert value_of(expression) is value
