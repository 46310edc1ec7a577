"""The JSON codec against its reference, on values and on texts that went wrong."""

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from quarterdeck._kernels import json as kernel
from quarterdeck._kernels import jsondecode, jsonwrite
from quarterdeck.apimachinery.codec import json as codec
from quarterdeck.apimachinery.codec import yaml, yamlbuild
from reference import json_reference

any_text = st.text(st.characters(exclude_categories=("Cs",)), max_size=30)
texts = any_text | st.sampled_from(["a", "b", "a.b", "", '"', "\\"])
numbers = st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False, allow_infinity=False)
scalars = st.none() | st.booleans() | numbers | texts
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4), max_leaves=20
)


PIECES = [b'"', b",", b"{", b"}", b"[", b"]", b":", b"\\", b"0", b"-", b".", b"e9", b'"a":1,', b"\\ud800"]
PIECES += [b"", b"\xff", b"\xed\xa0\x80"]


@st.composite
def broken_texts(draw):
    """A JSON text with a few bytes changed, which may well be valid again."""
    text = json.dumps(draw(values), ensure_ascii=draw(st.booleans()), indent=draw(st.sampled_from([None, 1])))
    data = bytearray(text.encode())
    for _ in range(draw(st.integers(0, 3))):
        position = draw(st.integers(0, len(data)))
        data[position : position + draw(st.integers(0, 2))] = draw(st.sampled_from(PIECES))
    return bytes(data)


@settings(max_examples=200, deadline=None)
@given(broken_texts())
def test_decode_agrees_with_the_reference(data):
    expected = json_reference.decode(data)
    try:
        decoded = codec.decode(data)
    except codec.DecodeError:
        assert expected is None
        return
    assert expected is not None
    assert kernel.equal(decoded.value, expected[0])
    assert decoded.duplicates == expected[1]
    assert kernel.equal(jsondecode.decode(data, 10_000)[0], expected[0])


@settings(max_examples=120, deadline=None)
@given(values)
def test_encode_agrees_with_the_reference_and_reads_back(value):
    data = codec.encode(value)
    assert data.decode() == json_reference.encode(value)
    assert kernel.equal(codec.decode(data).value, jsonwrite.integers_for_floats(kernel.copy(value)))


@settings(max_examples=80, deadline=None)
@given(values, values)
def test_copies_are_equal_and_equality_is_that_of_the_text(left, right):
    assert kernel.equal(left, kernel.copy(left))
    same = json.dumps(left, sort_keys=True) == json.dumps(right, sort_keys=True)
    assert kernel.equal(left, right) == same


@settings(max_examples=80, deadline=None)
@given(st.dictionaries(texts, values, max_size=4), st.integers(1, 2**63 - 1))
def test_resource_versions_are_spliced_and_removed(members, revision):
    obj = {**members, "metadata": {"name": "a", "resourceVersion": "5", **members}, "kind": "K"}
    stored = codec.encode_stored(obj)
    assert stored is not None
    assert stored == codec.encode(codec.canonical_object(obj))
    assert codec.encode_stored(obj, len(stored)) == stored
    assert codec.encode_stored(obj, len(stored) - 1) is None
    spliced = codec.splice_resource_version(stored, revision)
    assert codec.decode(spliced).value["metadata"]["resourceVersion"] == str(revision)
    assert codec.remove_resource_version(spliced) == (stored, revision)


yaml_texts = st.text(
    st.characters(exclude_categories=("Cs", "Cc"), exclude_characters="\ufeff\ufffe\uffff"), max_size=12
)
yaml_words = st.sampled_from(["yes", "1", "~", "a\nb\n", " x", "- ", "0x1f", "1e3", "2001-01-01"])
yaml_scalars = st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | yaml_texts | yaml_words
yaml_values = st.recursive(
    yaml_scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(yaml_texts, inner, max_size=4),
    max_leaves=15,
)


@settings(max_examples=80, deadline=None)
@given(yaml_values)
def test_yaml_that_is_written_reads_back(value):
    assert kernel.equal(yaml.decode(yaml.write(value)).value, value)


@settings(max_examples=80, deadline=None)
@given(st.dictionaries(yaml_texts, yaml_values, max_size=4))
def test_json_read_as_yaml_is_the_same_by_both_ways(value):
    data = codec.encode(value)
    assert kernel.equal(yaml.decode(data).value, yamlbuild.Builder(data).build().value)
