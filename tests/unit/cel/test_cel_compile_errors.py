"""What the author of an expression that does not compile is told: texts, places, and at which step it fails."""

import pytest

from quarterdeck.cel import environment, types

ENV = environment.Environment({"n": types.INT, "s": types.STRING, "l": types.list_of(types.INT)})


def fail(expression):
    found = environment.compile_expression(expression, ENV)
    assert isinstance(found, environment.Failure), expression
    return found


def lines(expression):
    """`column: message` of each error."""
    shown = [line for line in fail(expression).text.split("\n") if line.startswith("ERROR: ")]
    return [line.removeprefix("ERROR: <input>:1:") for line in shown]


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("n && true", ["1: expected type 'bool' but found 'int'"]),
        ("true || s", ["9: expected type 'bool' but found 'string'"]),
        (
            "n || s.size()",
            ["1: expected type 'bool' but found 'int'", "12: expected type 'bool' but found 'int'"],
        ),
        ("n && q", ["1: expected type 'bool' but found 'int'", "6: undeclared reference to 'q' (in container '')"]),
        ("(n + 1) && true && l.map(x, x)", [
            "4: expected type 'bool' but found 'int'",
            "25: expected type 'bool' but found 'list(int)'",
        ]),
        ("!n", ["1: found no matching overload for '!_' applied to '(int)'"]),
        ("n ? true : false", ["3: found no matching overload for '_?_:_' applied to '(int, bool, bool)'"]),
    ],
)  # fmt: skip
def test_operands_of_logical_operators_are_told_one_by_one(expression, expected):
    assert lines(expression) == expected


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("timestamp(9223372036854775807) == timestamp(0)", ["11: invalid timestamp argument"]),
        ("timestamp('x') == timestamp(0)", ["11: invalid timestamp argument"]),
        ("duration('1x') == duration('1s')", ["10: invalid duration argument"]),
        ("s.matches('(')", ["11: invalid matches argument"]),
        ("matches('(', s)", ["9: invalid matches argument"]),
    ],
)
def test_literal_arguments_are_tried(expression, expected):
    assert lines(expression) == expected


def test_the_pattern_of_the_plain_function_is_seen_at_the_program_only():
    assert fail("matches(s, '(')").at_program


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("f(s", "4: Syntax error: missing ')' at '<EOF>'"),
        ("f(f(s", "6: Syntax error: mismatched input '<EOF>' expecting ')'"),
        ("[l[0", "5: Syntax error: mismatched input '<EOF>' expecting ']'"),
        ("true ? (s", "10: Syntax error: mismatched input '<EOF>' expecting ')'"),
        ("[s", "3: Syntax error: mismatched input '<EOF>' expecting {']', ','}"),
    ],
)
def test_a_closing_bracket_is_imagined_at_the_end_only_where_that_completes_the_text(expression, expected):
    assert lines(expression) == [expected]
