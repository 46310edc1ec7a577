"""Which old item of a list of type map belongs to a new one, as upstream's maplist.go has it."""

from __future__ import annotations

from typing import Any

import pytest

from quarterdeck.cel.correlation import Correlated


def old_of(new: dict[str, Any], *old: dict[str, Any], keys: tuple[str, ...] = ("a", "b")) -> object:
    schema = {"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": keys, "items": {"type": "object"}}
    found = Correlated([new], list(old), schema).index(new)
    return found.old["v"] if found is not None else None


@pytest.mark.parametrize(
    ("new", "old", "is_same"),
    [
        ({"a": 1, "b": "q"}, {"a": 1, "b": "q"}, True),
        ({"a": 1.0000001, "b": "q"}, {"a": 1.0000002, "b": "q"}, True),
        ({"a": 1.00001, "b": "q"}, {"a": 1.00002, "b": "q"}, False),
        ({"a": 1.0, "b": "q"}, {"a": 1, "b": "q"}, False),
        ({"a": "1", "b": "q"}, {"a": 1, "b": "q"}, False),
        ({"a": True, "b": "q"}, {"a": 1, "b": "q"}, False),
        ({"a": 1}, {"a": 1}, False),
        ({"a": 1, "b": None}, {"a": 1, "b": None}, False),
        ({"a": 1, "b": ["q"]}, {"a": 1, "b": ["q"]}, False),
    ],
)
def test_items_of_several_keys(new: dict[str, Any], old: dict[str, Any], is_same: bool) -> None:
    assert old_of(new, {**old, "v": 7}) == (7 if is_same else None)


def test_numbers_of_a_single_key_are_told_apart() -> None:
    assert old_of({"a": 1.0000001}, {"a": 1.0000002, "v": 7}, keys=("a",)) is None
    assert old_of({"a": 1.0000001}, {"a": 1.0000001, "v": 7}, keys=("a",)) == 7


def test_the_first_of_several_is_the_old_one() -> None:
    assert old_of({"a": 1.0, "b": 2}, {"a": 1.0000001, "b": 2, "v": 7}, {"a": 1.0, "b": 2, "v": 8}) == 7
