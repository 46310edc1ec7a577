"""Trees are freed in pieces, and what somebody else holds stays as it is."""

from __future__ import annotations

import sys
import threading
import time
import weakref

from quarterdeck._kernels import longsteps


class Leaf:
    """What can be seen to be gone."""


def test_what_nobody_else_holds_is_freed_and_the_list_is_empty() -> None:
    leaf = Leaf()
    gone = weakref.ref(leaf)
    roots: list[object] = [{"a": [{"b": leaf}, [leaf], {1, 2}]}, "text", 1]
    del leaf
    longsteps.let_go(roots)
    assert roots == []
    assert gone() is None


def test_what_somebody_holds_is_left_alone() -> None:
    held = {"list": [1, {"x": 2}], "map": {"y": [3]}}
    inner = held["list"]
    longsteps.let_go([held, held, [inner], {"a": inner}])
    assert held == {"list": [1, {"x": 2}], "map": {"y": [3]}}


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
