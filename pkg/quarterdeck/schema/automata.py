"""Patterns as automata: a table by which the kernel matches a text at a nanosecond or two a byte.

google-re2 remains the judge of what a pattern means, and matches whatever is not built here; but a call of it costs
1.5 µs before the first byte, which is more than validating twenty other values. What most schemas use is built here:
literals, classes, groups, alternatives, repetitions and the anchors ^ and $, over ASCII texts, up to STATES_MAX states.
Anything else gives None. tests/property/test_schema_patterns.py holds every automaton against RE2.

    pattern -> tree -> nondeterministic automaton (Thompson) -> deterministic table over classes of bytes
"""

from __future__ import annotations

import array
from dataclasses import dataclass
from typing import Any, Final

STATES_MAX: Final = 400
NODES_MAX: Final = 2000
OFFSETS_MAX: Final = 0xFFFF
REPEAT_MAX: Final = 1000  # of Go and RE2, also for the product of nested repetitions
NESTING_MAX: Final = 50

_ALPHABET: Final = frozenset(range(128))
_DIGITS: Final = frozenset(b"0123456789")
_WORD: Final = frozenset(b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz")
_SPACE: Final = frozenset(b"\t\n\f\r ")
_ESCAPED_CLASSES: Final = {
    "d": _DIGITS,
    "D": _ALPHABET - _DIGITS,
    "w": _WORD,
    "W": _ALPHABET - _WORD,
    "s": _SPACE,
    "S": _ALPHABET - _SPACE,
}
_ESCAPED_CHARS: Final = {"t": 9, "n": 10, "v": 11, "f": 12, "r": 13}
_POSIX_CLASSES: Final = {
    "alnum": _WORD - {95},
    "alpha": _WORD - {95} - _DIGITS,
    "ascii": _ALPHABET,
    "blank": frozenset(b"\t "),
    "cntrl": frozenset((*range(32), 127)),
    "digit": _DIGITS,
    "graph": frozenset(range(33, 127)),
    "lower": frozenset(range(97, 123)),
    "print": frozenset(range(32, 127)),
    "punct": frozenset(range(33, 127)) - _WORD | {95},
    "space": _SPACE | {11},
    "upper": frozenset(range(65, 91)),
    "word": _WORD,
    "xdigit": frozenset(b"0123456789ABCDEFabcdef"),
}
_HEX: Final = "0123456789abcdefABCDEF"


class _Unsupported(Exception):
    """The pattern is left to RE2 (which may well find it to be none)."""


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


# --- parsing --------------------------------------------------------------------------------------
#
# A tree: ("set", bytes), ("cat", [..]), ("alt", [..]), ("repeat", tree, least, most or None), ("start",), ("end",).

_Tree = tuple[Any, ...]


class _Parser:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.nesting = 0
        self.folds = False  # (?i)

    def peek(self) -> str:
        return self.text[self.at : self.at + 1]

    def take(self) -> str:
        char = self.peek()
        self.at += 1
        return char

    def parse(self) -> _Tree:
        tree = self.alternatives()
        if self.at < len(self.text):
            raise _Unsupported
        return tree

    def alternatives(self) -> _Tree:
        self.nesting += 1
        if self.nesting > NESTING_MAX:
            raise _Unsupported
        branches = [self.sequence()]
        while self.peek() == "|":
            self.take()
            branches.append(self.sequence())
        self.nesting -= 1
        return branches[0] if len(branches) == 1 else ("alt", branches)

    def sequence(self) -> _Tree:
        parts = []
        while self.peek() not in ("", "|", ")"):
            parts.append(self.repeated(self.atom()))
        return ("cat", parts)

    def atom(self) -> _Tree:
        char = self.take()
        if char == "(":
            return self.group()
        if char == "[":
            return ("set", self.char_class())
        if char == ".":
            return ("set", _ALPHABET - {10})
        if char == "^":
            return ("start",)
        if char == "$":
            return ("end",)
        if char == "\\":
            return ("set", self.folded(self.escaped()))
        if char in "*+?{}":
            raise _Unsupported
        return ("set", self.folded(self.single(char)))

    def single(self, char: str) -> frozenset[int]:
        """A character as a set: empty for one that no ASCII text holds."""
        if char < "\x80":
            return frozenset((ord(char),))
        if self.folds:  # the Kelvin sign is a k then
            raise _Unsupported
        return frozenset()

    def folded(self, members: frozenset[int]) -> frozenset[int]:
        if not self.folds:
            return members
        letters = {byte for byte in members if byte in _POSIX_CLASSES["alpha"]}
        return members | {byte ^ 32 for byte in letters}

    def group(self) -> _Tree:
        folded_outside = self.folds
        if self.peek() == "?":
            if self.text.startswith("?i)", self.at):  # holds to the end of the group around it
                self.at += 3
                self.folds = True
                return ("cat", [])
            if self.text.startswith("?i:", self.at):
                self.at += 1
                self.folds = True
            elif not self.text.startswith("?:", self.at):
                raise _Unsupported
            self.at += 2
        tree = self.alternatives()
        self.folds = folded_outside
        if self.take() != ")":
            raise _Unsupported
        return tree

    def repeated(self, tree: _Tree) -> _Tree:
        char = self.peek()
        if char not in ("*", "+", "?", "{"):
            return tree
        if tree[0] in ("start", "end") or tree == ("cat", []):
            raise _Unsupported
        self.take()
        if char == "{":
            least, most = self.counts()
        else:
            least, most = {"*": (0, None), "+": (1, None), "?": (0, 1)}[char]
        if self.peek() == "?":  # lazy: whether a text matches does not depend on it
            self.take()
        if self.peek() in ("*", "+", "?", "{"):
            raise _Unsupported
        return ("repeat", tree, least, most)

    def counts(self) -> tuple[int, int | None]:
        end = self.text.find("}", self.at)
        least, comma, most = self.text[self.at : max(end, self.at)].partition(",")
        self.at = end + 1
        if end < 0 or not _is_number(least) or (most and not _is_number(most)):
            raise _Unsupported
        low = int(least)
        high = (int(most) if most else None) if comma else low
        if low > REPEAT_MAX or (high is not None and not low <= high <= REPEAT_MAX):
            raise _Unsupported
        return low, high

    def escaped(self) -> frozenset[int]:
        char = self.take()
        if char in _ESCAPED_CLASSES:
            return _ESCAPED_CLASSES[char]
        if char in _ESCAPED_CHARS:
            return frozenset((_ESCAPED_CHARS[char],))
        if char == "x":
            return self.hexadecimal()
        if char and char < "\x80" and not char.isalnum():
            return frozenset((ord(char),))
        raise _Unsupported

    def hexadecimal(self) -> frozenset[int]:
        digits = self.text[self.at : self.at + 2]
        self.at += 2
        if len(digits) < 2 or digits[0] not in _HEX or digits[1] not in _HEX:
            raise _Unsupported
        return self.single(chr(int(digits, 16)))

    def char_class(self) -> frozenset[int]:
        is_negated = self.peek() == "^"
        if is_negated:
            self.take()
        members: set[int] = set()
        is_first = True
        while is_first or self.peek() != "]":
            is_first = False
            low = self.class_member()
            is_range = self.peek() == "-" and self.text[self.at + 1 : self.at + 2] not in ("]", "")
            if is_range and len(low) == 1:
                self.take()
                high = self.class_member()
                first, last = min(low), min(high, default=-1)
                if len(high) != 1 or last < first:
                    raise _Unsupported
                low = frozenset(range(first, last + 1))
            elif is_range:
                raise _Unsupported
            members |= low
        self.take()
        known = self.folded(frozenset(members))
        return _ALPHABET - known if is_negated else known

    def class_member(self) -> frozenset[int]:
        char = self.take()
        if char == "\\":
            return self.escaped()
        if char == "[" and self.peek() == ":":
            return self.posix_class()
        if char == "":
            raise _Unsupported
        return self.single(char)

    def posix_class(self) -> frozenset[int]:
        end = self.text.find(":]", self.at)
        members = _POSIX_CLASSES.get(self.text[self.at + 1 : end]) if end > 0 else None
        if members is None:
            raise _Unsupported
        self.at = end + 2
        return members


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= 4 and (text == "0" or text[0] != "0")


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
            raise _Unsupported
        self.sets.append(members)
        self.next.append(target)
        self.free.append([])
        self.asserts.append(asserts)
        return len(self.sets) - 1

    def build(self, tree: _Tree, target: int, factor: int = 1) -> int:
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

    def build_repeat(self, tree: _Tree, target: int, factor: int) -> int:
        _, inner, least, most = tree
        factor *= max(least, most or 0, 1)
        if factor > REPEAT_MAX:
            raise _Unsupported
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

    def __init__(self, tree: _Tree) -> None:
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
                raise _Unsupported
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
            raise _Unsupported
        flat = array.array("H", [to * count if to in alive else 0 for row in moves for to in row])
        return Table(self.classes, count, flat.tobytes(), bytes(ends))


def build(pattern: str) -> Table | None:
    """The automaton of a pattern; None when it is left to RE2."""
    try:
        return _Builder(_Parser(pattern).parse()).table()
    except _Unsupported:
        return None
