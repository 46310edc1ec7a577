"""Shuffle sharding: each flow gets a hand of queues out of the deck; two flows seldom have all of theirs in common.

Source: apiserver/pkg/util/shufflesharding/shufflesharding.go, pkg/util/flowcontrol/apf_controller.go (hashFlowID).
"""

from __future__ import annotations

import hashlib


def hash_flow(schema: str, distinguisher: str) -> int:
    """64 bits: the first eight bytes of a SHA-256, little-endian."""
    digest = hashlib.sha256(schema.encode() + b"\0" + distinguisher.encode("utf-8", "surrogatepass")).digest()
    return int.from_bytes(digest[:8], "little")


def deal(value: int, deck: int, hand: int) -> tuple[int, ...]:
    """`hand` different numbers below `deck`, in the order of the deal; all hands are equally likely.

    The value is read as a number whose digits have the bases deck, deck - 1, …: each digit picks one of the cards that
    are left, and so counts the cards before it that are gone.
    """
    digits: list[int] = []
    for left in range(deck, deck - hand, -1):
        value, digit = divmod(value, left)
        digits.append(digit)
    cards: list[int] = []
    for position, card in enumerate(digits):
        for earlier in reversed(digits[:position]):
            card += card >= earlier
        cards.append(card)
    return tuple(cards)
