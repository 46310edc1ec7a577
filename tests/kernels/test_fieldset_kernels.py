"""The edges of the field management kernels: depth, order, odd values, inputs that must stay as they are."""

import copy
import gc
import json
import sys

import pytest

from quarterdeck._kernels import fieldapplied, fieldcompare, fieldmerge, fieldset, fieldtype
from quarterdeck.fieldmanager import types

DEPTH = 10_000


def nested(depth):
    value = inner = {}
    for _ in range(depth):
        inner["a"] = {}
        inner = inner["a"]
    return value


def depth_of(fields):
    depth = 0
    while fields := next((node for label, node in fields.items() if label != "."), None):
        depth += 1
    return depth


def test_depth_is_bounded_by_memory_alone():
    value = {"x": nested(DEPTH)}
    owned = fieldtype.added(types.DEDUCED, value, {})
    assert depth_of(owned) == DEPTH
    assert depth_of(fieldapplied.to_set(types.DEDUCED, value)) == DEPTH
    added, modified, removed = fieldcompare.compare(types.DEDUCED, {}, value, {}, True)
    assert (depth_of(added), modified, removed) == (DEPTH, {}, {})
    other = {"x": nested(DEPTH - 1)}
    assert depth_of(fieldcompare.compare(types.DEDUCED, value, other, {}, True)[2]) == DEPTH
    assert depth_of(fieldset.union(owned, {"f:y": {}})) == DEPTH
    assert depth_of(fieldset.order(owned)) == DEPTH
    assert depth_of(fieldset.intersection(owned, owned)) == DEPTH
    assert fieldset.difference(owned, owned) == {}
    assert fieldset.equal(value, value)
    assert not fieldset.equal(value, other)
    merged = fieldmerge.merge(types.DEDUCED, value, other)
    assert fieldset.equal(merged, value)
    assert fieldmerge.remove_items(types.DEDUCED, value, {"f:x": {}}) == {}
    assert fieldmerge.atomic_paths(types.DEDUCED, owned) == {}
    assert fieldtype.conforms(types.DEDUCED, value, False)


def test_deep_values_of_a_recursive_type_are_checked():
    node = fieldtype.FieldType()
    node.set_map({"a": node}, None, atomic=False)
    assert fieldtype.conforms(node, nested(DEPTH), False)
    bad = nested(DEPTH)
    inner = bad
    while inner:
        inner = inner["a"]
    inner["b"] = 1
    assert not fieldtype.conforms(node, bad, False)
    assert fieldtype.added(node, bad, {}) is None


@pytest.mark.parametrize(
    ("value", "label"),
    [
        ("a", 'v:"a"'),
        ("<&>", 'v:"\\u003c\\u0026\\u003e"'),
        ('q"\\', 'v:"q\\"\\\\"'),
        ("\n\t\r\b\x01", 'v:"\\n\\t\\r\\u0008\\u0001"'),
        ("\u2028ü", 'v:"\\u2028ü"'),
        (True, "v:true"),
        (1, "v:1"),
        (-(2**63), "v:-9223372036854775808"),
        (1.0, "v:1"),
        (1.5, "v:1.5"),
        (1e20, "v:100000000000000000000"),
        (2.0**63, "v:9223372036854776000"),
        (-(2.0**64), "v:-18446744073709552000"),
        (1e21, "v:1e+21"),
        (1e-7, "v:1e-07"),
        (-1.25e-300, "v:-1.25e-300"),
        (1e300, "v:1e+300"),
        (-0.00001, "v:-0.00001"),
        (5e-324, "v:5e-324"),
    ],
)
def test_set_items_are_named_by_their_json(value, label):
    assert fieldtype.label_of(types.set_of(types.ANY_SCALAR), value) == label


@pytest.mark.parametrize("item", [None, {}, [], {"a": 1}])
def test_what_is_no_scalar_has_no_place_in_a_set(item):
    assert fieldtype.label_of(types.set_of(types.STRING), item) is None


def test_items_of_list_maps_are_named_by_their_keys():
    port = types.struct({"port": types.NUMERIC, "protocol": types.STRING})
    ports = types.list_map(port, "port", "protocol", defaults={"protocol": "TCP"})
    assert fieldtype.label_of(ports, {"port": 80}) == 'k:{"port":80,"protocol":"TCP"}'
    assert fieldtype.label_of(ports, {"protocol": "UDP", "port": 1}) == 'k:{"port":1,"protocol":"UDP"}'
    assert fieldtype.label_of(ports, {"protocol": "UDP"}) == 'k:{"protocol":"UDP"}'
    assert fieldtype.label_of(ports, "x") is None


def test_items_are_ordered_by_value_not_by_text():
    numbers = types.struct({"n": types.set_of(types.NUMERIC)})
    owned = fieldtype.added(numbers, {"n": [10, 9, -1, 1.5]}, {})
    assert list(owned["f:n"]) == [".", "v:-1", "v:1.5", "v:9", "v:10"]
    merged = fieldset.union({"f:n": {"v:10": {}}}, {"f:n": {"v:9": {}, 'v:"a"': {}, "i:0": {}, "f:z": {}}})
    assert list(merged["f:n"]) == ["f:z", "v:9", "v:10", 'v:"a"', "i:0"]


def test_text_keys_with_blanks_keep_their_order():
    names = types.list_map(types.struct({"name": types.STRING}), "name")
    items = types.struct({"l": names})
    owned = fieldtype.added(items, {"l": [{"name": "a!"}, {"name": "a"}, {"name": "a b"}]}, {})
    expected = [".", 'k:{"name":"a"}', 'k:{"name":"a b"}', 'k:{"name":"a!"}']
    assert list(owned["f:l"]) == expected
    shuffled = {label: {} for label in reversed(expected[1:])}
    assert list(fieldset.order({"f:l": shuffled})["f:l"]) == expected[1:]


@pytest.mark.parametrize(
    ("a", "b", "equal"),
    [
        (1, 1.0, True),
        (1, True, False),
        (0, False, False),
        (None, False, False),
        ("1", 1, False),
        ([1, {"a": True}], [1.0, {"a": True}], True),
        ([1, {"a": True}], [1, {"a": 1}], False),
        ({"a": None}, {}, False),
        ({"a": []}, {"a": {}}, False),
        (2**62, float(2**62), True),
    ],
)
def test_equality_is_that_of_json_values(a, b, equal):
    assert fieldset.equal(a, b) is equal
    assert fieldset.equal(b, a) is equal


def test_a_type_is_expanded_once_and_only_when_it_is_met():
    expanded = []

    def expand(made):
        expanded.append(made)
        made.set_map({"x": types.STRING}, None, atomic=False)

    lazy = fieldtype.FieldType(expand=expand)
    root = types.struct({"lazy": lazy, "text": types.STRING})
    assert fieldtype.added(root, {"text": "a"}, {}) == {"f:text": {}}
    assert not expanded
    for _ in range(2):
        assert fieldtype.added(root, {"lazy": {"x": "a"}}, {}) == {"f:lazy": {".": {}, "f:x": {}}}
    assert expanded == [lazy]


def test_inputs_stay_as_they_are():
    left = {"f:a": {".": {}, "f:b": {}}, "f:c": {}}
    right = {"f:a": {"f:b": {}}, "f:d": {"f:e": {}}}
    before = copy.deepcopy([left, right])
    for operation in (fieldset.union, fieldset.difference, fieldset.recursive_difference, fieldset.intersection):
        operation(left, right)
        operation(right, left)
    fieldset.not_in_any(left, [right])
    assert [left, right] == before


def test_nothing_is_leaked():
    schema = types.from_open_api({"type": "object", "properties": {"spec": {"type": "object", "properties": {
        "l": {"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "string"}}}}}}).root  # fmt: skip
    live = {"spec": {"l": ["a", "b"]}}
    new = {"spec": {"l": ["b", "c"]}}

    def work():
        owned = fieldtype.added(schema, live, {})
        sets = fieldcompare.compare(schema, live, new, {}, True)
        merged = fieldmerge.merge(schema, live, new)
        json.dumps([owned, sets, fieldset.union(owned, sets[0]), fieldmerge.remove_items(schema, merged, sets[0])])

    for _ in range(50):
        work()
    gc.collect()
    before = sys.getallocatedblocks()
    for _ in range(200):
        work()
    gc.collect()
    assert sys.getallocatedblocks() - before < 50


def test_misuse_is_refused():
    with pytest.raises(TypeError):
        fieldset.union(None, {})
    with pytest.raises(TypeError):
        fieldtype.added(None, {}, {})


@pytest.mark.parametrize(
    ("fields", "is_set"),
    [
        ({}, True),
        ({"f:a": {".": {}, "f:b": {}}, "v:1": {}, 'k:{"a":1}': {}, "i:0": {}}, True),
        (None, False),
        ([], False),
        ({"f:a": None}, False),
        ({"f:a": 5}, False),
        ({"f:a": {"f:b": "x"}}, False),
        ({"a": {}}, False),
        ({"": {}}, False),
        ({".": {}}, False),
        ({"f:a": {".": {"f:b": {}}}}, False),
        ({"x:a": {}}, False),
        ({"k:{": {}}, False),
        ({"k:[1]": {}}, False),
        ({"v:": {}}, False),
        ({"i:x": {}}, False),
    ],
)
def test_what_is_no_set_is_told_from_one(fields, is_set):
    assert fieldset.is_well_formed(fields) is is_set


@pytest.mark.parametrize("broken", [{"f:a": 5}, {"f:a": None}, {"f:a": {"f:b": [1]}}])
def test_a_broken_set_raises_and_does_no_harm(broken):
    good = {"f:a": {".": {}, "f:b": {"f:c": {}}}}
    for operation in (fieldset.union, fieldset.difference, fieldset.recursive_difference, fieldset.intersection):
        for left, right in ((broken, good), (good, broken)):
            try:
                operation(left, right)
            except (TypeError, AttributeError):
                continue
