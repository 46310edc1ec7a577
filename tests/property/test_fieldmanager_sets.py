"""The kernels of field management against the slow reference."""

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from quarterdeck._kernels import fieldapplied, fieldcompare, fieldmerge, fieldset, fieldtype
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
