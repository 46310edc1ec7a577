"""Parses a JSONPath into steps.

Grammar of one action (the text between braces):
    step := .name | ['name'] | [i] | [from:to:step] | [*] | .* | ..name | [a,b] | [?(left op right)] | @ | $ | literal

Source: client-go/util/jsonpath/parser.go.
"""

from __future__ import annotations

import re
from typing import Final

from quarterdeck.apimachinery import gotext
from quarterdeck.apimachinery.jsonpath import steps
from quarterdeck.apimachinery.jsonpath.literals import parse_number, unquote
from quarterdeck.apimachinery.jsonpath.steps import Step

STEPS_MAX: Final = 512
NESTING_MAX: Final = 32

_DICT_KEY: Final = re.compile(r"'([^']*)'")
_SLICE: Final = re.compile(r"(-?[0-9]*)(:-?[0-9]*)?(:-?[0-9]*)?")
_COMPARISON: Final = re.compile(r"([^!<>=]+)([!<>=]+)(.+?)", re.DOTALL)
_TERMINATORS: Final = frozenset(" \t\r\n.,[]$@{}")
_NUMBER: Final = re.compile(r"[+-]?[0-9.]*")
_INDEX_END: Final = 1 << 63


class ParseError(ValueError):
    """The text is no JSONPath."""


class Action:
    """What stands between two braces. `fields` are its names while it has been nothing but fields."""

    __slots__ = ("begins_range", "fields", "has_open_descent", "steps")

    def __init__(self) -> None:
        self.steps: list[Step] = []
        self.begins_range = False
        self.fields: list[str] | None = []
        self.has_open_descent = False

    def add(self, step: Step, field: str | None = None) -> None:
        if len(self.steps) >= STEPS_MAX:
            raise ParseError("the path has too many steps")
        self.steps.append(step)
        self.has_open_descent = False
        if field is None:
            self.fields = None
        elif self.fields is not None:
            self.fields.append(field)

    def extend(self, other: Action) -> None:
        self.steps.extend(other.steps)
        if self.fields is not None and other.fields is not None:
            self.fields.extend(other.fields)
        else:
            self.fields = None


def parse_template(text: str) -> list[Action]:
    """All actions of a template; literal text between them shows nothing in a column."""
    actions: list[Action] = []
    position, steps_left = text.find("{"), STEPS_MAX
    while position >= 0:
        action, position = _Parser(text, position + 1, 0).parse()
        actions.append(action)
        steps_left -= len(action.steps)
        if steps_left < 0:
            raise ParseError("the path has too many steps")
        position = text.find("{", position)
    return actions


def _parse_nested(text: str, depth: int) -> Action:
    """An action within another: a side of a comparison, a part of a union."""
    if depth > NESTING_MAX:
        raise ParseError("the path is nested too deeply")
    return _Parser("{" + text + "}", 1, depth).parse()[0]


class _Parser:
    """Reads one action; `position` stands behind its opening brace."""

    def __init__(self, text: str, position: int, depth: int) -> None:
        self.text = text
        self.position = position
        self.depth = depth
        self.action = Action()

    def parse(self) -> tuple[Action, int]:
        """The action and the position behind its closing brace."""
        while not self.text.startswith("}", self.position):
            if self.text.startswith("[?(", self.position):
                self._parse_filter()
            elif self.text.startswith("..", self.position):
                self._parse_descent()
            else:
                self._parse_step()
        return self.action, self.position + 1

    def _next(self) -> str:
        """The next character; "" at the end."""
        char = self.text[self.position : self.position + 1]
        self.position += 1
        return char

    def _parse_step(self) -> None:
        char = self._next()
        if char in ("", "\r", "\n"):
            raise ParseError("unclosed action")
        if char in " @$":
            return
        if char == "[":
            self._parse_array()
        elif char in "\"'":
            self._parse_quote(char)
        elif char == ".":
            self._parse_field()
        elif char in "+-" or char.isdecimal():
            self._parse_number()
        elif char == "_" or char.isalpha() or char.isdecimal():
            self._parse_identifier()
        else:
            raise ParseError(f"unrecognized character in action: {_show(char)}")

    def _parse_field(self) -> None:
        start = self.position
        while (char := self._next()) and char not in _TERMINATORS:
            if char == "\\":
                self.position += 1
        self.position -= 1
        name = self.text[start : self.position]
        if name == "*":
            self.action.add(steps.walk_wildcard)
        else:
            name = name.replace("\\", "")
            self.action.add(steps.field_step(name), name)

    def _parse_identifier(self) -> None:
        start = self.position - 1
        while (char := self._next()) and char not in _TERMINATORS:
            pass
        self.position -= 1
        word = self.text[start : self.position]
        if word in ("true", "false"):
            self.action.add(steps.constant_step(word == "true"))
        else:
            # `range` and `end` have nothing to show within one action; any other word is an error when it is reached.
            self.action.begins_range |= word == "range"
            self.action.add(steps.fail)

    def _parse_descent(self) -> None:
        if self.action.has_open_descent:
            raise ParseError("invalid multiple recursive descent")
        self.position += 2
        self.action.add(steps.walk_descent)
        self.action.has_open_descent = True
        char = self.text[self.position : self.position + 1]
        if char == "_" or char.isalpha() or char.isdecimal():
            self._parse_field()

    def _parse_number(self) -> None:
        match = _NUMBER.match(self.text, self.position - 1)
        word = match.group() if match else ""
        self.position += len(word) - 1
        try:
            self.action.add(steps.constant_step(parse_number(word)))
        except ValueError:
            raise ParseError(f"cannot parse number {word}") from None

    def _parse_quote(self, quote: str) -> None:
        start = self.position
        while True:
            char = self._next()
            if char in ("", "\n"):
                raise ParseError("unterminated quoted string")
            if char == quote and self.text[self.position - 2] != "\\":
                break
        text = self.text[start : self.position - 1]
        try:
            self.action.add(steps.text_step(unquote(text, quote)))
        except ValueError as error:
            raise ParseError(f"unquote string {quote}{text}{quote} error {error}") from None

    def _parse_array(self) -> None:
        end = self.text.find("]", self.position)
        newline = self.text.find("\n", self.position)
        if end < 0 or 0 <= newline < end:
            raise ParseError("unterminated array")
        text = self.text[self.position : end]
        self.position = end + 1
        if "," in text:
            parts = [_parse_nested(f"[{part.strip(' ')}]", self.depth + 1).steps for part in text.split(",")]
            self.action.add(steps.union_step(parts))
        elif key := _DICT_KEY.fullmatch(text):
            self.action.extend(_parse_nested("." + key.group(1), self.depth + 1))
        else:
            self.action.add(steps.slice_step(*_parse_slice(":" if text == "*" else text)))

    def _parse_filter(self) -> None:
        start = self.position + 3
        self.position = start
        self._skip_to_filter_end()
        text = self.text[start : self.position - 1]
        if self._next() != "]":
            raise ParseError("unclosed array expect ]")
        comparison = _COMPARISON.fullmatch(text)
        if comparison is None:
            self.action.add(steps.exists_step(_parse_nested(text, self.depth + 1).steps))
            return
        left, operator, right = comparison.groups()
        sides = [_parse_nested(side, self.depth + 1).steps for side in (left, right)]
        self.action.add(steps.filter_step(sides[0], operator, sides[1]))

    def _skip_to_filter_end(self) -> None:
        """Behind the `)` that ends the filter: the first outside of a quoted text, or any after one."""
        quote, is_closed = "", False
        while True:
            char = self._next()
            if char in ("", "\n"):
                raise ParseError("unterminated filter")
            if char in "\"'":
                if not quote:
                    quote = char
                elif char == quote and self.text[self.position - 2] != "\\":
                    is_closed = True
            elif char == ")" and bool(quote) == is_closed:
                return


def _show(char: str) -> str:
    """`%#U`"""
    return f"U+{ord(char):04X} '{char}'" if gotext.is_printable(char) else f"U+{ord(char):04X}"


def _parse_slice(text: str) -> tuple[int | None, int | None, bool, int | None]:
    """(from, to, whether `to` was derived from a single index, step); None where left out."""
    match = _SLICE.fullmatch(text)
    if match is None:
        raise ParseError(f"invalid array index {text}")
    first, second, third = match.groups()
    begin = _parse_index(first) if first else None
    end = _parse_index(second[1:]) if second and second != ":" else None
    step = _parse_index(third[1:]) if third and third != ":" else None
    if second is None:
        return begin, (begin or 0) + 1, True, step
    return begin, end, False, step


def _parse_index(text: str) -> int:
    """`strconv.Atoi`"""
    if text == "-" or not -_INDEX_END <= int(text) < _INDEX_END:
        raise ParseError(f"array index {text} is not a number")
    return int(text)
