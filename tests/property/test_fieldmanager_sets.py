"""The kernels of field management against the slow reference."""

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from quarterdeck._kernels import fieldapplied, fieldcompare, fieldmerge, fieldset, fieldshape, fieldtype, jsonwrite
from quarterdeck.fieldmanager import types
from reference import fieldmanager as reference
from support import fieldobjects

TYPE = types.from_node(fieldobjects.SPEC, False)
values = fieldobjects.specs()
live_values = fieldobjects.specs(duplicates=True)
labels = st.sampled_from(["f:a", "f:b", 'v:"x"', "v:2", "v:10", 'k:{"name":"x"}', 'k:{"port":9}', 'k:{"port":10}'])
path_sets = st.sets(st.lists(labels, min_size=1, max_size=3).map(tuple), max_size=8)


def text(value):
    """Order counts: FieldsV1 is compared byte for byte."""
    return json.dumps(value)


@given(path_sets, path_sets)
@settings(max_examples=150, deadline=None)
def test_arithmetic_is_that_of_sets_of_paths(left, right):
    a, b = reference.to_tree(left), reference.to_tree(right)
    assert text(fieldset.union(a, b)) == text(reference.to_tree(left | right))
    assert text(fieldset.difference(a, b)) == text(reference.to_tree(left - right))
    assert text(fieldset.intersection(a, b)) == text(reference.to_tree(left & right))
    gone = reference.recursive_difference(left, right)
    assert text(fieldset.recursive_difference(a, b)) == text(reference.to_tree(gone))


@given(path_sets, st.randoms(use_true_random=False))
@settings(max_examples=50, deadline=None)
def test_order_does_not_depend_on_the_input(paths, random):
    def shuffled(node):
        keys = list(node)
        random.shuffle(keys)
        return {key: shuffled(node[key]) for key in keys}

    tree = reference.to_tree(paths)
    assert text(fieldset.order(shuffled(tree))) == text(tree)


@given(live_values)
@settings(max_examples=150, deadline=None)
def test_new_objects_and_applied_ones(value):
    expected = reference.all_fields(fieldobjects.SPEC, value) - {()}
    assert text(fieldtype.added(TYPE, value, {})) == text(reference.to_tree(expected))
    owned = reference.applied_fields(fieldobjects.SPEC, value) - {()}
    assert text(fieldapplied.to_set(TYPE, value)) == text(reference.to_tree(owned))
    assert fieldtype.conforms(TYPE, value, True)


def with_other_scalars(value, random):
    """Of the same shape, or nearly: some values are others, a few are gone or of another kind."""
    if isinstance(value, dict):
        kept = {name: item for name, item in value.items() if random.random() > 0.02}
        return {name: with_other_scalars(item, random) for name, item in kept.items()}
    if isinstance(value, list):
        return [with_other_scalars(item, random) for item in value]
    chance = random.random()
    if chance < 0.7:
        return value
    if chance < 0.96 and value is not None:
        return f"{value}!" if isinstance(value, str) else value if isinstance(value, bool) else value + 1
    return random.choice([None, True, 7, 1.5, "text", [], {}, ["a"], {"a": 1}])


_EXCLUDES = [{}, {"f:nested": {".": {}, "f:a": {}}, "f:set": {}}]


def fields_beside(zero, value, exclude):
    """What differs from what is there before anything is set."""
    if zero is None:
        return fieldtype.added(TYPE, value, exclude)
    sets = fieldcompare.compare(TYPE, zero, value, exclude, True)
    return None if sets is None else fieldset.union(sets[1], sets[0])


@given(
    live_values,
    st.lists(st.randoms(use_true_random=False), min_size=1, max_size=8),
    st.sampled_from(_EXCLUDES),
    st.none() | values,
)
@settings(max_examples=400, deadline=None)
def test_new_objects_of_nearly_one_shape(value, randoms, exclude, zero):
    for like in (value, *(with_other_scalars(value, random) for random in randoms), value):
        expected = fields_beside(zero, like, exclude)
        for _ in range(3):  # noted, recognized, recognized with its text
            found = fieldshape.added(TYPE, like, exclude, zero)
            assert text(found) == text(expected)
            assert jsonwrite.encode(found) == jsonwrite.encode(json.loads(text(expected)))


@given(live_values, live_values, st.booleans())
@settings(max_examples=250, deadline=None)
def test_comparison(live, new, check):
    sets = fieldcompare.compare(TYPE, live, new, {}, check)
    expected = reference.compare(fieldobjects.SPEC, live, new)
    assert text(sets) == text([reference.to_tree(paths) for paths in expected])


@given(live_values, live_values)
@settings(max_examples=100, deadline=None)
def test_what_is_excluded_does_not_show(live, new):
    exclude = {"f:nested": {".": {}, "f:a": {}}, "f:set": {}}
    sets = fieldcompare.compare(TYPE, live, new, exclude, True)
    for got, paths in zip(sets, reference.compare(fieldobjects.SPEC, live, new), strict=True):
        kept = reference.recursive_difference(paths, {("f:set",), ("f:nested", "f:a")}) - {("f:nested",)}
        assert text(got) == text(reference.to_tree(kept))
    kept = reference.all_fields(fieldobjects.SPEC, new) - {(), ("f:nested",)}
    kept = reference.recursive_difference(kept, {("f:set",), ("f:nested", "f:a")})
    assert text(fieldtype.added(TYPE, new, exclude)) == text(reference.to_tree(kept))


@given(values, values)
@settings(max_examples=250, deadline=None)
def test_merge(live, config):
    before = text([live, config])
    merged = fieldmerge.merge(TYPE, live, config)
    assert merged == reference.merge(fieldobjects.SPEC, live, config)
    assert text([live, config]) == before


def without_order(value):
    if isinstance(value, dict):
        return {name: without_order(item) for name, item in value.items()}
    return sorted(map(text, map(without_order, value))) if isinstance(value, list) else value


@given(live_values, values)
@settings(max_examples=100, deadline=None)
def test_merge_with_repeated_items(live, config):
    merged = fieldmerge.merge(TYPE, live, config)
    assert without_order(merged) == without_order(reference.merge(fieldobjects.SPEC, live, config))


@given(values, st.randoms(use_true_random=False))
@settings(max_examples=150, deadline=None)
def test_removal(value, random):
    present = sorted(reference.all_fields(fieldobjects.SPEC, value) - {()})
    chosen = set(random.sample(present, random.randint(0, len(present))))
    before = text(value)
    left = fieldmerge.remove_items(TYPE, value, reference.to_tree(chosen))
    assert left == reference.remove(fieldobjects.SPEC, value, chosen)
    assert text(value) == before


@given(live_values, live_values)
@settings(max_examples=100, deadline=None)
def test_equality(a, b):
    assert fieldset.equal(a, b) == reference.same(a, b)
    assert fieldset.equal(a, json.loads(text(a)))
