"""The kernel that knows good metadata against the rules that know what is wrong: it never lets a bad one through."""

from hypothesis import example, given, settings
from hypothesis import strategies as st

from quarterdeck._kernels import objectmeta as kernel
from quarterdeck.apimachinery import names
from quarterdeck.schema import objectmeta

LONG = "é" * 140_000
ODD = "aZ0-_./%:ü\n"
words = st.one_of(
    st.text(ODD, max_size=5),
    st.sampled_from(
        ["a", "app", "example.dev/app", "a" * 63, "a" * 64, "a." * 126 + "a", "a" * 254, "..", "Event", "v1"]
    ),
)
maps = st.dictionaries(words, words, max_size=2)
references = st.lists(
    st.fixed_dictionaries(
        {},
        optional={
            "apiVersion": st.sampled_from(["v1", "apps/v1", "a/b/c", "a/", "/", ""]),
            "kind": words,
            "name": words,
            "uid": words,
            "controller": st.booleans(),
        },
    ),
    max_size=2,
)
entries = st.lists(
    st.fixed_dictionaries(
        {},
        optional={
            "operation": st.sampled_from(["Apply", "Update", "Other"]),
            "fieldsType": st.sampled_from(["FieldsV1", "", "x"]),
            "manager": st.one_of(words, st.text(max_size=3)),
            "subresource": st.one_of(words, st.just("s" * 257)),
        },
    ),
    max_size=2,
)
metas = st.fixed_dictionaries(
    {"name": words, "uid": st.sampled_from(["u", "v"])},
    optional={
        "namespace": words,
        "generateName": words,
        "generation": st.integers(-1, 2),
        "resourceVersion": st.sampled_from(["", "5"]),
        "labels": maps,
        "annotations": st.one_of(maps, st.just({"a": LONG})),
        "ownerReferences": references,
        "finalizers": st.lists(st.sampled_from(["orphan", "foregroundDeletion", "example.dev/x", "%"]), max_size=2),
        "managedFields": entries,
        "creationTimestamp": st.sampled_from(["2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z"]),
        "deletionTimestamp": st.just("2026-01-01T00:00:00Z"),
    },
)
GOOD = {"name": "a", "namespace": "b", "resourceVersion": "5", "labels": {"example.dev/a": ""}, "uid": "u"}


class Rules(dict):
    """No plain dict, so that the rules are asked and not the kernel."""


@settings(max_examples=300)
@given(metas, st.booleans(), st.sampled_from([names.name_is_dns1123_subdomain, names.path_segment_name]))
@example(GOOD, True, names.path_segment_name)
def test_good_metadata_is_good(found, namespaced, check):
    if kernel.is_good(found, namespaced, check is names.path_segment_name):
        assert objectmeta.validate_object_meta(Rules(found), namespaced, name_check=check) == []


@settings(max_examples=300)
@given(metas, metas, st.booleans(), st.booleans())
def test_a_good_update_is_good(new, other, namespaced, keeps):
    old = {**new, **{name: other[name] for name in ("labels", "finalizers", "generation") if name in other}}
    old = old if keeps else other
    if kernel.is_good_update(new, old, namespaced):
        assert objectmeta.validate_object_meta(Rules(new), namespaced, name_check=names.path_segment_name) == []
        assert objectmeta.validate_object_meta_update(new, old) == []


def test_usual_metadata_is_known_to_be_good():
    full = {
        **GOOD,
        "generation": 1,
        "annotations": {"example.dev/A": "é"},
        "finalizers": ["example.dev/x"],
        "ownerReferences": [{"apiVersion": "apps/v1", "kind": "K", "name": "n", "uid": "u", "controller": True}],
        "managedFields": [{"operation": "Update", "fieldsType": "FieldsV1", "manager": "m", "subresource": "status"}],
    }
    assert kernel.is_good(full, True, False)
    assert kernel.is_good_update(full, {**full, "generation": 0, "labels": {}}, True)
