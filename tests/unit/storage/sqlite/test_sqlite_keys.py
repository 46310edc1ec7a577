"""What a range costs: the keys of its prefix and the writes since its revision, not the keys of the store."""

from __future__ import annotations

import random
import sys
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

from quarterdeck._kernels.keytable import KeyTable
from quarterdeck.storage import interface
from quarterdeck.storage.sqlite import Limits
from quarterdeck.storage.sqlite.engine import Engine
from quarterdeck.storage.sqlite.keys import KeyIndex, Undone, end_of
from quarterdeck.storage.sqlite.reader import Reader
from quarterdeck.storage.sqlite.writer import Write


def run(steps: Generator[None, None, Any]) -> tuple[Any, int]:
    """The outcome, and how many calls and lines of Python it took: what it costs, on any machine."""
    count = 0

    def trace(frame: Any, event: str, argument: Any) -> Any:
        nonlocal count
        count += 1
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        while True:
            next(steps)
    except StopIteration as stop:
        return stop.value, count
    finally:
        sys.settrace(before)


def fill(engine: Engine, resource: str, keys: range) -> None:
    names = [f"/registry/x/{resource}/{number:06}" for number in keys]
    engine.commit([Write(name, b"{}", None, None, 2, None) for name in names])  # type: ignore[arg-type]


@pytest.fixture
def engine(tmp_path: Path) -> Generator[Engine]:
    engine = Engine(tmp_path / "store.db", Limits(reserve_bytes=0), None, lambda _: None)
    yield engine
    engine.close()


def test_a_range_costs_the_same_in_a_store_of_many_other_keys(engine: Engine) -> None:
    fill(engine, "a", range(50))
    run(engine.reader.range("/registry/x/a/", "", 0, 0))
    small, cost_before = run(engine.reader.range("/registry/x/a/", "", 0, 0))
    for begin in range(0, 20_000, 1000):
        fill(engine, "b", range(begin, begin + 1000))
    run(engine.reader.range("/registry/x/none/", "", 0, 0))  # the order of what was written is paid once
    large, cost = run(engine.reader.range("/registry/x/a/", "", 0, 0))
    assert large.items == small.items
    assert cost < cost_before * 1.5


def test_a_later_page_of_an_older_revision_does_not_undo_the_writes_again(engine: Engine) -> None:
    fill(engine, "a", range(3000))
    revision = engine.state.revision
    fill(engine, "a", range(3000, 6000))
    first, cost = run(engine.reader.range("/registry/x/a/", "", 10, revision))
    second, later_cost = run(engine.reader.range("/registry/x/a/", first.items[-1].key + "\0", 10, revision))
    assert (first.remaining, second.remaining) == (2990, 2980)
    assert later_cost * 20 < cost


def test_no_step_puts_more_than_some_keys_in_order(engine: Engine) -> None:
    for begin in range(0, 10_000, 1000):
        fill(engine, "a", range(begin, begin + 1000))
    steps = engine.reader.range("/registry/x/a/", "", 1, 0)
    assert sum(1 for _ in steps) >= 9


@pytest.mark.parametrize("seed", range(10))
def test_keys_that_come_and_go_while_the_index_is_made_are_in_it_or_not(seed: int) -> None:
    rng = random.Random(seed)
    current = KeyTable()
    for number in range(500):
        current.set(f"/{rng.randrange(1000):04}", number, number)
    index = KeyIndex(current)
    for revision in range(1000, 3000):
        if rng.random() < 0.2:
            index.update(rng.randrange(1, 20))
        key = f"/{rng.randrange(1000):04}"
        if rng.random() < (0.9 if revision < 2000 else 0.1):
            current.discard(key)
        else:
            current.set(key, revision, revision)
        if index.touched is not None:
            index.touched.add(key)
    while not index.update(7):
        pass
    assert list(index.walk("", None)) == sorted(current.keys())
    assert index.count("", None) == len(current)


@pytest.mark.parametrize("seed", range(20))
def test_what_is_undone_is_the_state_at_its_revision(seed: int) -> None:
    rng = random.Random(seed)
    names = [f"{letter}/{number}" for letter in "abc" for number in range(5)]
    current = KeyTable()
    index = KeyIndex(current)
    past: list[dict[str, int]] = [{}]
    rows: list[tuple[str, int]] = []
    undone: list[Undone] = []
    for revision in range(1, 200):
        key = rng.choice(names)
        rows.append((key, current.revision_of(key)))
        if key in current and rng.random() < 0.4:
            current.discard(key)
        else:
            current.set(key, revision, revision)
        if index.touched is not None:
            index.touched.add(key)
        past.append({name: current.revision_of(name) for name in current.keys()})  # noqa: SIM118
        if rng.random() < 0.05:
            undone.append(Undone(revision))
        if rng.random() < 0.3:
            while not index.update(2):
                pass
            for one in undone:
                one.add(rows[one.up_to :], revision, current)
                prefix = rng.choice(["", "a/", "b/", "c/3"])
                start, end = max(prefix, rng.choice(["", "a/2", "b/1"])), end_of(prefix)
                expected = [item for item in sorted(past[one.revision].items()) if item[0].startswith(prefix)]
                expected = [item for item in expected if item[0] >= start]
                assert list(one.walk(index, current, start, end)) == expected
                assert one.count(index, start, end) == len(expected)


def test_a_read_that_is_overtaken_by_compaction_says_so(engine: Engine) -> None:
    fill(engine, "a", range(2000))
    reader: Reader = engine.reader
    steps = reader.range("/registry/x/a/", "", 0, engine.state.revision)
    next(steps)
    fill(engine, "b", range(10))
    run(engine.compactor.compact(engine.state.revision))
    with pytest.raises(interface.Compacted):
        run(steps)
