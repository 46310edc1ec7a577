"""JSON patch against the `jsonpatch` package where both follow the RFC; merge patch against the RFC's own algorithm."""

import json

import jsonpatch as oracle
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from quarterdeck._kernels import json as kernel
from quarterdeck.apimachinery.patch import jsonpatch, mergepatch, strategic

names = st.sampled_from(["a", "b", "a/b", "~", "", "0"])
scalars = st.none() | st.booleans() | st.integers(0, 3) | st.sampled_from(["x", "y"])
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=3), max_leaves=10
)
documents = st.dictionaries(names, values, min_size=1, max_size=3)


@settings(max_examples=100, deadline=None)
@given(documents, documents)
def test_patches_that_another_implementation_made_lead_from_one_document_to_the_other(source, target):
    operations = json.loads(oracle.make_patch(source, target).to_string())
    assert kernel.equal(jsonpatch.apply(kernel.copy(source), operations), target)


@st.composite
def pointers(draw):
    tokens = draw(st.lists(st.sampled_from(["a", "b", "0", "1", "-", "a~1b", "~0", ""]), min_size=1, max_size=3))
    return "/" + "/".join(tokens)


operation = st.fixed_dictionaries(
    {"op": st.sampled_from(["add", "remove", "move", "copy"]), "path": pointers(), "from": pointers(), "value": values}
)


@settings(max_examples=100, deadline=None)
@given(documents, st.lists(operation, min_size=1, max_size=3))
def test_what_the_rfc_allows_is_applied_alike(document, operations):
    try:
        expected = oracle.apply_patch(kernel.copy(document), kernel.copy(operations))
    except (oracle.JsonPatchException, oracle.JsonPointerException, TypeError, KeyError, IndexError):
        return  # upstream is laxer than the RFC: see the unit tests
    assert kernel.equal(jsonpatch.apply(kernel.copy(document), operations), expected)


def rfc_7386(target, patch):
    if not isinstance(patch, dict):
        return patch
    result = dict(target) if isinstance(target, dict) else {}
    for name, value in patch.items():
        if value is None:
            result.pop(name, None)
        else:
            result[name] = rfc_7386(result.get(name), value)
    return result


def has_null_in_list(value, below_list=False):
    """Whether an object that lies in a list has a null member, at any depth."""
    if isinstance(value, list):
        return any(has_null_in_list(item, below_list=True) for item in value)
    if not isinstance(value, dict):
        return False
    return any((below_list and item is None) or has_null_in_list(item, below_list) for item in value.values())


@settings(max_examples=100, deadline=None)
@given(documents, documents)
def test_merge_patches_follow_the_rfc(document, patch):
    expected = rfc_7386(document, patch)
    before, sent = kernel.copy(document), kernel.copy(patch)
    patched = mergepatch.apply(document, patch)
    if not has_null_in_list(patch):
        assert kernel.equal(patched, expected)
    assert kernel.equal(document, before)
    assert kernel.equal(patch, sent)


@settings(max_examples=100, deadline=None)
@given(documents, documents.filter(lambda patch: not has_null_in_list(patch)))
def test_strategic_patches_of_an_unknown_type_are_merge_patches(document, patch):
    got = strategic.apply(kernel.copy(document), kernel.copy(patch), ("g", "v", "Unknown"))
    expected = mergepatch.apply(kernel.copy(document), patch)
    # A list over a value of another kind, or over null, is the one thing that the two treat apart.
    assert set(got) == set(expected)


containers = st.lists(
    st.fixed_dictionaries(
        {"name": st.sampled_from("abcd")}, optional={"image": st.sampled_from("xy"), "tty": st.none()}
    ),
    max_size=4,
    unique_by=lambda item: item["name"],
)


@settings(max_examples=100, deadline=None)
@given(containers, containers, st.permutations("abcd"))
def test_lists_are_merged_by_key_and_ordered(original, patch, order):
    assume(original or patch)  # an order of nothing is refused
    original = [{k: v for k, v in item.items() if v is not None} for item in original]
    document = {"spec": {"containers": kernel.copy(original)}}
    wanted = [{"name": name} for name in order]
    patch.sort(key=lambda item: order.index(item["name"]))
    change = {"spec": {"containers": kernel.copy(patch), "$setElementOrder/containers": wanted}}
    got = strategic.apply(document, change, ("", "v1", "Pod"))["spec"]["containers"]
    expected = {item["name"]: dict(item) for item in original}
    for item in patch:
        merged = {**expected[item["name"]], **item} if item["name"] in expected else item
        is_new = merged is item  # taken as it is, nulls and all
        expected[item["name"]] = {k: v for k, v in merged.items() if is_new or v is not None}
    assert {item["name"]: item for item in got} == expected
    assert [item["name"] for item in got] == [name for name in order if name in expected]
