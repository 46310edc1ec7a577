"""What an object is once it was written and read again is told without doing either, or not at all."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from quarterdeck._kernels.asread import as_read
from quarterdeck.apimachinery.codec import json as codec
from quarterdeck.apimachinery.leaves import leaves

Object = dict[str, Any]
texts = st.sampled_from(["a", "b", "resourceVersion", "apiVersion", "metadata", "é", "", '"']) | st.text(max_size=5)
numbers = (
    st.integers(-(2**63) - 2, 2**63 + 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.sampled_from([1.0, -0.0, 0.5, 1e21, 1e22, 2**63, -(2**63)])
)
scalars = st.none() | st.booleans() | numbers | texts
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4), max_leaves=15
)
members = st.dictionaries(texts, values, max_size=4)


@st.composite
def objects(draw: st.DrawFn) -> Object:
    parts = [("apiVersion", "v1"), ("kind", "K"), ("metadata", draw(members))]
    parts += [(name, value) for name, value in draw(members).items() if name not in ("apiVersion", "kind", "metadata")]
    return dict(draw(st.permutations(parts)))


def shape(value: Any) -> Any:
    """With types, and members in their order."""
    if isinstance(value, dict):
        return [(name, shape(inner)) for name, inner in value.items()]
    return [shape(item) for item in value] if isinstance(value, list) else (type(value), value)


def read(obj: Object) -> Object:
    return codec.load(codec.splice_resource_version(codec.encode_stored(obj), 7))


@settings(max_examples=600, deadline=None)
@given(objects())
def test_it_is_what_is_read(obj: Object) -> None:
    made = as_read(obj, "7")
    if made is not None:
        assert shape(made) == shape(read(obj))
        assert made["metadata"] is not obj["metadata"]


@settings(max_examples=300, deadline=None)
@given(objects())
def test_what_was_read_is_known(obj: Object) -> None:
    """Whatever the server has read itself, but for floats without a fraction: they are beyond int64."""
    once = read(obj)
    if not any(isinstance(leaf, float) and leaf.is_integer() for leaf in leaves(once)):
        assert as_read(once, "7") is not None
