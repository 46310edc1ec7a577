"""or() and orValue() of a dynamic value that is not optional: cel-go's cel/library.go, evalOptionalOr."""

import pytest

from quarterdeck.cel import environment, types

ENV = environment.Environment({"x": types.DYN})


@pytest.mark.parametrize(
    ("expression", "x", "value"), [("x.orValue(7)", 5, 5), ("x.orValue('b')", "a", "a"), ("x.or(dyn(2))", 1, 1)]
)
def test_what_is_not_optional_stands_for_itself(expression, x, value):
    outcome = environment.compile_expression(expression, ENV).evaluate({"x": x})
    assert (outcome.error, outcome.value, outcome.cost) == (None, value, 1)
