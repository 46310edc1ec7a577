"""What rules see of values that a schema describes: null, members it does not know, what optionals hold."""

import pytest

from quarterdeck._kernels import celvalue
from quarterdeck.cel import environment, readers, schema, types

TEXT = {"type": "string"}
SCHEMA = {
    "type": "object",
    "properties": {
        "s": TEXT,
        "a.b": TEXT,
        "any": {"x-kubernetes-int-or-string": True},
        "time": {"type": "string", "format": "date-time"},
        "list": {
            "type": "array",
            "items": {"type": "object", "properties": {"k": TEXT, "v": {"type": "integer", "nullable": True}}},
        },
        "open": {"type": "array", "items": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}},
        "flag": {"type": "object", "properties": {"on": {"type": "boolean"}}},
        "none": {"type": "array", "items": TEXT},
        "empty": {"type": "object", "additionalProperties": TEXT},
    },
}
OBJECT = {
    "s": "text",
    "a.b": "dots",
    "any": 1,
    "time": "2024-01-02T03:04:05Z",
    "list": [{"k": "a", "v": None}, {"k": "b", "v": 2}],
    "open": [{"odd": 1}],
    "flag": {"on": False},
    "none": [],
    "empty": {},
}


def run(expression):
    declared = schema.declare(SCHEMA, False)
    schema.name_types(declared, "selfType1")
    names = {"self": declared.type, "oldSelf": types.optional_of(declared.type)}
    program = environment.compile_expression(expression, environment.Environment(names, sizes=declared.size_at))
    assert not isinstance(program, environment.Failure), program
    value = celvalue.read_value(OBJECT, readers.reader_of(SCHEMA, False))
    return program.evaluate({"self": value, "oldSelf": celvalue.Optional(value)})


@pytest.mark.parametrize(
    ("expression", "wanted"),
    [
        # Null is as good as absent where objects are compared.
        ("self.list.all(x, x == x)", True),
        ("self.list[0] in self.list", True),
        ("self.list[0] == self.list[1]", False),
        ("self.flag == dyn(null)", False),
        # An optional gives what was sent: names as they are, times as texts, null as a value.
        ("oldSelf.s.value()", "text"),
        ("oldSelf.a__dot__b.hasValue()", False),
        ("oldSelf.time.value() == self.time", False),
        ("oldSelf.time.value() == dyn('2024-01-02T03:04:05Z')", True),
        ("oldSelf.list[0].v.hasValue()", True),
        ("self.list[?dyn(0.0)].hasValue()", True),
        # What a schema describes is not zero, even where it is empty; what is taken out of an optional is.
        ("optional.ofNonZeroValue(self.none).hasValue() && optional.ofNonZeroValue(self.empty).hasValue()", True),
        ("optional.ofNonZeroValue(oldSelf.none.value()).hasValue()", False),
        ("self.list[?dyn(9.0)].hasValue()", False),
        ("oldSelf.value().time == dyn('2024-01-02T03:04:05Z')", True),
        ("dyn((self.flag.on ? optional.none() : self.?time).value()) == self.time", True),
        ("dyn((self.flag.on ? optional.none() : optional.of(self)).time.value()) == '2024-01-02T03:04:05Z'", True),
        # A member that the schema does not describe has a key, which is nothing.
        ("dyn(self.open[0]).map(k, k) == [null]", True),
        ("{true: 'yes', false: 'no'}[has(self.flag.on)]", "yes"),
        ("{true: 'yes', false: 'no'}[has(self.flag.on) && self.flag.on]", "no"),
    ],
)
def test_an_expression_has_its_value(expression, wanted):
    outcome = run(expression)
    assert (outcome.value, outcome.error) == (wanted, None)


@pytest.mark.parametrize(
    ("expression", "error"),
    [
        ("'%s'.format([self.list])", 'error during formatting: could not find key: "v"'),
        (
            "'%s'.format([self.open])",
            "internal error: runtime error: invalid memory address or nil pointer dereference",
        ),
        ("self.any in self.list", "no such overload"),
        ("null in self.list", "no such overload"),
        ("self.list[dyn(0.0)].k == 'a'", "unsupported index: 0"),
        ("[1][dyn(1e300)] == 1", "unsupported index value 1e+300 in list"),
        ("semver('é.1', true).major() == 0", 'Invalid character(s) found in major number "0é"'),
        ("dyn(self.list[0]).transformMap(k, v, v).size() == 2", "no such key: v"),
        ("self.list[?dyn(0.0)].value().k == 'a'", "unsupported index: 0"),
        ("self.list[?dyn('a')].hasValue()", "unsupported index type 'string' in list"),
        ("self.time.getHours('../x') == 0", "time: invalid location name"),
        ("self.time.getHours('\\\\x') == 0", "time: invalid location name"),
        ("self.time.getHours('a\\u0000') == 0", "invalid argument"),
    ],
)
def test_an_expression_fails_with_its_error(expression, error):
    assert run(expression).error == error


@pytest.mark.parametrize(
    ("expression", "cost"),
    [
        ("has(oldSelf.list[7].k)", 1),
        ("has((true ? self.flag : self.flag).on)", 1),
        ("optional.of([]) == optional.none()", 2),
        ("format.uuid().validate('').hasValue()", 20),
        # What comes after an argument that is an error, and the call itself, costs nothing where there are three.
        ("self.list.slice([0][1], 1 + 2 + 3).size() == 0", 6),
        ("['abc'][3].replace('a', 'b') == ''", 2),
        ("['%s'][3].format([1]) == ''", 2),
        ("[1, 2, 3].transformMap(i, x, [x][3]).size() == 0", 21),
        ("format.dns1123Label().validate(['a'][3]).hasValue()", 12),
        ("cidr('10.0.0.0/8').containsIP(['a'][3])", 5),
        ("lists.range([3][3]).size() == 0", 16),
        ("dyn(self.list)[dyn('a')][1 + 2].k == 'a'", 6),
        ("{'a': 1}[?['a'][1]].hasValue()", 3),
    ],
)
def test_an_expression_costs_what_upstream_counts(expression, cost):
    assert run(expression).cost == cost
