"""The text form of label selectors (`a in (b,c),!d`), with upstream's error texts.

Source: apimachinery/pkg/labels/selector.go (Lexer, Parser).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from quarterdeck.apimachinery import field, names
from quarterdeck.apimachinery.requirements import (
    DOES_NOT_EXIST,
    DOUBLE_EQUALS,
    EQUALS,
    EXISTS,
    GREATER_THAN,
    IN,
    LESS_THAN,
    NOT_EQUALS,
    NOT_IN,
    Requirement,
    SelectorError,
    build_requirement,
)

_BINARY_OPERATORS: Final = (IN, NOT_IN, EQUALS, DOUBLE_EQUALS, NOT_EQUALS, GREATER_THAN, LESS_THAN)
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


# An operator, white space, or a word that ends where one of these begins. White space counts for nothing; it is taken
# as one token all the same, since to look for a token at each blank of a long run takes ten times as long. Upstream's
# lexer takes a NUL for the end, but for one that ends a token: that is passed over.
_next_token = re.compile(r"(==|!=|[=!(),><]|[^=!(),>< \t\r\n\0]+)\0?|[ \t\r\n]+|\0").finditer


def _scan(text: str) -> Iterator[_Token]:
    """One at a time: most texts that are no selectors are refused at their beginning."""
    for found in _next_token(text):
        word = found[1]
        if word is None:
            if found[0] == "\0":
                return
            continue
        yield _Token(word if word in _TOKENS else _IDENTIFIER, word)


def parse(text: str) -> list[Requirement]:
    """The requirements in the order of the text; raises SelectorError."""
    return _Parser(text).parse()


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
                    values.add("")
            else:
                raise SelectorError(f"found '{token.text}', expected: ',', or identifier")
