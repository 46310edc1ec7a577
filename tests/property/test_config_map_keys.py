"""One look at all keys of a ConfigMap against the rule for each of them."""

from __future__ import annotations

import string

from hypothesis import example, given
from hypothesis import strategies as st

from quarterdeck.apimachinery import names

USUAL = string.ascii_letters + string.digits + "-_."
usual = st.text(USUAL, min_size=1, max_size=253).filter(lambda key: not key.startswith("."))
odd = st.text(st.sampled_from([*USUAL[:3], ".", "\n", " ", "/", "ä", "\0", "\ud800"]), max_size=4)
long = st.integers(250, 256).map(lambda size: "k" * size)


@given(st.lists(usual | odd | long, max_size=6, unique=True))
@example([""])
@example(["a", ""])
@example(["", "a"])
@example(["a\nb"])
@example(["a", ".."])
def test_nothing_is_said_of_usual_keys(keys: list[str]) -> None:
    if names.are_usual_config_map_keys(keys):
        assert not any(names.config_map_key(key) for key in keys)


@given(st.lists(usual, max_size=6, unique=True))
def test_usual_keys_are_known(keys: list[str]) -> None:
    assert names.are_usual_config_map_keys(keys)
