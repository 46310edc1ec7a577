"""Lists with elements that have no order, and negated durations."""

import pytest

from unit.cel.test_keys_of_maps import outcome_of, value_of


@pytest.mark.parametrize(
    ("expression", "shown"),
    [
        ("[0.0 / 0.0, 1.0].sort()", ["nan", "1.0"]),
        ("[2.0, 0.0 / 0.0, 1.0].sort()", ["2.0", "nan", "1.0"]),
        ("[3.0, 2.0, 0.0 / 0.0, 2.0, 1.0].sort()", ["2.0", "3.0", "nan", "1.0", "2.0"]),
        ("[1, 2, 3].sortBy(x, x == 1 ? 0.0 / 0.0 : double(-x))", ["1", "3", "2"]),
    ],
)
def test_nan_is_sorted_as_go_does(expression, shown):
    assert list(map(str, value_of(expression))) == shown


@pytest.mark.parametrize("other", ["'a'", "[1]", "true", "1u", "null"])
def test_nan_has_no_order_whatever_it_is_compared_with(other):
    assert outcome_of(f"dyn(0.0 / 0.0) < dyn({other})").error == "NaN values cannot be ordered"


@pytest.mark.parametrize("function", ["isSorted", "min", "max"])
@pytest.mark.parametrize("items", ["[dyn(1), dyn(null)]", "[dyn(1), dyn([1])]", "[dyn('a'), dyn({})]"])
def test_what_has_no_order_is_no_element(function, items):
    assert outcome_of(f"{items}.{function}()").error == "no such overload"


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("[dyn(2), dyn('a'), dyn(1)].isSorted()", True),
        ("[dyn(2), dyn(1), dyn(null)].isSorted()", False),
        ("[dyn(2), dyn('a')].max()", 2),
        ("[dyn(2), dyn('a'), dyn(1)].min()", 1),
    ],
)
def test_elements_of_several_types_are_in_any_order(expression, value):
    assert value_of(expression) == value


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("-dyn(duration('1h30m')) == duration('-90m')", True),
        ("-dyn(duration('-9223372036.854775807s')) == duration('9223372036.854775807s')", True),
    ],
)
def test_durations_are_negated(expression, value):
    assert value_of(expression) is value


def test_the_smallest_duration_has_no_negative():
    assert outcome_of("-dyn(duration('-9223372036.854775808s'))").error == "integer overflow"
