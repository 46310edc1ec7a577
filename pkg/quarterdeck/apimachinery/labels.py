"""Label selectors: parsing with upstream's error texts, and matching.

Two forms become the same Selector: the text of `?labelSelector=` (`parse`) and the LabelSelector of objects
(`from_label_selector`). Requirements are in the order of their keys.

Source: apimachinery/pkg/labels/selector.go; apimachinery/pkg/apis/meta/v1/helpers.go (LabelSelectorAsSelector).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final, NamedTuple

from quarterdeck.apimachinery import field, gofmt, names

IN: Final = "in"
NOT_IN: Final = "notin"
EQUALS: Final = "="
DOUBLE_EQUALS: Final = "=="
NOT_EQUALS: Final = "!="
EXISTS: Final = "exists"
DOES_NOT_EXIST: Final = "!"
GREATER_THAN: Final = "gt"
LESS_THAN: Final = "lt"

_BINARY_OPERATORS: Final = (IN, NOT_IN, EQUALS, DOUBLE_EQUALS, NOT_EQUALS, GREATER_THAN, LESS_THAN)
_OBJECT_OPERATORS: Final = {"In": IN, "NotIn": NOT_IN, "Exists": EXISTS, "DoesNotExist": DOES_NOT_EXIST}
_SYMBOLS: Final = {EQUALS: "=", DOUBLE_EQUALS: "==", NOT_EQUALS: "!=", GREATER_THAN: ">", LESS_THAN: "<"}

_INT64_MIN: Final = -(2**63)
_INT64_MAX: Final = 2**63 - 1


class SelectorError(ValueError):
    """`message` is upstream's text."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class Requirement(NamedTuple):
    """`values` are in order, each once; one for the exact operators, none for exists and !."""

    key: str
    operator: str
    values: tuple[str, ...] = ()

    def matches(self, labels: Mapping[str, str]) -> bool:
        value = labels.get(self.key)
        operator = self.operator
        if operator in (EQUALS, DOUBLE_EQUALS, IN):
            return value is not None and value in self.values
        if operator in (NOT_EQUALS, NOT_IN):
            return value is None or value not in self.values
        if operator == EXISTS:
            return value is not None
        if operator == DOES_NOT_EXIST:
            return value is None
        number, bound = _parse_int64(value), _parse_int64(self.values[0])
        if number is None or bound is None:
            return False
        return number > bound if operator == GREATER_THAN else number < bound

    def __str__(self) -> str:
        if self.operator == EXISTS:
            return self.key
        if self.operator == DOES_NOT_EXIST:
            return "!" + self.key
        values = ",".join(self.values)
        if self.operator in (IN, NOT_IN):
            return f"{self.key} {self.operator} ({values})"
        return f"{self.key}{_SYMBOLS[self.operator]}{values}"


@dataclass(frozen=True, slots=True)
class Selector:
    """All requirements must hold. `selects_nothing` is upstream's labels.Nothing()."""

    requirements: tuple[Requirement, ...] = ()
    selects_nothing: bool = False

    @property
    def is_empty(self) -> bool:
        """Whether it matches everything."""
        return not self.requirements and not self.selects_nothing

    def matches(self, labels: Mapping[str, str]) -> bool:
        if self.selects_nothing:
            return False
        return all(requirement.matches(labels) for requirement in self.requirements)

    def __str__(self) -> str:
        return ",".join(map(str, self.requirements))


EVERYTHING: Final = Selector()
NOTHING: Final = Selector(selects_nothing=True)


def _parse_int64(text: str | None) -> int | None:
    """strconv.ParseInt(text, 10, 64)."""
    if text is None or not text.isascii() or not text.lstrip("+-").isdigit() or len(text) > 1024:
        return None
    try:
        number = int(text)
    except ValueError:  # more than one sign
        return None
    return number if _INT64_MIN <= number <= _INT64_MAX else None


def build_requirement(key: str, operator: str, values: Sequence[str]) -> Requirement:
    """Upstream's NewRequirement. Raises SelectorError with all objections."""
    errors = [field.invalid("key", key, "; ".join(objections))] if (objections := names.qualified_name(key)) else []
    errors += _check_values(operator, values)
    for position, value in enumerate(values):
        if objections := names.label_value(value):
            path = field.key(field.index("values", position), key)
            errors.append(field.invalid(path, value, "; ".join(objections)))
    if errors:
        raise SelectorError(field.aggregate_message(errors))
    return Requirement(key, operator, tuple(values))


def _check_values(operator: str, values: Sequence[str]) -> list[field.FieldError]:
    shown = list(values) or None
    if operator in (IN, NOT_IN):
        if not values:
            return [field.invalid("values", shown, "for 'in', 'notin' operators, values set can't be empty")]
    elif operator in (EXISTS, DOES_NOT_EXIST):
        if values:
            return [field.invalid("values", shown, "values set must be empty for exists and does not exist")]
    elif operator in (GREATER_THAN, LESS_THAN):
        return _check_bound(values, shown)
    elif len(values) != 1:
        return [field.invalid("values", shown, "exact-match compatibility requires one single value")]
    return []


def _check_bound(values: Sequence[str], shown: object) -> list[field.FieldError]:
    errors = []
    if len(values) != 1:
        errors.append(field.invalid("values", shown, "for 'Gt', 'Lt' operators, exactly one value is required"))
    for position, value in enumerate(values):
        if _parse_int64(value) is None:
            path = field.index("values", position)
            errors.append(field.invalid(path, value, "for 'Gt', 'Lt' operators, the value must be an integer"))
    return errors


def from_label_selector(selector: Mapping[str, Any] | None) -> Selector:
    """A LabelSelector (matchLabels, matchExpressions); an absent one selects nothing, an empty one everything."""
    if selector is None:
        return NOTHING
    requirements = [
        build_requirement(key, EQUALS, [value]) for key, value in (selector.get("matchLabels") or {}).items()
    ]
    for expression in selector.get("matchExpressions") or []:
        operator = expression.get("operator") or ""
        if operator not in _OBJECT_OPERATORS:
            raise SelectorError(f"{gofmt.quote(operator)} is not a valid label selector operator")
        values = expression.get("values") or []
        requirements.append(build_requirement(expression.get("key") or "", _OBJECT_OPERATORS[operator], values))
    return _sorted_selector(requirements)


def _sorted_selector(requirements: list[Requirement]) -> Selector:
    if not requirements:
        return EVERYTHING
    return Selector(tuple(sorted(requirements, key=lambda requirement: requirement.key)))


def parse(text: str) -> Selector:
    """The selector of a query parameter. Raises SelectorError."""
    if not text:
        return EVERYTHING
    check_terms(text)
    return _parse_short(text) if len(text) <= _CACHED_CHARS_MAX else _sorted_selector(_Parser(text).parse())


# Differs from upstream: there only the length of a header bounds a selector, so that one of 60,000 terms holds up
# everybody else.
TERMS_MAX: Final = 1000


def check_terms(text: str) -> None:
    """Raises SelectorError where a selector, of labels or of fields, has more terms and values than are taken."""
    if text.count(",") >= TERMS_MAX:
        raise SelectorError(f"the selector has more than {TERMS_MAX} terms")


# Clients ask with the same few selectors again and again, and parsing one costs as much as a small object.
_CACHED_CHARS_MAX: Final = 512


@lru_cache(maxsize=512)
def _parse_short(text: str) -> Selector:
    return _sorted_selector(_Parser(text).parse())


# ---- the text form -------------------------------------------------------------------------------------------

_END: Final = "end"
_IDENTIFIER: Final = "identifier"
# Everything that is no identifier. The kind of such a token is its own text.
_TOKENS: Final = frozenset((")", ",", "!", "==", "=", ">", "in", "<", "!=", "notin", "("))
_TOKEN_OPERATORS: Final = {"in": IN, "=": EQUALS, "==": DOUBLE_EQUALS, ">": GREATER_THAN, "<": LESS_THAN} | {
    "notin": NOT_IN,
    "!=": NOT_EQUALS,
}


class _Token(NamedTuple):
    kind: str
    text: str

    @property
    def as_value(self) -> str:
        """The kind where a value or a key may stand: there `in` and `notin` are ordinary words."""
        return _IDENTIFIER if self.kind in ("in", "notin") else self.kind


# An operator, or a word that ends where the next token or white space begins.
_next_token = re.compile(r"==|!=|[=!(),><]|[^=!(),>< \t\r\n]+").finditer


def _scan(text: str) -> Iterator[_Token]:
    """One at a time: most texts that are no selectors are refused at their beginning."""
    for found in _next_token(text.partition("\0")[0]):  # upstream's lexer takes a NUL for the end
        word = found[0]
        yield _Token(word if word in _TOKENS else _IDENTIFIER, word)


class _Parser:
    def __init__(self, text: str) -> None:
        self._tokens = _scan(text)
        self._end = _Token(_END, "")
        self._following = next(self._tokens, self._end)

    def _peek(self) -> _Token:
        return self._following

    def _next(self) -> _Token:
        token = self._following
        self._following = next(self._tokens, self._end)
        return token

    def parse(self) -> list[Requirement]:
        requirements: list[Requirement] = []
        while True:
            token = self._peek()
            if token.kind == _END:
                return requirements
            if token.as_value not in (_IDENTIFIER, "!"):
                raise SelectorError(f"found '{token.text}', expected: !, identifier, or 'end of string'")
            try:
                requirements.append(self._parse_requirement())
            except SelectorError as error:
                raise SelectorError(f"unable to parse requirement: {error.message}") from error
            token = self._next()
            if token.kind == _END:
                return requirements
            if token.kind != ",":
                raise SelectorError(f"found '{token.text}', expected: ',' or 'end of string'")
            token = self._peek()
            if token.as_value not in (_IDENTIFIER, "!"):
                raise SelectorError(f"found '{token.text}', expected: identifier after ','")

    def _parse_requirement(self) -> Requirement:
        token = self._next()
        is_negated = token.kind == "!"
        if is_negated:
            token = self._next()
        if token.as_value != _IDENTIFIER:
            raise SelectorError(f"found '{token.text}', expected: identifier")
        key = token.text
        if objections := names.qualified_name(key):
            raise SelectorError(str(field.invalid(field.NIL_PATH, key, "; ".join(objections))))
        if is_negated:
            return build_requirement(key, DOES_NOT_EXIST, [])
        if self._peek().kind in (_END, ","):
            return build_requirement(key, EXISTS, [])
        token = self._next()
        operator = _TOKEN_OPERATORS.get(token.kind)
        if operator is None:
            raise SelectorError(f"found '{token.text}', expected: {', '.join(_BINARY_OPERATORS)}")
        values = self._parse_values() if operator in (IN, NOT_IN) else {self._parse_exact_value()}
        return build_requirement(key, operator, sorted(values))

    def _parse_exact_value(self) -> str:
        if self._peek().kind in (_END, ","):
            return ""
        token = self._next()
        if token.as_value != _IDENTIFIER:
            raise SelectorError(f"found '{token.text}', expected: identifier")
        return token.text

    def _parse_values(self) -> set[str]:
        token = self._next()
        if token.kind != "(":
            raise SelectorError(f"found '{token.text}' expected: '('")
        token = self._peek()
        if token.kind == ")":
            self._next()
            return {""}
        if token.as_value not in (_IDENTIFIER, ","):
            raise SelectorError(f"found '{token.text}', expected: ',', ')' or identifier")
        values = self._parse_list()
        self._next()  # the closing parenthesis, which ended the list
        return values

    def _parse_list(self) -> set[str]:
        """Values and commas up to the closing parenthesis; nothing between two commas is the empty value."""
        values: set[str] = set()
        while True:
            token = self._next()
            following = self._peek() if token.kind != _END else token
            if token.as_value == _IDENTIFIER:
                values.add(token.text)
                if following.kind == ")":
                    return values
                if following.kind != ",":
                    raise SelectorError(f"found '{following.text}', expected: ',' or ')'")
            elif token.kind == ",":
                if not values:
                    values.add("")
                if following.kind == ")":
                    values.add("")
                    return values
                if following.kind == ",":
                    self._next()
                    values.add("")
            else:
                raise SelectorError(f"found '{token.text}', expected: ',', or identifier")
