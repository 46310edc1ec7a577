"""Which names stand for types, and what is told of those that have no value: cel-go's checker/env.go, planner.go."""

import pytest

from quarterdeck.cel import environment, types
from unit.cel.test_cel_compile_errors import lines

ENV = environment.Environment({"self": types.STRING})


def undefined(name):
    return f"reference to undefined type: {name}"


@pytest.mark.parametrize(
    ("expression", "fault"),
    [
        ("type(self) == duration", undefined("duration")),
        ("timestamp == timestamp", undefined("timestamp")),
        ("[type(1)].all(x, x == int)", undefined("x")),
        ("{'a': int}.transformMap(k, v, v) == {}", undefined("v")),
        ("[int].filter(x, true) == []", undefined("x")),
    ],
)
def test_what_holds_a_type_is_taken_for_the_name_of_one(expression, fault):
    found = environment.compile_expression(expression, ENV)
    assert isinstance(found, environment.Failure)
    assert found.at_program
    assert fault in found.text


@pytest.mark.parametrize(
    "expression",
    [
        "type(duration('1s')) == google.protobuf.Duration",
        "type([1]) == list && type({}) == map && type(optional.none()) == optional_type",
        "[type('a')].map(int, int) == [int]",
        "[dyn(type(1))].exists(x, x == int)",
        "[type(1)].all(x, true)",
    ],
)
def test_other_names_have_values(expression):
    outcome = environment.compile_expression(expression, ENV).evaluate({"self": "x"})
    assert (outcome.error, outcome.value) == (None, True)


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("type(n) == dyn", ["12: undeclared reference to 'dyn' (in container '')"]),
        ("map.a", ["4: type 'type(map(A, B))' does not support field selection"]),
        ("list.a", ["5: type 'type(list(A))' does not support field selection"]),
        ("optional_type.a", ["14: type 'type(optional_type)' does not support field selection"]),
        ("timestamp.a", ["10: type 'type(timestamp)' does not support field selection"]),
        ("duration + 1", ["10: found no matching overload for '_+_' applied to '(type(duration), int)'"]),
    ],
)
def test_types_are_shown_with_their_parameters(expression, expected):
    assert lines(expression) == expected


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("n{v: 1}", ["2: 'int' is not a type", "4: unexpected failed resolution of 'n'"]),
        (".n{v: 1}", ["3: 'int' is not a type", "5: unexpected failed resolution of 'n'"]),
        ("int{v: 1}", ["4: 'int' is not a message type", "6: undefined field 'v'"]),
        ("type{v: 1}", ["5: 'type' is not a message type", "7: unexpected failed resolution of 'type'"]),
        ("map{v: 1}", ["4: 'map' is not a message type"]),
        (".q{v: 1}", ["3: undeclared reference to '.q' (in container '')"]),
    ],
)
def test_fields_are_told_where_there_is_no_object_to_make(expression, expected):
    assert lines(expression) == expected


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        (".q", ["2: undeclared reference to '.q' (in container '')"]),
        (".q.b", ["2: undeclared reference to '.q' (in container '')"]),
        (".q(1)", ["3: undeclared reference to '.q' (in container '')"]),
        (
            "[1].all(s, .s == 'x')",
            ["15: found no matching overload for '_==_' applied to '(int, string)'"],
        ),
        (".as", ["1: reserved identifier: as"]),
    ],
)
def test_a_leading_dot_is_told_and_hides_no_variable_of_a_loop(expression, expected):
    assert lines(expression) == expected


def test_a_leading_dot_finds_the_variable_of_a_loop():
    outcome = environment.compile_expression("[1].map(x, .x) == [1]", ENV).evaluate({"self": "x"})
    assert (outcome.error, outcome.value) == (None, True)
