"""Variables that are just a name and a text are found as by their slow twin; so are empty lists and maps."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from quarterdeck._kernels import members, variables
from reference import variables_reference as reference

NAMES = st.one_of(st.text(st.sampled_from("aZ_09.=é \x00"), max_size=4), st.none(), st.integers(0, 1))
VARIABLES = st.dictionaries(st.sampled_from(["name", "value", "valueFrom", "nam", "Name"]), NAMES, max_size=3)
NAMED = st.fixed_dictionaries({}, optional={"name": st.sampled_from(["", "a", "b", "c", "d"]), "value": st.just("")})
TREES: st.SearchStrategy[Any] = st.recursive(
    st.one_of(st.none(), st.integers(0, 1), st.just("")),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=2), inner, max_size=3)),
    max_leaves=12,
)


@given(st.lists(st.one_of(VARIABLES, st.none(), st.just("a")), max_size=5))
def test_odd_variables_are_found(found: list[Any]) -> None:
    assert variables.odd(found) == reference.odd(found)


@given(st.lists(NAMED, max_size=5))
def test_repeated_names_are_found(found: list[dict[str, Any]]) -> None:
    assert variables.has_repeated(found) is reference.has_repeated(found)


@given(st.one_of(st.lists(TREES, max_size=3), st.dictionaries(st.text(max_size=2), TREES, max_size=3)))
def test_empty_lists_and_maps_are_found(value: Any) -> None:
    assert members.has_empty(value) is reference.has_empty(value)
