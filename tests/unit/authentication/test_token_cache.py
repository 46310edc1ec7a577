"""Tokens that come again: how long an answer is believed, and when it is not any more."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from quarterdeck.apimachinery.user import User
from quarterdeck.authentication.cache import CacheMetrics, TokenCache
from quarterdeck.authentication.interface import BadToken, Identity, MaybeLater
from quarterdeck.authentication.union import TokenUnion
from quarterdeck.metrics.registry import Registry


class Kind:
    """Knows tokens that begin with its name; "bad" ones it refuses. Counts how often it was asked."""

    def __init__(self, name: str = "a", *, waits: bool = False) -> None:
        self.calls = 0
        self.alive = True
        self.gate = asyncio.Event() if waits else None
        self._name = name

    def authenticate_for(self, token: str, audiences: Sequence[str]) -> MaybeLater:
        self.calls += 1
        return self._answer(token, audiences) if self.gate is None else self._later(token, audiences)

    async def _later(self, token: str, audiences: Sequence[str]) -> Identity | None:
        assert self.gate is not None
        await self.gate.wait()
        return self._answer(token, audiences)

    def _answer(self, token: str, audiences: Sequence[str]) -> Identity | None:
        if token.endswith("bad"):
            raise BadToken(f"{self._name} refuses it")
        if not token.startswith(self._name):
            return None
        return Identity(User(token), is_current=lambda: self.alive, audiences=tuple(audiences))


class Clock:
    now_s = 100.0

    def __call__(self) -> float:
        return self.now_s


def build(kind: Kind, *, clock: Clock | None = None, failure_s: float = 0.0, entries_max: int = 100) -> TokenCache:
    return TokenCache(
        kind,
        CacheMetrics(Registry()),
        success_s=10,
        failure_s=failure_s,
        keeps_errors=failure_s < 5,
        entries_max=entries_max,
        clock=clock or Clock(),
    )


def name_of(found: MaybeLater) -> str | None:
    assert found is None or isinstance(found, Identity)
    return None if found is None else found.user.name


def test_a_known_token_is_believed_for_ten_seconds() -> None:
    kind, clock = Kind(), Clock()
    cache = build(kind, clock=clock)
    for now_s, calls in ((100, 1), (109.9, 1), (110, 2), (119, 2)):
        clock.now_s = now_s
        assert name_of(cache.authenticate_for("a1", ["api"])) == "a1"
        assert kind.calls == calls


def test_other_audiences_and_other_tokens_are_asked_for_anew() -> None:
    kind = Kind()
    cache = build(kind)
    for token, audiences in (("a1", ["x"]), ("a1", ["x", "y"]), ("a1", []), ("a1x", []), ("a", ["1"]), ("a\ud800", [])):
        found = cache.authenticate_for(token, audiences)
        assert isinstance(found, Identity)
        assert (found.user.name, found.audiences) == (token, tuple(audiences))
    assert kind.calls == 6


def test_who_is_deleted_is_refused_at_once() -> None:
    kind = Kind()
    cache = build(kind)
    assert name_of(cache.authenticate_for("a1", [])) == "a1"
    kind.alive = False
    cache.authenticate_for("a1", [])
    assert kind.calls == 2


def test_a_failure_is_kept_only_where_that_is_asked_for() -> None:
    for failure_s, calls in ((0.0, [1, 2]), (1.0, [1, 1])):
        kind = Kind()
        cache = build(kind, failure_s=failure_s)
        for expected in calls:
            assert cache.authenticate_for("unknown", []) is None
            assert kind.calls == expected
        for expected in calls:
            with pytest.raises(BadToken, match="a refuses it"):
                cache.authenticate_for("abad", [])
            assert kind.calls == expected + calls[-1]


def test_errors_are_not_kept_where_they_may_pass() -> None:
    kind = Kind()
    cache = build(kind, failure_s=60.0)
    for calls in (1, 2):
        with pytest.raises(BadToken):
            cache.authenticate_for("abad", [])
        assert kind.calls == calls


def test_there_is_a_bound_and_no_token_in_memory() -> None:
    cache = build(Kind(), entries_max=3)
    for number in range(10):
        cache.authenticate_for(f"a{number}", [])
    assert len(cache) == 3
    assert all(isinstance(key, bytes) and b"a9" not in key for key in cache._entries)


def test_many_requests_with_one_token_ask_once() -> None:
    async def ask() -> None:
        kind = Kind(waits=True)
        cache = build(kind)
        waiting = [asyncio.ensure_future(cache.authenticate_for("a1", [])) for _ in range(20)]  # type: ignore[arg-type]
        await asyncio.sleep(0)
        waiting[0].cancel()  # who gives up does not end it for the others
        assert kind.gate is not None
        kind.gate.set()
        found = await asyncio.gather(*waiting[1:])
        assert {identity.user.name for identity in found} == {"a1"}
        assert kind.calls == 1
        assert isinstance(cache.authenticate_for("a1", []), Identity)

    asyncio.run(ask())


def test_what_was_asked_before_a_change_is_not_kept() -> None:
    async def ask() -> None:
        kind = Kind(waits=True)
        cache = build(kind)
        waiting = asyncio.ensure_future(cache.authenticate_for("a1", []))  # type: ignore[arg-type]
        await asyncio.sleep(0)
        cache.clear()
        assert kind.gate is not None
        kind.gate.set()
        assert name_of(await waiting) == "a1"
        assert len(cache) == 0

    asyncio.run(ask())


@pytest.mark.parametrize("waits", [(False, False), (True, False), (False, True), (True, True)])
def test_all_kinds_are_asked_in_order_and_every_problem_is_told(waits: tuple[bool, bool]) -> None:
    async def ask(token: str) -> Identity | None:
        kinds = [Kind(name, waits=wait) for name, wait in zip("ab", waits, strict=True)]
        for kind in kinds:
            if kind.gate is not None:
                kind.gate.set()
        found = TokenUnion(kinds).authenticate_for(token, [])
        return found if found is None or isinstance(found, Identity) else await found

    for token, expected in (("a1", "a1"), ("b1", "b1"), ("c", None)):
        assert name_of(asyncio.run(ask(token))) == expected
    with pytest.raises(BadToken) as caught:
        asyncio.run(ask("bad"))
    assert caught.value.texts == ("a refuses it", "b refuses it")
