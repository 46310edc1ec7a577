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


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("[q, 1].join()", [2, "12: found no matching overload for 'join' applied to 'list(int).()'"]),
        ("[1, q].join()", [5]),
        ("(true ? 1 : q) + 'a'", [13, "16: found no matching overload for '_+_' applied to '(int, string)'"]),
        ("(true ? q : 1) + 'a'", [9]),
        ("[q, 1][0] + 'a'", [2, "11: found no matching overload for '_+_' applied to '(int, string)'"]),
        ("[?q]", [3, "3: expected type 'optional_type(!error!)' but found '!error!'"]),
        ("{?'a': q}", [8, "8: expected type 'optional_type(!error!)' but found '!error!'"]),
    ],
)
def test_what_is_known_is_checked_beside_errors(expression, expected):
    column, *others = expected
    assert lines(expression) == [f"{column}: undeclared reference to 'q' (in container '')", *others]


def test_type_parameters_are_numbered_whatever_was_compiled_before():
    expected = ["17: expected type 'bool' but found 'map(_var1, _var2)'"]
    assert lines("[dyn(1)].all(x, {})") == expected
    assert lines("[dyn(1)].all(x, {})") == expected


def test_type_parameters_are_named_for_overloads_of_another_number_of_arguments_too():
    failure = environment.compile_expression(
        "[1].transformMap(i, v, true).exists(k, [].zz)", environment.Environment({})
    )
    assert "type 'list(_var6)' does not support field selection" in str(failure)


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("[1, 'a', true]", ["5: expected type 'int' but found 'string'"]),
        (
            "{1: 'a', 'b': 1, true: 2.5}",
            [
                "10: expected type 'int' but found 'string'",
                "15: expected type 'string' but found 'int'",
                "18: expected type 'int' but found 'bool'",
                "24: expected type 'string' but found 'double'",
            ],
        ),
    ],
)
def test_each_entry_of_a_map_that_is_of_another_type_is_told(expression, expected):
    assert lines(expression) == expected
