"""Selections decide as the selectors that they are made of, whatever these repeat or contradict."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from quarterdeck._kernels import watchobject
from quarterdeck.apimachinery import fields, labels
from quarterdeck.storage.cacher import build_selection

KEYS = st.sampled_from("abcdefghijkl")
VALUES = st.sampled_from(["", "1", "2", "3", "x"])
FIELDS = st.sampled_from(["metadata.name", "metadata.namespace", "spec.a", "spec.b"])


@st.composite
def label_terms(draw: st.DrawFn) -> str:
    key, value, other = draw(KEYS), draw(VALUES), draw(VALUES)
    forms = (f"{key}={value}", f"{key}!={value}", f"{key} in ({value},{other})", f"{key} notin ({value},{other})")
    return draw(st.sampled_from((*forms, key, f"!{key}", f"{key}>1", f"{key}<3")))


@st.composite
def field_terms(draw: st.DrawFn) -> str:
    return f"{draw(FIELDS)}{draw(st.sampled_from(['=', '!=', '==']))}{draw(VALUES)}"


@given(
    st.lists(label_terms(), max_size=30),
    st.lists(field_terms(), max_size=12),
    st.lists(
        st.tuples(
            VALUES.filter(bool), VALUES.filter(bool), st.dictionaries(KEYS, VALUES), st.dictionaries(FIELDS, VALUES)
        ),
        min_size=1,
        max_size=6,
    ),
)
def test_a_selection_matches_what_its_selectors_match(
    label_texts: list[str],
    field_texts: list[str],
    objects: list[tuple[str, str, dict[str, str], dict[str, str]]],
) -> None:
    label_selector, field_selector = labels.parse(",".join(label_texts)), fields.parse(",".join(field_texts))
    selection = build_selection(label_selector=label_selector, field_selector=field_selector)
    for namespace, name, own_labels, own_fields in objects:
        shown = {**own_fields, "metadata.name": name, "metadata.namespace": namespace}
        entry = watchobject.Entry(f"{namespace}/{name}", namespace, b"{}", 1, 1, own_labels, own_fields)
        wanted = label_selector.matches(own_labels) and field_selector.matches(shown)
        assert watchobject.matches(lambda _: None, selection, entry) == wanted
