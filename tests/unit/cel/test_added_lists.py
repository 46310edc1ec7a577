"""Lists that a schema describes, with others added: their schema reads what was added, as Go's own values."""

import pytest

from quarterdeck._kernels import celvalue
from quarterdeck.cel import environment, readers, schema

TEXT = {"type": "string", "maxLength": 30}
ENTRY = {"type": "object", "properties": {"k": TEXT, "v": {"type": "integer"}}}


def list_of(items, **more):
    return {"type": "array", "items": items, "maxItems": 5, **more}


SCHEMA = {
    "type": "object",
    "properties": {
        "texts": list_of(TEXT),
        "times": list_of({"type": "string", "format": "date-time"}),
        "spans": list_of({"type": "string", "format": "duration"}),
        "numbers": list_of({"type": "number"}),
        "lists": list_of(list_of({"type": "integer"})),
        "set": list_of(TEXT, **{"x-kubernetes-list-type": "set"}),
        "map": list_of(ENTRY, **{"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"]}),
        "entry": ENTRY,
    },
}
OBJECT = {
    "texts": ["b", "a"],
    "times": ["2021-03-04T05:06:07Z", "2020-01-01T00:00:00Z"],
    "spans": ["1m"],
    "numbers": [1.5, 0],
    "lists": [[1, 2], []],
    "set": ["q", "p"],
    "map": [{"k": "a", "v": 1}, {"k": "b"}],
    "entry": {"k": "a", "v": 1, "odd": True},
}


def run(expression):
    declared = schema.declare(SCHEMA, False)
    schema.name_types(declared, "selfType1")
    made = environment.Environment({"self": declared.type}, sizes=declared.size_at)
    program = environment.compile_expression(expression, made)
    assert not isinstance(program, environment.Failure), program
    return program.evaluate({"self": celvalue.read_value(OBJECT, readers.reader_of(SCHEMA, False))})


@pytest.mark.parametrize(
    "expression",
    [
        "(self.times + self.times).size() == 4",
        "(self.times + self.times)[0] == self.times[0]",
        "(self.times + []) == self.times",
        "(self.times + self.times).exists(x, x == self.times[0])",
        "dyn(self.numbers + dyn([1]))[2] == 1.0 && type(dyn(self.numbers + dyn([1]))[2]) == double",
        "dyn(self.texts + dyn([optional.of('a')]))[2] == 'a'",
        "dyn(self.texts + dyn([int]))[2] == 'int'",
        "(self.map + optional.of(self).map.value()).size() == 2",
        "self.map == optional.of(self).map.value()",
        "(self.times + self.times)[?3].hasValue()",
        "[self.times + self.times] == [self.times + self.times]",
        # A set remembers what was added to it.
        "[self.set].all(x, (x + ['z']).size() == 3 && (x + ['z']).size() == 2 && x == ['z', 'q'])",
        "(self.set + ['z']).size() == 3 && (self.set + ['z']).size() == 3",
    ],
)
def test_what_holds(expression):
    outcome = run(expression)
    assert (outcome.value, outcome.error) == (True, None)


@pytest.mark.parametrize(
    ("expression", "error"),
    [
        ("(self.times + self.times).max() == self.times[0]", "invalid data, expected string, got time.Time"),
        ("(self.times + [self.times[0]]).all(x, x == x)", "invalid data, expected string, got time.Time"),
        ("(self.spans + self.spans)[1] == self.spans[0]", "invalid data, expected string, got time.Duration"),
        ("(self.times + self.times)[?3].value() == self.times[0]", "invalid data, expected string, got time.Time"),
        ("(self.times + self.times) == (self.times + self.times)", "invalid data, expected string, got time.Time"),
        ("sets.contains(self.times + [], self.times + self.times)", "invalid data, expected string, got time.Time"),
        ("dyn(self.texts + dyn([1]))[2] == 1", "invalid data, expected string, got int64"),
        ("dyn(self.texts + dyn([null]))[2] == 1", "invalid data, expected string, got structpb.NullValue"),
        ("dyn(self.set + dyn([1u]))[2] == 1", "invalid data, expected string, got uint64"),
        ("1 in dyn(self.texts + dyn([1]))", "invalid data, expected string, got int64"),
        (
            "(self.lists + [[1]])[2].size() == 1",
            "invalid data, expected an array for the provided schema with type=array",
        ),
        (
            "dyn(self.map + dyn([{'k': 'z'}]))[2].k == 'z'",
            "invalid data, expected a map for the provided schema with type=object",
        ),
    ],
)
def test_what_the_schema_cannot_read(expression, error):
    assert run(expression).error == error


@pytest.mark.parametrize(
    "expression",
    [
        "self.lists == dyn([1, 2])",
        "self.entry == dyn({'k': dyn('a'), 'v': dyn(1), 'x': dyn(true)})",
        "sets.contains(self.map, dyn([1]))",
    ],
)
def test_members_hand_their_errors_on(expression):
    assert run(expression).error == "no such overload"


@pytest.mark.parametrize(("begin", "end"), [("{'a': ", "}"), ("[", "]")])
def test_each_member_of_what_differs_deep_inside_is_compared_once(begin, end):
    """Asked twice at each level, forty levels would never end."""
    left, right = (f"{begin * 40}{innermost}{end * 40}" for innermost in (1, 2))
    outcome = run(f"{left} == {right}")
    assert (outcome.value, outcome.error) == (False, None)
