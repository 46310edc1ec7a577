"""A body that comes in pieces of any size: it is what was sent, and what follows it stays."""

from __future__ import annotations

import random

import pytest

from quarterdeck.transport.incoming import IncomingBody


@pytest.mark.parametrize("piece_max", [1, 100, 16 * 1024, 100_000, 1 << 20])
def test_the_body_is_what_was_sent(piece_max: int) -> None:
    chosen = random.Random(piece_max)
    body = chosen.randbytes(1 + 50 * min(piece_max, 20_000))
    incoming, begin = IncomingBody(len(body), len(body)), 0
    while begin < len(body):
        assert not incoming.is_done
        end = begin + chosen.randint(1, piece_max)
        piece = body[begin:end]
        assert incoming.feed(piece, 0) == len(piece)
        begin = end
    assert incoming.is_done
    assert incoming.take() == body


def test_it_begins_and_ends_within_pieces() -> None:
    body = b"x" * 20_000
    incoming = IncomingBody(len(body), len(body))
    assert incoming.feed(b"head" + body[:17_000], 4) == 17_004
    assert incoming.feed(body[17_000:] + b"GET /", 0) == 3_000
    assert incoming.is_done
    assert incoming.take() == body


def test_an_empty_body_is_whole_at_once() -> None:
    incoming = IncomingBody(0, 1)
    assert incoming.feed(b"GET /", 0) == 0
    assert (incoming.is_done, incoming.take()) == (True, b"")
