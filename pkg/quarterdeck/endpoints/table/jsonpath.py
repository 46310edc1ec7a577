"""The JSONPath of printer columns: parsed once, evaluated for each object.

client-go's dialect, with its oddities, since columns in use depend on them: `['a.b']` means two fields, an index out
of range is an error, a filter compares equal types only, `exists` forgives errors. An error makes the whole cell null.
Only the first result is ever shown; the first action `{…}` alone can give one.

Grammar of one action (the text between braces; a column's text is one action):
    step := .name | ['name'] | [i] | [from:to:step] | [*] | .* | ..name | [a,b] | [?(left op right)] | @ | $ | literal

Source: client-go/util/jsonpath/{parser,jsonpath}.go.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final

from quarterdeck.apimachinery import gofmt

Values = list[Any]
Step = Callable[[Values], Values]
"""From the values found so far to the next ones. May raise EvaluationError."""

STEPS_MAX: Final = 512
NESTING_MAX: Final = 32

_DICT_KEY: Final = re.compile(r"'([^']*)'")
_SLICE: Final = re.compile(r"(-?[0-9]*)(:-?[0-9]*)?(:-?[0-9]*)?")
_COMPARISON: Final = re.compile(r"([^!<>=]+)([!<>=]+)(.+?)", re.DOTALL)
_TERMINATORS: Final = frozenset(" \t\r\n.,[]$@{}")
_NUMBER: Final = re.compile(r"[+-]?[0-9.]*")
_INTEGER: Final = re.compile(r"[+-]?[0-9]+", re.ASCII)


class ParseError(ValueError):
    """The text is no JSONPath."""


class EvaluationError(Exception):
    """The path does not fit the object. `values` are those that had been reached."""

    def __init__(self, values: Values) -> None:
        super().__init__("the path does not fit the object")
        self.values = values


class JSONPath:
    """A compiled path. `find_first` returns (True, value) or (False, None)."""

    __slots__ = ("_fields", "_steps")

    def __init__(self, text: str) -> None:
        """Raises ParseError."""
        actions = _parse_template("{" + text + "}")
        self._steps: list[Step] = actions[0].steps
        fields = actions[0].fields
        self._fields: tuple[str, ...] | None = tuple(fields) if fields is not None and len(actions) == 1 else None

    def find_first(self, obj: dict[str, Any]) -> tuple[bool, Any]:
        if self._fields is not None:
            return _find_field(obj, self._fields)
        try:
            found = _evaluate(self._steps, [obj])
        except EvaluationError:
            return False, None
        return (True, found[0]) if found else (False, None)


def _find_field(obj: Any, fields: tuple[str, ...]) -> tuple[bool, Any]:
    """The common case: nothing but field names."""
    for name in fields:
        if not isinstance(obj, dict) or name not in obj:
            return False, None
        obj = obj[name]
    return True, obj


def _evaluate(steps: list[Step], values: Values) -> Values:
    for step in steps:
        values = step(values)
    return values


# --- parsing -----------------------------------------------------------------------------------


class _Action:
    """What stands between two braces. `fields` are its names while it has been nothing but fields."""

    __slots__ = ("fields", "has_open_descent", "steps")

    def __init__(self) -> None:
        self.steps: list[Step] = []
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

    def extend(self, other: _Action) -> None:
        self.steps.extend(other.steps)
        if self.fields is not None and other.fields is not None:
            self.fields.extend(other.fields)
        else:
            self.fields = None


def _parse_template(text: str) -> list[_Action]:
    """All actions of a template; literal text between them shows nothing in a column."""
    actions: list[_Action] = []
    position = text.find("{")
    while position >= 0:
        action, position = _Parser(text, position + 1, 0).parse()
        actions.append(action)
        position = text.find("{", position)
    return actions


def _parse_nested(text: str, depth: int) -> _Action:
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
        self.action = _Action()

    def parse(self) -> tuple[_Action, int]:
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
        elif char == "_" or char.isalnum():
            self._parse_identifier()
        else:
            raise ParseError(f"unrecognized character in action: {char!r}")

    def _parse_field(self) -> None:
        start = self.position
        while (char := self._next()) and char not in _TERMINATORS:
            if char == "\\":
                self.position += 1
        self.position -= 1
        name = self.text[start : self.position]
        if name == "*":
            self.action.add(_walk_wildcard)
        else:
            name = name.replace("\\", "")
            self.action.add(_field_step(name), name)

    def _parse_identifier(self) -> None:
        start = self.position - 1
        while (char := self._next()) and char not in _TERMINATORS:
            pass
        self.position -= 1
        word = self.text[start : self.position]
        if word in ("true", "false"):
            self.action.add(_constant_step(word == "true"))
        else:
            # `range` and `end` have nothing to show within one action; any other word is an error when it is reached.
            self.action.add(_fail)

    def _parse_descent(self) -> None:
        if self.action.has_open_descent:
            raise ParseError("invalid multiple recursive descent")
        self.position += 2
        self.action.add(_walk_descent)
        self.action.has_open_descent = True
        char = self.text[self.position : self.position + 1]
        if char == "_" or char.isalnum():
            self._parse_field()

    def _parse_number(self) -> None:
        match = _NUMBER.match(self.text, self.position - 1)
        word = match.group() if match else ""
        self.position += len(word) - 1
        try:
            self.action.add(_constant_step(int(word) if _INTEGER.fullmatch(word) else float(word)))
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
        self.action.add(_constant_step(_unquote(self.text[start : self.position - 1], quote)))

    def _parse_array(self) -> None:
        end = self.text.find("]", self.position)
        newline = self.text.find("\n", self.position)
        if end < 0 or 0 <= newline < end:
            raise ParseError("unterminated array")
        text = self.text[self.position : end]
        self.position = end + 1
        if "," in text:
            parts = [_parse_nested(f"[{part.strip(' ')}]", self.depth + 1).steps for part in text.split(",")]
            self.action.add(_union_step(parts))
        elif key := _DICT_KEY.fullmatch(text):
            self.action.extend(_parse_nested("." + key.group(1), self.depth + 1))
        else:
            self.action.add(_slice_step(*_parse_slice(":" if text == "*" else text)))

    def _parse_filter(self) -> None:
        start = self.position + 3
        self.position = start
        self._skip_to_filter_end()
        text = self.text[start : self.position - 1]
        if self._next() != "]":
            raise ParseError("unclosed array expect ]")
        comparison = _COMPARISON.fullmatch(text)
        if comparison is None:
            self.action.add(_exists_step(_parse_nested(text, self.depth + 1).steps))
            return
        left, operator, right = comparison.groups()
        sides = [_parse_nested(side, self.depth + 1).steps for side in (left, right)]
        self.action.add(_filter_step(sides[0], operator, sides[1]))

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


def _parse_slice(text: str) -> tuple[int | None, int | None, bool, int | None]:
    """(from, to, whether `to` was derived from a single index, step); None where left out."""
    match = _SLICE.fullmatch(text)
    if match is None:
        raise ParseError(f"invalid array index {text}")
    first, second, third = match.groups()
    try:
        begin = int(first) if first else None
        step = int(third[1:]) if third and third != ":" else None
        if second is None:
            return begin, (begin or 0) + 1, True, step
        return begin, int(second[1:]) if second != ":" else None, False, step
    except ValueError:
        raise ParseError(f"array index {text} is not a number") from None


def _unquote(text: str, quote: str) -> str:
    """A quoted text's value; escapes are Go's, of which paths use `\\"`, `\\'` and `\\\\`."""
    out: list[str] = []
    chars = iter(text)
    for char in chars:
        if char == "\\":
            char = next(chars, "")
            if char not in _ESCAPES and char != quote:
                raise ParseError(f"unquote string {text} error invalid syntax")
            char = _ESCAPES.get(char, char)
        out.append(char)
    return "".join(out)


_ESCAPES: Final = {
    "a": "\a",
    "b": "\b",
    "f": "\f",
    "n": "\n",
    "r": "\r",
    "t": "\t",
    "v": "\v",
    "\\": "\\",
    "'": "'",
    '"': '"',
}


# --- steps -------------------------------------------------------------------------------------


def _field_step(name: str) -> Step:
    def walk(values: Values) -> Values:
        return [value[name] for value in values if isinstance(value, dict) and name in value]

    return walk


def _constant_step(constant: object) -> Step:
    def walk(values: Values) -> Values:
        return [constant] * len(values)

    return walk


def _fail(values: Values) -> Values:
    raise EvaluationError(values)


def _children(value: object) -> Values:
    if isinstance(value, dict):
        return [value[key] for key in sorted(value)]  # Go's order is random
    return value if isinstance(value, list) else []


def _walk_wildcard(values: Values) -> Values:
    return [child for value in values for child in _children(value)]


def _walk_descent(values: Values) -> Values:
    """Every value that has something below it, parents before children."""
    found: Values = []
    stack = values[::-1]
    while stack:
        value = stack.pop()
        children = _children(value)
        if children:
            found.append(value)
            stack.extend(reversed(children))
    return found


def _union_step(parts: list[list[Step]]) -> Step:
    def walk(values: Values) -> Values:
        return [found for part in parts for found in _evaluate(part, values)]

    return walk


def _slice_step(begin: int | None, end: int | None, is_single: bool, step: int | None) -> Step:
    def walk(values: Values) -> Values:
        found: Values = []
        for value in values:
            if value is None:
                continue
            if not isinstance(value, list):
                raise EvaluationError(values)
            length = len(value)
            first = begin or 0
            first += length if first < 0 else 0
            last = length if end is None else end
            last += length if last < 0 or (last == 0 and is_single) else 0
            if first == last:
                return found
            if not 0 <= first < length or not 0 <= last <= length or first > last or (step is not None and step <= 0):
                raise EvaluationError(values)
            found.extend(value[first : last : step or 1])
        return found

    return walk


def _items(values: Values) -> Values:
    """The elements that a filter chooses from."""
    for value in values:
        if not isinstance(value, list):
            raise EvaluationError(values)
    return [item for value in values for item in value]


def _exists_step(left: list[Step]) -> Step:
    def has(item: object) -> bool:
        try:
            return bool(_evaluate(left, [item]))
        except EvaluationError as error:
            return bool(error.values)

    def walk(values: Values) -> Values:
        return [item for item in _items(values) if has(item)]

    return walk


def _filter_step(left: list[Step], operator: str, right: list[Step]) -> Step:
    compare = _COMPARE.get(operator)

    def walk(values: Values) -> Values:
        found: Values = []
        for item in _items(values):
            lefts = _evaluate(left, [item])
            rights = _evaluate(right, [item]) if lefts else []
            if len(lefts) > 1 or len(rights) > 1:
                raise EvaluationError(values)
            if lefts and rights:
                if compare is None or not _are_comparable(lefts[0], rights[0], operator):
                    raise EvaluationError(values)
                if compare(lefts[0], rights[0]):
                    found.append(item)
        return found

    return walk


def _are_comparable(left: object, right: object, operator: str) -> bool:
    """Only values of one basic type compare; booleans have no order."""
    if type(left) is not type(right) or not isinstance(left, str | int | float):
        return False
    return not isinstance(left, bool) or operator in ("==", "!=")


_COMPARE: Final[dict[str, Callable[[Any, Any], bool]]] = {
    "<": lambda left, right: left < right,
    ">": lambda left, right: left > right,
    "==": lambda left, right: left == right,
    "!=": lambda left, right: left != right,
    "<=": lambda left, right: left <= right,
    ">=": lambda left, right: left >= right,
}


def print_value(value: object) -> str:
    """A found value as the text of a cell: lists and objects as JSON, null as Go prints an absent value."""
    if isinstance(value, str):
        return value
    if value is None:
        return "<no value>"
    return gofmt.format_json(value) if isinstance(value, dict | list) else gofmt.format_value(value)
