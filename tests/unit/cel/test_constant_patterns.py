"""Calls with a constant pattern, which look for no overload: apiserver's pkg/cel/library/regex.go."""

import pytest

from quarterdeck.cel import environment, types

ENV = environment.Environment({"x": types.DYN, "p": types.STRING})


def run(expression, x=None):
    program = environment.compile_expression(expression, ENV)
    assert not isinstance(program, environment.Failure), program
    return program.evaluate({"x": x, "p": "b"})


@pytest.mark.parametrize(
    ("expression", "x", "error"),
    [
        ("x.find('[0-9]+')", 5, "no such overload"),
        ("x.findAll('a')", [1], "no such overload"),
        ("x.findAll('a', 1)", b"a", "no such overload"),
        ("'abc'.findAll('a', x)", "1", "no such overload"),
        ("'abc'.findAll('a', dyn(1u))", None, "no such overload"),
        ("matches(x, 'a')", 1, "no such overload"),
        ("x.matches('a')", 1, "no such overload"),
        ("dyn(optional.none()).find('a')", None, "no such overload"),
        ("x.find(p)", 5, "no such overload: find(int, string)"),
        ("x.findAll(p, 1)", 5, "no such overload: findAll(int, string, int)"),
        ("x.matches(p)", 5, "no such overload: matches"),
    ],
)
def test_an_overload_is_missed_with_other_patterns_only(expression, x, error):
    assert run(expression, x).error == error


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("dyn(type(1)).find('i')", "i"),
        ("dyn(type(1)).matches('i')", True),
        ("matches(dyn(optional.of('abc')), 'b')", True),
        ("dyn(optional.of('abc')).findAll('b', dyn(optional.of(1)))", ["b"]),
        ("x.findAll('b', 1)", ["b"]),
    ],
)
def test_the_text_is_what_go_has_for_a_value(expression, value):
    outcome = run(expression, "abcb")
    assert (outcome.error, outcome.value) == (None, value)
