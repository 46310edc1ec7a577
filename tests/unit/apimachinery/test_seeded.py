"""Randomness of a seed: the same for the same seed and purpose, however it is taken, and no other's."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from quarterdeck.apimachinery.seeded import SeededSource


@given(st.integers(0, 2**64), st.lists(st.integers(0, 200), max_size=20))
def test_it_is_one_sequence_of_bytes_however_it_is_taken(seed: int, counts: list[int]) -> None:
    source = SeededSource(seed, "objects")
    taken = b"".join(source.take(count) for count in counts)
    assert taken == SeededSource(seed, "objects").take(sum(counts))


def test_seeds_and_purposes_have_nothing_in_common() -> None:
    sources = [SeededSource(seed, purpose) for seed in (0, 1, -1) for purpose in ("objects", "template")]
    assert len({source.take(16) for source in sources}) == len(sources)


def test_it_is_the_same_on_every_machine() -> None:
    assert SeededSource(7, "objects").take(8).hex() == "04c1e82297e4c9ed"
