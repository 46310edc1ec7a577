"""States that were forked from one another, against a slow twin: copies of everything for each revision."""

from __future__ import annotations

from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from quarterdeck.storage.memory import State, new_state

KEYS = [f"/registry/core/{kind}/{name}" for kind in ("a", "b") for name in "uvwxyz"]
STATES_MAX = 6


class Twin:
    """`past`: all that each revision held which can still be told."""

    def __init__(self, past: dict[int, dict[str, tuple[bytes, int]]]) -> None:
        self.past = past

    @property
    def newest(self) -> dict[str, tuple[bytes, int]]:
        return self.past[max(self.past)]


class Forks(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        first = new_state()
        self.pairs: list[tuple[State, Twin]] = [(first, Twin({first.revision: {}}))]

    def pick(self, number: int) -> tuple[State, Twin]:
        return self.pairs[number % len(self.pairs)]

    @rule(number=st.integers(0, 99), key=st.sampled_from(KEYS), value=st.binary(max_size=3))
    def put(self, number: int, key: str, value: bytes) -> None:
        state, twin = self.pick(number)
        revision = state.write(key, value).revision
        twin.past[revision] = {**twin.newest, key: (value, revision)}

    @rule(number=st.integers(0, 99), data=st.data())
    def delete(self, number: int, data: Any) -> None:
        state, twin = self.pick(number)
        if twin.newest:
            key = data.draw(st.sampled_from(sorted(twin.newest)))
            revision = state.write(key, None).revision
            twin.past[revision] = {each: held for each, held in twin.newest.items() if each != key}

    @rule(number=st.integers(0, 99), rows=st.integers(1, 5))
    def shorten(self, number: int, rows: int) -> None:
        state, twin = self.pick(number)
        state.shorten(rows, 1 << 20)
        twin.past = {revision: held for revision, held in twin.past.items() if revision >= state.compacted}

    @rule(number=st.integers(0, 99))
    def fork(self, number: int) -> None:
        state, twin = self.pick(number)
        self.pairs.append((state.fork(), Twin(dict(twin.past))))
        del self.pairs[:-STATES_MAX]

    @rule(number=st.integers(0, 99))
    def snapshot(self, number: int) -> None:
        state, twin = self.pick(number)
        self.pairs.append((state.snapshot(), Twin({state.revision: dict(twin.newest)})))
        del self.pairs[:-STATES_MAX]

    @rule(number=st.integers(0, 99), other=st.integers(0, 99))
    def restore(self, number: int, other: int) -> None:
        """`number` becomes what `other` is; its revisions go on."""
        at = number % len(self.pairs)
        before, (state, twin) = self.pairs[at][0].revision, self.pick(other)
        restored = state.restored(before)
        assert restored.revision > max(before, state.revision)
        self.pairs[at] = (restored, Twin({restored.revision: dict(twin.newest)}))

    @invariant()
    def each_state_tells_what_its_twin_tells(self) -> None:
        for state, twin in self.pairs:
            assert state.revision == max(twin.past)
            assert state.compacted == min(twin.past)
            assert state.value_bytes == sum(len(value) for value, _ in twin.newest.values())
            for revision, held in twin.past.items():
                earlier = state.undo(revision)
                found = {each.key: (each.value, each.revision) for each in state.walk("", None, earlier)}
                assert list(found) == sorted(held)
                assert found == held
                assert state.count("", None, earlier) == len(held)


Forks.TestCase.settings = settings(max_examples=150, stateful_step_count=30, deadline=None)
test_forks = Forks.TestCase
