"""The table of keys holds what a dict would hold."""

from __future__ import annotations

import random

import pytest

from quarterdeck._kernels.keytable import KeyTable


def content(table: KeyTable) -> dict[str, tuple[int, int] | None]:
    return {key: table.get(key) for key in table.keys()}  # noqa: SIM118 - not a dict


@pytest.mark.parametrize("seed", range(5))
def test_it_holds_what_a_dict_would_hold(seed: int) -> None:
    rng = random.Random(seed)
    table, wanted = KeyTable(), dict[str, tuple[int, int]]()
    names = [f"/registry/core/{'ü' * (number % 3)}/{number}" for number in range(3000)]
    for share in (0.1, 0.5, 0.9):  # so many of the writes remove a key: it grows, stays, shrinks
        for revision in range(1, 6000):
            key = rng.choice(names)
            if rng.random() < share:
                table.discard(key)
                wanted.pop(key, None)
            else:
                table.set(key, revision, revision // 2)
                wanted[key] = (revision, revision // 2)
        assert content(table) == wanted
        assert len(table) == len(wanted)
        assert [table.revision_of(name) for name in names] == [wanted.get(name, (0, 0))[0] for name in names]
        assert [name in table for name in names] == [name in wanted for name in names]


def test_the_last_key_takes_the_place_of_one_that_is_removed() -> None:
    table = KeyTable()
    for key in "abcde":
        table.set(key, 1, 1)
    assert (table.keys(1, 3), table.keys(4), table.keys(5, 9), table.keys(3, 2)) == (["b", "c"], ["e"], [], [])
    table.discard("b")
    assert table.keys() == ["a", "e", "c", "d"]
    table.set("b", 2, 2)
    assert table.keys(3) == ["d", "b"]


def test_numbers_and_keys_of_all_sizes() -> None:
    table = KeyTable()
    largest = 2**63 - 1
    table.set("", largest, -largest)
    table.set("k" * 100_000, 1, 2)
    table.set("a\0b", 3, 4)
    assert content(table) == {"": (largest, -largest), "k" * 100_000: (1, 2), "a\0b": (3, 4)}
    assert table.get("a") is None
    with pytest.raises(OverflowError):
        table.set("a", largest + 1, 0)
    assert "a" not in table


def test_a_key_that_is_no_text_of_unicode_is_in_no_table() -> None:
    table = KeyTable()
    assert table.get("\ud800") is None
    assert table.revision_of("\ud800") == 0
    assert "\ud800" not in table
    table.discard("\ud800")
    with pytest.raises(UnicodeEncodeError):
        table.set("\ud800", 1, 1)
    assert len(table) == 0
