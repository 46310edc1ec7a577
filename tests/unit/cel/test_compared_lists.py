"""Sets and lists of type map, compared with each other and with literals: as Go looks their elements up."""

from __future__ import annotations

import pytest

from quarterdeck.cel.crd_rules import compile_rules
from unit.cel.test_keys_of_maps import outcome_of

ATOMIC = {"type": "object", "x-kubernetes-map-type": "atomic", "properties": {"a": {"type": "string"}}}
ENTRY = {"type": "object", "required": ["k"], "properties": {"k": {"type": "string"}, "v": {"type": "integer"}}}


def set_of(**items):
    return {"type": "array", "x-kubernetes-list-type": "set", "maxItems": 5, "items": items}


SCHEMA = {
    "type": "object",
    "properties": {
        "texts": set_of(type="string", maxLength=9),
        "numbers": set_of(type="number"),
        "times": set_of(type="string", format="duration", maxLength=9),
        "bytes": set_of(type="string", format="byte", maxLength=9),
        "objects": set_of(**ATOMIC),
        "map": {
            "type": "array",
            "maxItems": 5,
            "x-kubernetes-list-type": "map",
            "x-kubernetes-list-map-keys": ["k"],
            "items": ENTRY,
        },
        "entries": {"type": "object", "maxProperties": 5, "additionalProperties": {"type": "string", "maxLength": 9}},
        "plain": {"type": "array", "maxItems": 5, "items": {"type": "string", "maxLength": 9}},
    },
}
OBJECT = {
    "texts": ["a", "b"],
    "numbers": [1, 2.5],
    "times": ["1s"],
    "bytes": ["AAA="],
    "objects": [{"a": "x"}],
    "map": [{"k": "a", "v": 1}],
    "plain": ["a", "b"],
    "entries": {"k": "a"},
}


def outcome(rule):
    """True, False or the text of an error."""
    compiled = compile_rules({**SCHEMA, "x-kubernetes-validations": [{"rule": rule}]}, is_root=False, path="p")
    assert not compiled.errors, compiled.errors
    errors = compiled.validate(OBJECT).errors
    if not errors:
        return True
    return False if errors[0].detail == f"failed rule: {rule}" else errors[0].detail.partition(" evaluating rule")[0]


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ("self.texts == ['b', 'a']", True),
        ("['b', 'a'] == self.texts", False),
        ("self.texts == ['b', 'b']", True),
        ("self.numbers == self.numbers", False),  # 1 was sent, 1.0 is read
        ("dyn(self.numbers) == [dyn(2.5), dyn(1)]", True),
        ("self.times == self.times", False),
        ("dyn(self.times) == ['1s']", True),
        ("dyn(self.bytes) == ['AAA=']", True),
        ("dyn(self.texts) == [optional.of('a'), optional.of('b')]", True),
        ("dyn(self.texts) == [optional.none(), optional.of('b')]", False),
        ("dyn(self.texts) == [1, 2]", False),
        ("dyn(self.texts) == [quantity('1'), quantity('2')]", False),
        ("dyn(self.texts) == [type(1), type(2)]", False),
        ("self.texts in [['b', 'a']]", True),
        ("self.plain in [['b', 'a']]", False),
        ("self.map == self.map", True),
        ("[self.map[0]] == self.map", True),
        ("dyn(self.map) == [{'k': dyn('a'), 'v': dyn(1)}]", False),  # a literal has no members for Go
        ("dyn(self.map) == ['x']", False),
        ("dyn(self.map) == [quantity('1')]", False),
        ("(dyn(self.map) + [dyn('x'), dyn('x')]).size() == 3", True),
        ("self.map + [self.map[0]] == self.map", True),
        ("(self.texts + ['a', 'c', 'c']).size() == 3", True),
    ],
)
def test_elements_are_looked_up_by_what_was_sent(rule, expected):
    assert outcome(rule) is expected


@pytest.mark.parametrize(
    ("rule", "go_type"),
    [
        ("dyn(self.texts) == [['a'], ['b']]", "[]ref.Val"),
        ("dyn(self.texts) == [{'a': 'b'}, {}]", "map[ref.Val]ref.Val"),
        ("dyn(self.texts) == [b'a', b'b']", "[]uint8"),
        ("dyn(self.texts) == [self.plain, self.plain] || true", "[]interface {}"),
        ("self.objects == self.objects", "map[string]interface {}"),
        ("self.bytes == self.bytes", "[]uint8"),
    ],
)
def test_what_cannot_be_looked_up_ends_the_evaluation(rule, go_type):
    assert outcome(rule) == f"internal error: runtime error: hash of unhashable type {go_type}"


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ("sets.contains([dyn([1])], [[url('http://a')]])", True),
        ("sets.contains([[url('http://a')]], [dyn([1])])", False),
        ("sets.intersects([dyn([1])], [[url('http://a')]])", False),
        ("sets.intersects([[url('http://a')]], [dyn([1])])", True),
        ("sets.contains(self.plain, ['a'])", True),
        ("optional.of(url('http://a')) == dyn(optional.of(1))", "no such overload"),
        ("optional.of(url('http://a')) != dyn(optional.of(1))", True),
        ("[optional.of(url('http://a'))] == [dyn(optional.of(1))]", True),
    ],
)
def test_values_that_equal_their_like_alone_are_asked_in_the_order_of_upstream(rule, expected):
    found = outcome(rule)
    assert found is expected if isinstance(expected, bool) else expected in found


def test_null_in_an_optional_is_a_value_like_others():
    assert outcome_of("optional.of(url('http://a')) == dyn(optional.of(null))").error == "no such overload"
    assert outcome_of("optional.of(null) == dyn(optional.of(url('http://a')))").value is False


@pytest.mark.parametrize(
    "rule",
    [
        "dyn(1) in self.entries",
        "dyn(1) in dyn(self)",
        "self.entries[dyn(1)] == 'a'",
        "dyn(self)[dyn(true)] == 'a'",
        "self.entries[?dyn(1)].hasValue()",
        "dyn(self)[?dyn(1.5)][?dyn(2)].hasValue()",
    ],
)
def test_a_map_of_an_object_has_texts_for_keys(rule):
    assert outcome(rule).startswith("'no such overload'")


@pytest.mark.parametrize(
    ("field", "name"),
    [("entries", "Map"), ("plain", "List"), ("texts", "SetList"), ("map", "MapList")],
)
def test_containers_of_an_object_have_names_of_their_own(field, name):
    assert outcome(f"['a'][dyn(self.{field})] == 'a'") == f"invalid qualifier type: *common.unstructured{name}"
