"""Several minus signs are operators, none is the literal's own: cel-go's grammar, VisitNegate."""

import pytest

from quarterdeck.cel import environment

ENV = environment.Environment({})


@pytest.mark.parametrize(
    ("expression", "value", "cost"),
    [("-1", -1, 0), ("--1", 1, 0), ("---1", -1, 1), ("--1.5", 1.5, 0), ("----1", 1, 0), ("-(-1)", 1, 1)],
)
def test_an_even_number_of_signs_is_none(expression, value, cost):
    outcome = environment.compile_expression(expression, ENV).evaluate({})
    assert (outcome.error, outcome.value, outcome.cost) == (None, value, cost)


def test_the_smallest_number_takes_a_single_sign():
    assert not isinstance(environment.compile_expression("-9223372036854775808", ENV), environment.Failure)
    assert "invalid int literal" in str(environment.compile_expression("--9223372036854775808", ENV))
