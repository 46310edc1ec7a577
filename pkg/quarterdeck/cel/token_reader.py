"""The tokens of an expression, read one after another: what must come next, and how to go on where it does not.

After a syntax error the parser goes on, as upstream does: it leaves out one token, imagines one, or skips tokens up to
one that fits a construct that is open. So other errors behind it are still found.
"""

from __future__ import annotations

from typing import Final

from quarterdeck.cel import syntax_errors
from quarterdeck.cel.lexer import BYTES, EOF, ESCAPED, FLOAT, IDENT, INT, STRING, UINT, Token, tokenize
from quarterdeck.cel.source import Issue

# The grammar's order of tokens, in which ANTLR lists what it expected.
_ORDER: Final = {
    name: place
    for place, name in enumerate(
        ("==", "!=", "in", "<", "<=", ">=", ">", "&&", "||", "[", "]", "{", "}", "(", ")", ".", ",", "-", "!", "?",
         ":", "+", "*", "/", "%", "true", "false", "null", FLOAT, INT, UINT, STRING, BYTES, IDENT, ESCAPED)
    )
}  # fmt: skip
# What an expression can begin with, and what can come after a complete one.
STARTS: Final = frozenset(
    ("[", "{", "(", ".", "-", "!", "true", "false", "null", FLOAT, INT, UINT, STRING, BYTES, IDENT)
)

OPERATORS: Final = frozenset(
    ("==", "!=", "in", "<", "<=", ">=", ">", "&&", "||", "+", "-", "*", "/", "%", "?", ".", "[", EOF)
)


class TooManyErrors(Exception):
    """There are as many errors as upstream tells."""


class TokenReader:
    """`token` is the next token, `issues` are the errors so far, those of the lexer first."""

    __slots__ = ("at", "closers", "issues", "recovering", "token", "tokens")

    def __init__(self, source: str) -> None:
        self.tokens, self.issues = tokenize(source)
        self.at = 0
        self.token = self.tokens[0]
        # What may follow the constructs that are open; recovery stops there.
        self.closers: list[frozenset[str]] = []
        self.recovering = False

    def next(self) -> Token:
        token = self.token
        self.recovering = False
        if token.kind is not EOF:
            self.at += 1
            self.token = self.tokens[self.at]
        return token

    def report(self, pos: int, message: str) -> None:
        self.issues.append(Issue(pos, message))
        if len(self.issues) >= syntax_errors.ERRORS_MAX:
            raise TooManyErrors

    def syntax(self, message: str) -> None:
        if not self.recovering:
            self.recovering = True
            self.report(self.token.pos, f"Syntax error: {message}")

    def no_alternative(self, start: str, token: Token) -> None:
        """`start` could begin several constructs, and `token` after it continues none of them."""
        if not self.recovering:
            self.recovering = True
            shown = "" if token.kind is EOF else token.text
            self.report(token.pos, f"Syntax error: no viable alternative at input '{start}{shown}'")

    def peek(self) -> str:
        return self.tokens[self.at + 1].kind if self.token.kind is not EOF else EOF

    def skip(self) -> None:
        if self.token.kind is not EOF:
            self.at += 1
            self.token = self.tokens[self.at]

    def expect(self, kind: str, follows: frozenset[str] | None = None) -> int:
        """Takes a token of `kind` and returns its position. `follows`: what may come after it, or None for what may
        follow a complete sub-expression here."""
        token = self.token
        if token.kind == kind:
            return self.next().pos
        shown = kind if kind in (IDENT, EOF) else f"'{kind}'"
        if self.peek() == kind and token.kind is not EOF:
            self.syntax(f"extraneous input '{token.text}' expecting {shown}")
            self.skip()
            return self.next().pos
        if token.kind in (self.follows() if follows is None else follows):
            self.syntax(f"missing {shown} at '{token.text}'")
            return token.pos
        self.syntax(f"mismatched input '{token.text}' expecting {shown}")
        self.recover()
        if self.token.kind == kind:
            return self.next().pos
        return token.pos

    def unexpected(self, expected: str, starts: frozenset[str]) -> None:
        """Reports a token of none of the kinds in `starts`; skips it alone if the next one is of one."""
        token = self.token
        if self.peek() in starts and token.kind is not EOF:
            self.syntax(f"extraneous input '{token.text}' expecting {expected}")
            self.skip()
            return
        self.syntax(f"mismatched input '{token.text}' expecting {expected}")
        self.recover()

    def recover(self) -> None:
        """Skips what fits none of the open constructs."""
        while self.token.kind is not EOF and self.token.kind not in OPERATORS:
            if any(self.token.kind in closer for closer in self.closers):
                return
            self.skip()

    def follows(self) -> frozenset[str]:
        """What may come after a complete sub-expression here: the end of the text only where nothing is open."""
        return OPERATORS.union(self.closers[-1]) - {EOF} if self.closers else OPERATORS


def show_expected(kinds: frozenset[str]) -> str:
    """`{'[', '{', IDENTIFIER}`: what could have come, as error messages show it."""
    ordered = sorted(kinds, key=_ORDER.__getitem__)
    return "{" + ", ".join(f"'{kind}'" if not kind[0].isupper() else kind for kind in ordered) + "}"
