"""Trees are freed in pieces, and what somebody else holds stays as it is."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
import weakref

import pytest

from quarterdeck._kernels import longsteps


class Leaf:
    """What can be seen to be gone."""


def test_what_nobody_else_holds_is_freed_and_the_list_is_empty() -> None:
    leaf = Leaf()
    gone = weakref.ref(leaf)
    roots: list[object] = [{"a": [{"b": leaf}, [leaf], {1, 2}]}, ([leaf], {"c": (leaf,)}), "text", 1]
    del leaf
    longsteps.let_go(roots)
    assert roots == []
    assert gone() is None


def test_what_somebody_holds_is_left_alone() -> None:
    held = {"list": [1, {"x": 2}], "map": {"y": [3]}}
    inner = held["list"]
    longsteps.let_go([held, held, [inner], {"a": inner}])
    assert held == {"list": [1, {"x": 2}], "map": {"y": [3]}}


def test_what_somebody_else_holds_is_told_apart() -> None:
    held = {"a": [1]}
    values: list[object] = [held, {"b": 2}, ["c"], "text", 1]
    assert longsteps.take_used(values) == [held]
    assert values == [{"b": 2}, ["c"], "text", 1]
    assert longsteps.take_used(values) == []


def test_trees_of_any_depth_are_freed() -> None:
    tree: list[object] = []
    for _ in range(200_000):
        tree = [tree]
    roots: list[object] = [tree]
    del tree
    longsteps.let_go(roots)
    assert roots == []


def test_another_thread_gets_its_turns_meanwhile() -> None:
    roots: list[object] = [[{} for _ in range(400_000)]]
    thread = threading.Thread(target=longsteps.let_go, args=(roots,))
    turns = 0
    usual = sys.getswitchinterval()
    sys.setswitchinterval(10.0)  # so that nothing else takes the lock away
    try:
        thread.start()
        while thread.is_alive():
            time.sleep(0)
            turns += 1
    finally:
        sys.setswitchinterval(usual)
    assert turns > 1
    longsteps.pause()  # on the main thread: nothing to do


def test_a_step_returns_what_it_returns_and_raises_what_it_raises() -> None:
    def fail() -> None:
        raise KeyError("why")

    assert longsteps.run(lambda: longsteps.run(lambda: "inner") + ", outer") == "inner, outer"
    with pytest.raises(KeyError, match="why"):
        longsteps.run(fail)


# Run in a process of its own: what is taken apart is so for good.
_KEEPERS = """
import gc, json, threading, tracemalloc
from quarterdeck._kernels import longsteps

def resident_mib():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096 / 2**20

def build():
    return [{str(n): [n, float(n)]} for n in range(2000)]

def grow(run):
    trees, kept = [], []
    for _ in range(200):
        trees.append(run(build))
        kept.append(object())  # lives on, among the tree's objects
    return trees, kept

longsteps.keep_heap_small()
"""
_MEASURE = (
    _KEEPERS
    + """
longsteps.take_memory_apart()
gc.disable()
before = resident_mib()
trees, kept = grow(longsteps.run)
full = resident_mib()
longsteps.let_go(trees)
longsteps.trim_heap()
print(json.dumps([before, full, resident_mib()]))
"""
)
_BESIDE_OTHERS = (
    _KEEPERS
    + """
longsteps.take_memory_apart()
tracemalloc.start()
first = longsteps.run(build)
tracemalloc.stop()

def begin_and_end():
    tracemalloc.start()
    tree = build()
    tracemalloc.stop()
    return tree

second = longsteps.run(begin_and_end)
others = []
thread = threading.Thread(target=lambda: others.append(longsteps.run(lambda: grow(longsteps.run))))
thread.start()
mine = grow(lambda step: step())
thread.join()
expected = build()
assert first == second == expected
assert others[0][0] == mine[0] == [expected] * 200
trees = [first, second, others[0][0], mine[0], expected * 2]
trees[4] += [{"more": n} for n in range(1000)]  # a block of either kind grows
longsteps.let_go(trees)
"""
)


def _run_apart(program: str) -> str:
    done = subprocess.run([sys.executable, "-c", program], check=False, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.skipif("asan" in os.environ.get("LD_PRELOAD", ""), reason="what is freed is kept, to see who uses it")
def test_what_steps_took_goes_back_to_the_system_though_others_allocated_meanwhile() -> None:
    before, full, after = json.loads(_run_apart(_MEASURE))
    assert full - before > 50
    assert after - before < (full - before) / 5


def test_blocks_of_either_allocator_are_freed_and_grown_by_all() -> None:
    _run_apart(_BESIDE_OTHERS)
