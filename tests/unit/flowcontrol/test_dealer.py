"""Shuffle sharding: which queues a flow may use."""

from __future__ import annotations

from collections import Counter
from hashlib import sha256
from math import perm

from quarterdeck.flowcontrol.dealer import deal, hash_flow


def test_every_hand_is_dealt_once_for_as_many_values_as_there_are_hands() -> None:
    hands = {deal(value, 7, 4) for value in range(perm(7, 4))}
    assert len(hands) == perm(7, 4)
    assert all(len(set(hand)) == 4 and set(hand) <= set(range(7)) for hand in hands)


def test_all_queues_are_dealt_equally_often() -> None:
    counts = Counter(card for number in range(20_000) for card in deal(hash_flow("s", str(number)), 64, 6))
    mean = 20_000 * 6 / 64
    assert len(counts) == 64
    assert all(abs(count - mean) < 0.12 * mean for count in counts.values())


def test_a_hand_is_read_off_the_digits_of_the_value() -> None:
    # 1 + 2*8 + 0*8*7: the digits 1, 2, 0 are card 1, then the third of 0 2 3 4 …, which is 3, then the first left.
    assert deal(17, 8, 3) == (1, 3, 0)


def test_a_flow_is_the_beginning_of_a_digest() -> None:
    assert hash_flow("a", "b") == int.from_bytes(sha256(b"a\0b").digest()[:8], "little")
    assert hash_flow("ab", "") != hash_flow("a", "b")
