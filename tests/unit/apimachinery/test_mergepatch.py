"""Merge patches: RFC 7386 and where upstream's library leaves it."""

import json

import pytest

from quarterdeck.apimachinery import errors
from quarterdeck.apimachinery.codec import json as codec
from quarterdeck.apimachinery.patch import mergepatch
from support import recorded

# The examples of RFC 7386, appendix A, whose original and patch are objects.
RFC_EXAMPLES = [
    ({"a": "b"}, {"a": "c"}, {"a": "c"}),
    ({"a": "b"}, {"b": "c"}, {"a": "b", "b": "c"}),
    ({"a": "b"}, {"a": None}, {}),
    ({"a": "b", "b": "c"}, {"a": None}, {"b": "c"}),
    ({"a": ["b"]}, {"a": "c"}, {"a": "c"}),
    ({"a": "c"}, {"a": ["b"]}, {"a": ["b"]}),
    ({"a": {"b": "c"}}, {"a": {"b": "d", "c": None}}, {"a": {"b": "d"}}),
    ({"a": [{"b": "c"}]}, {"a": [1]}, {"a": [1]}),
    ({"e": None}, {"a": 1}, {"e": None, "a": 1}),
    ({}, {"a": {"bb": {"ccc": None}}}, {"a": {"bb": {}}}),
]


@pytest.mark.parametrize("document, patch, expected", RFC_EXAMPLES)
def test_examples_of_the_rfc(document, patch, expected):
    assert mergepatch.apply(document, patch) == expected


@pytest.mark.parametrize(
    "document, patch, expected",
    [
        ({}, {"a": [None, {"b": None}]}, {"a": [None, {}]}),  # a new list: its objects lose their nulls
        ({"a": {}}, {"a": [{"b": None}]}, {"a": [{"b": None}]}),  # a list in place of an object keeps them
        ({"a": None}, {"a": {"b": None, "c": 1}}, {"a": {"c": 1}}),
    ],
)
def test_nulls_inside_lists_are_treated_as_upstream_does(document, patch, expected):
    assert mergepatch.apply(document, patch) == expected


def test_recorded_patches_are_answered_alike():
    recording = json.loads((recorded.golden_folder() / "patch/merge-patch.json").read_text())
    obj = recording["scenario"]["setup"][-1]["body"]
    for step, answer in recorded.golden_steps("patch/merge-patch.json"):
        obj = mergepatch.apply(obj, mergepatch.decode(json.dumps(step["body"]).encode()).value)
        assert obj.get("spec") == answer["body"].get("spec")


@pytest.mark.parametrize(
    "data, message",
    [
        (b"{", "error decoding patch: unexpected end of JSON input"),
        (b"[]", "error decoding patch: json: cannot unmarshal array into Go value of type map[string]interface {}"),
        (b"null", "Invalid JSON Patch"),
    ],
)
def test_what_is_no_object_is_refused(data, message):
    with pytest.raises(errors.BadRequest) as caught:
        mergepatch.decode(data)
    assert caught.value.message == message


def test_duplicates_are_strict_errors():
    assert mergepatch.decode(b'{"a":1,"a":2}').strict_errors == ['duplicate field "a"']
    assert mergepatch.decode(b'{"a":1,"a":2}', is_validated=False).strict_errors == []


def test_patch_is_not_shared_with_the_document():
    patch = {"a": {"b": [1]}}
    mergepatch.apply({}, patch)["a"]["b"].append(2)
    assert patch == {"a": {"b": [1]}}


def test_deep_patches_are_applied_without_recursion():
    text = b'{"a":' * 9_000 + b"null" + b"}" * 9_000
    document = codec.decode(text.replace(b"null", b"1")).value
    mergepatch.apply(document, codec.decode(text).value)
    mergepatch.apply({}, codec.decode(text).value)
