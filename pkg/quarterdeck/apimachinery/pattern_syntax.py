"""Patterns as trees: the part of RE2's syntax from which automata are built.

A tree is ("set", bytes), ("cat", [..]), ("alt", [..]), ("repeat", tree, least, most or None), ("start",) or ("end",).
Source: RE2's syntax (github.com/google/re2/wiki/Syntax).
"""

from __future__ import annotations

from typing import Any, Final

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


class Unsupported(Exception):
    """The pattern is left to RE2 (which may well find it to be none)."""


Tree = tuple[Any, ...]


def parse(pattern: str) -> Tree:
    """The tree of a pattern; raises Unsupported."""
    return _Parser(pattern).parse()


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

    def parse(self) -> Tree:
        tree = self.alternatives()
        if self.at < len(self.text):
            raise Unsupported
        return tree

    def alternatives(self) -> Tree:
        self.nesting += 1
        if self.nesting > NESTING_MAX:
            raise Unsupported
        branches = [self.sequence()]
        while self.peek() == "|":
            self.take()
            branches.append(self.sequence())
        self.nesting -= 1
        return branches[0] if len(branches) == 1 else ("alt", branches)

    def sequence(self) -> Tree:
        parts = []
        while self.peek() not in ("", "|", ")"):
            parts.append(self.repeated(self.atom()))
        return ("cat", parts)

    def atom(self) -> Tree:
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
            raise Unsupported
        return ("set", self.folded(self.single(char)))

    def single(self, char: str) -> frozenset[int]:
        """A character as a set: empty for one that no ASCII text holds."""
        if char < "\x80":
            return frozenset((ord(char),))
        if self.folds:  # the Kelvin sign is a k then
            raise Unsupported
        return frozenset()

    def folded(self, members: frozenset[int]) -> frozenset[int]:
        if not self.folds:
            return members
        letters = {byte for byte in members if byte in _POSIX_CLASSES["alpha"]}
        return members | {byte ^ 32 for byte in letters}

    def group(self) -> Tree:
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
                raise Unsupported
            self.at += 2
        tree = self.alternatives()
        self.folds = folded_outside
        if self.take() != ")":
            raise Unsupported
        return tree

    def repeated(self, tree: Tree) -> Tree:
        char = self.peek()
        if char not in ("*", "+", "?", "{"):
            return tree
        if tree[0] in ("start", "end") or tree == ("cat", []):
            raise Unsupported
        self.take()
        if char == "{":
            least, most = self.counts()
        else:
            least, most = {"*": (0, None), "+": (1, None), "?": (0, 1)}[char]
        if self.peek() == "?":  # lazy: whether a text matches does not depend on it
            self.take()
        if self.peek() in ("*", "+", "?", "{"):
            raise Unsupported
        return ("repeat", tree, least, most)

    def counts(self) -> tuple[int, int | None]:
        end = self.text.find("}", self.at)
        least, comma, most = self.text[self.at : max(end, self.at)].partition(",")
        self.at = end + 1
        if end < 0 or not _is_number(least) or (most and not _is_number(most)):
            raise Unsupported
        low = int(least)
        high = (int(most) if most else None) if comma else low
        if low > REPEAT_MAX or (high is not None and not low <= high <= REPEAT_MAX):
            raise Unsupported
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
        raise Unsupported

    def hexadecimal(self) -> frozenset[int]:
        digits = self.text[self.at : self.at + 2]
        self.at += 2
        if len(digits) < 2 or digits[0] not in _HEX or digits[1] not in _HEX:
            raise Unsupported
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
                    raise Unsupported
                low = frozenset(range(first, last + 1))
            elif is_range:
                raise Unsupported
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
            raise Unsupported
        return self.single(char)

    def posix_class(self) -> frozenset[int]:
        end = self.text.find(":]", self.at)
        members = _POSIX_CLASSES.get(self.text[self.at + 1 : end]) if end > 0 else None
        if members is None:
            raise Unsupported
        self.at = end + 2
        return members


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= 4 and (text == "0" or text[0] != "0")
