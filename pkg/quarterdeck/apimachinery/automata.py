"""Patterns as automata: a table by which the kernel matches a text at a nanosecond or two a byte.

google-re2 remains the judge of what a pattern means, and matches whatever is not built here; but a call of it costs
1.5 µs before the first byte, which is more than validating twenty other values. What most schemas use is built here:
literals, classes, groups, alternatives, repetitions and the anchors ^ and $, over ASCII texts, up to STATES_MAX states.
Anything else gives None. tests/property/test_schema_patterns.py holds every automaton against RE2.

    pattern -> tree (pattern_syntax.py) -> nondeterministic automaton (Thompson)
            -> deterministic table over classes of bytes
"""

from __future__ import annotations

import array
from dataclasses import dataclass
from typing import Final

from quarterdeck.apimachinery.pattern_syntax import REPEAT_MAX, Tree, Unsupported, parse

STATES_MAX: Final = 400
NODES_MAX: Final = 2000
OFFSETS_MAX: Final = 0xFFFF


@dataclass(frozen=True, slots=True)
class Table:
    """A deterministic automaton.

    `classes[byte]` is a byte's class; `moves[state * class_count + class]` is the next state times class_count, as a
    16-bit integer. State 0 is dead, state 1 has matched whatever follows, state 2 is the first. `ends[state]`: 1 if the
    text may end there.
    """

    classes: bytes
    class_count: int
    moves: bytes
    ends: bytes


# --- the nondeterministic automaton ---------------------------------------------------------------
#
# Sets of nodes are integers with a bit a node, so that a union is one operation.


class _Nodes:
    """Node i moves on `sets[i]` to `next[i]`, or without reading to `free[i]`; `asserts[i]`: only at "start" or "end".

    Node 0 is the match.
    """

    def __init__(self) -> None:
        self.sets: list[frozenset[int] | None] = []
        self.next: list[int] = []
        self.free: list[list[int]] = []
        self.asserts: list[str] = []
        self.add()

    def add(self, members: frozenset[int] | None = None, target: int = -1, asserts: str = "") -> int:
        if len(self.sets) >= NODES_MAX:
            raise Unsupported
        self.sets.append(members)
        self.next.append(target)
        self.free.append([])
        self.asserts.append(asserts)
        return len(self.sets) - 1

    def build(self, tree: Tree, target: int, factor: int = 1) -> int:
        """The node from which `tree`, then `target`, is matched."""
        kind = tree[0]
        if kind == "set":
            return self.add(tree[1], target)
        if kind == "cat":
            for part in reversed(tree[1]):
                target = self.build(part, target, factor)
            return target
        if kind == "repeat":
            return self.build_repeat(tree, target, factor)
        if kind == "alt":
            branches = [self.build(branch, target, factor) for branch in tree[1]]
            node = self.add()
            self.free[node] = branches
            return node
        node = self.add(asserts=kind)
        self.free[node] = [target]
        return node

    def build_repeat(self, tree: Tree, target: int, factor: int) -> int:
        _, inner, least, most = tree
        factor *= max(least, most or 0, 1)
        if factor > REPEAT_MAX:
            raise Unsupported
        if most is None:
            loop = self.add()
            self.free[loop] = [target, self.build(inner, loop, factor)]
            target = loop
        else:
            after = target
            for _ in range(most - least):
                once = self.build(inner, target, factor)
                target = self.add()
                self.free[target] = [after, once]
        for _ in range(least):
            target = self.build(inner, target, factor)
        return target

    def closure(self, node: int, at_start: bool, at_end: bool) -> int:
        """The nodes that are reached without reading."""
        reached, stack = 1 << node, [node]
        while stack:
            node = stack.pop()
            asserts = self.asserts[node]
            if (asserts == "start" and not at_start) or (asserts == "end" and not at_end):
                continue
            for target in self.free[node]:
                if not reached >> target & 1:
                    reached |= 1 << target
                    stack.append(target)
        return reached


# --- the deterministic table ----------------------------------------------------------------------


class _Builder:
    """States are sets of nodes; one that holds the match is state 1, whatever else it holds."""

    def __init__(self, tree: Tree) -> None:
        self.nodes = _Nodes()
        self.start = self.nodes.build(tree, 0)
        self.classes, examples = self.partition()
        inside = [self.nodes.closure(node, at_start=False, at_end=False) for node in range(len(self.nodes.sets))]
        # For every class, which nodes move on it, and where to.
        self.movers: list[list[tuple[int, int]]] = []
        for byte in examples:
            self.movers.append(
                [
                    (1 << node, inside[self.nodes.next[node]])
                    for node, members in enumerate(self.nodes.sets)
                    if members is not None and byte in members
                ]
            )
        self.again = inside[self.start]  # a match may begin anywhere
        self.enders = 0  # nodes from which the match is reached where the text ends
        for node in range(len(self.nodes.sets)):
            if self.nodes.closure(node, at_start=False, at_end=True) & 1:
                self.enders |= 1 << node

    def partition(self) -> tuple[bytes, list[int]]:
        """Bytes that no set tells apart are one class; of each class one byte stands for all."""
        distinct = list(dict.fromkeys(s for s in self.nodes.sets if s is not None))
        numbers: dict[tuple[bool, ...], int] = {}
        classes = bytearray(128)
        examples = []
        for byte in range(128):
            signature = tuple([byte in members for members in distinct])
            if signature not in numbers:
                numbers[signature] = len(numbers)
                examples.append(byte)
            classes[byte] = numbers[signature]
        return bytes(classes), examples

    def table(self) -> Table:
        first = self.nodes.closure(self.start, at_start=True, at_end=False)
        at_both_ends = self.nodes.closure(self.start, at_start=True, at_end=True)
        count = len(self.movers)
        moves: list[list[int]] = [[0] * count, [1] * count]
        ends = bytearray((0, 1, at_both_ends & 1))
        states: dict[int, int] = {}
        pending = [first]
        for nodes in pending:  # grows while it is gone through
            if len(moves) > 2:
                ends.append(bool(nodes & self.enders))
            moves.append([1] * count if nodes & 1 else [self.move(nodes, c, states, pending) for c in range(count)])
        return self.finish(moves, ends)

    def move(self, nodes: int, byte_class: int, states: dict[int, int], pending: list[int]) -> int:
        target = self.again
        for node, reached in self.movers[byte_class]:
            if nodes & node:
                target |= reached
        if target & 1:
            return 1
        state = states.get(target)
        if state is None:
            state = len(pending) + 2
            if state >= STATES_MAX:
                raise Unsupported
            states[target] = state
            pending.append(target)
        return state

    def finish(self, moves: list[list[int]], ends: bytearray) -> Table:
        """States from which nothing can match any more become the dead state."""
        alive = {state for state in range(len(moves)) if ends[state]}
        grew = True
        while grew:
            more = {state for state, row in enumerate(moves) if state not in alive and not alive.isdisjoint(row)}
            alive |= more
            grew = bool(more)
        count = len(self.movers)
        if len(moves) * count > OFFSETS_MAX:
            raise Unsupported
        flat = array.array("H", [to * count if to in alive else 0 for row in moves for to in row])
        return Table(self.classes, count, flat.tobytes(), bytes(ends))


def build(pattern: str) -> Table | None:
    """The automaton of a pattern; None when it is left to RE2."""
    try:
        return _Builder(parse(pattern)).table()
    except Unsupported:
        return None
