r"""Tokens of an expression.

What is no token becomes an error with the text ANTLR's lexer would quote: from the start of the longest prefix that
could have become a token to the character that ruined it, which is skipped. Source: cel-go's parser/gen/CEL.g4.
"""

from __future__ import annotations

import re
from typing import Final

from quarterdeck.cel.source import Issue


class Token:
    """`kind` is the symbol itself for operators and words, else IDENT, INT, UINT, FLOAT, STRING, BYTES or EOF."""

    __slots__ = ("kind", "pos", "text")

    def __init__(self, kind: str, text: str, pos: int) -> None:
        self.kind = kind
        self.text = text
        self.pos = pos


IDENT: Final = "IDENTIFIER"
INT: Final = "NUM_INT"
UINT: Final = "NUM_UINT"
FLOAT: Final = "NUM_FLOAT"
STRING: Final = "STRING"
BYTES: Final = "BYTES"
ESCAPED: Final = "ESC_IDENTIFIER"
EOF: Final = "<EOF>"

_ESCAPE = r"""\\(?:[abfnrtv"'\\?`]|[0-3][0-7]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[xX][0-9a-fA-F]{2})"""
_STRING_BODY = (
    r'(?:[rR](?:"""(?s:.*?)"""|\'\'\'(?s:.*?)\'\'\'|"[^"\n\r]*"|\'[^\'\n\r]*\')'
    rf'|"""(?:{_ESCAPE}|[^\\])*?"""|\'\'\'(?:{_ESCAPE}|[^\\])*?\'\'\''
    rf'|"(?:{_ESCAPE}|[^\\"\n\r])*"|\'(?:{_ESCAPE}|[^\\\'\n\r])*\')'
)
# All of a text, cut into tokens, what stands between them, and characters that are neither.
_PIECES: Final = re.compile(
    r"[ \t\r\n\f]+"
    r"|==|!=|<=|>=|&&|\|\||[<>\[\]{}(),\-!?:+*%]|\.(?![0-9])|/(?!/)"
    rf"|[bB]?{_STRING_BODY}"
    r"|[A-Za-z_][A-Za-z0-9_]*"
    r"|[0-9]+\.[0-9]+(?:[eE][+-]?[0-9]+)?|[0-9]+[eE][+-]?[0-9]+|\.[0-9]+(?:[eE][+-]?[0-9]+)?"
    r"|0x[0-9a-fA-F]+[uU]?|[0-9]+[uU]?"
    r"|//[^\n]*"
    r"|`[A-Za-z0-9_.\-/ ]+`"
    r"|(?s:.)"
)
_SYMBOLS: Final = {
    symbol: symbol
    for symbol in (
        *("==", "!=", "<=", ">=", "&&", "||", "<", ">", "[", "]", "{", "}", "(", ")", ".", ",", "-", "!", "?", ":"),
        *("+", "*", "/", "%", "in", "true", "false", "null"),
    )
}
_TRIPLE: Final = ("'''", '"""')
_QUOTES: Final = ("'", '"')
_SKIPPED: Final = "skipped"
_BAD: Final = "bad"
# Characters that begin pieces of one kind. A letter may begin a string as well.
_FIRST: Final = {
    **dict.fromkeys(" \t\r\n\f/", _SKIPPED),
    **dict.fromkeys("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_", IDENT),
    **dict.fromkeys("0123456789.", INT),
    **dict.fromkeys("'\"", STRING),
    "`": ESCAPED,
}
_ESCAPE_START = re.compile(r"\\(?:[abfnrtv\"'\\?`]|[0-3][0-7]?|u[0-9a-fA-F]{0,3}|U[0-9a-fA-F]{0,7}|[xX][0-9a-fA-F]?)?")
_ESCAPE_WHOLE = re.compile(_ESCAPE)
# After so many characters that are none the rest is cut piece by piece, since cutting starts anew after each of them.
_BAD_MAX: Final = 8


def tokenize(source: str) -> tuple[list[Token], list[Issue]]:
    """All tokens, ended by EOF, and what was none."""
    tokens: list[Token] = []
    issues: list[Issue] = []
    at = 0
    while at < len(source):
        if len(issues) < _BAD_MAX:
            pieces: list[str] = _PIECES.findall(source, at)
        else:
            found = _PIECES.match(source, at)
            assert found is not None
            pieces = [found.group()]
        for text in pieces:
            kind = _SYMBOLS.get(text) or _kind(text)
            if kind is _BAD:
                at = _bad(source, at, issues)
                break  # pieces begin elsewhere from here on
            if kind is not _SKIPPED:
                tokens.append(Token(kind, text, at))
            at += len(text)
    tokens.append(Token(EOF, EOF, len(source)))
    return tokens, issues


def _kind(text: str) -> str:
    kind = _FIRST.get(text[0], _BAD)
    if kind is IDENT:
        if text.endswith(_QUOTES):
            return BYTES if text[0] in "bB" else STRING
    elif kind is INT:
        return _number_kind(text)
    elif len(text) == 1 and (kind is STRING or kind is ESCAPED):
        return _BAD
    return kind


def _number_kind(text: str) -> str:
    if text.isdigit():
        return INT
    if text[-1] in "uU":
        return UINT
    return INT if text.startswith("0x") else FLOAT


def _bad(source: str, pos: int, issues: list[Issue]) -> int:
    """Reports the characters at `pos` and gives the place to go on."""
    ruined = max(_viable(source, pos), pos)
    text = source[pos : ruined + 1]
    issues.append(Issue(pos, f"Syntax error: token recognition error at: '{text}'"))
    return min(ruined + 1, len(source))


def _viable(source: str, pos: int) -> int:
    """The offset of the first character after which no token could be completed any more."""
    char = source[pos]
    if char in "=&|":
        return pos + 1
    if char == "`":
        at = pos + 1
        while at < len(source) and (source[at].isascii() and (source[at].isalnum() or source[at] in "_.-/ ")):
            at += 1
        return at
    quote_at = pos
    while quote_at < pos + 2 and quote_at < len(source) and source[quote_at] in "bBrR":
        quote_at += 1
    if quote_at >= len(source) or source[quote_at] not in "'\"":
        return pos
    raw = source[pos:quote_at].lower().endswith("r")
    return max(_string_end(source, quote_at, raw, triple) for triple in (False, True))


def _string_end(source: str, quote_at: int, raw: bool, triple: bool) -> int:
    quote = source[quote_at]
    if triple:
        if source[quote_at : quote_at + 3] not in _TRIPLE:
            return quote_at
        at = quote_at + 3
    else:
        at = quote_at + 1
    while at < len(source):
        char = source[at]
        if not triple and char in "\n\r":
            return at
        if not triple and char == quote:
            return at
        if char == "\\" and not raw:
            if whole := _ESCAPE_WHOLE.match(source, at):
                at = whole.end()
                continue
            begun = _ESCAPE_START.match(source, at)
            return begun.end() if begun else at
        at += 1
    return at


_SIMPLE: Final = {
    "a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v",
    '"': '"', "'": "'", "\\": "\\", "?": "?", "`": "`",
}  # fmt: skip
_ANY_ESCAPE = re.compile(_ESCAPE)


def unquote(text: str) -> str:
    """A string literal's value; raises ValueError for an escape that is no code point."""
    raw = text[0] in "rR"
    body = text[1:] if raw else text
    body = body[3:-3] if body[:3] in _TRIPLE else body[1:-1]
    body = body.replace("\r\n", "\n").replace("\r", "\n")
    return body if raw or "\\" not in body else _ANY_ESCAPE.sub(_unescape, body)


def _unescape(found: re.Match[str]) -> str:
    escape = found.group()[1:]
    simple = _SIMPLE.get(escape)
    if simple is not None:
        return simple
    code = int(escape[1:], 16) if escape[0] in "uUxX" else int(escape, 8)
    if code > 0x10FFFF or 0xD800 <= code <= 0xDFFF:
        raise ValueError("invalid unicode code point")
    return chr(code)


def unquote_bytes(text: str) -> bytes:
    """A bytes literal's value: octal and hex escapes are bytes, everything else is UTF-8."""
    text = text[1:]
    raw = text[0] in "rR"
    body = text[1:] if raw else text
    body = body[3:-3] if body[:3] in _TRIPLE else body[1:-1]
    if raw:
        return body.encode()
    out = bytearray()
    at = 0
    for found in _ANY_ESCAPE.finditer(body):
        out += body[at : found.start()].encode()
        at = found.end()
        escape = found.group()[1:]
        if escape[0] in "uU":
            raise ValueError("unable to unescape string")
        simple = _SIMPLE.get(escape)
        if simple is not None:
            out += simple.encode()
        else:
            out.append(int(escape[1:], 16) if escape[0] in "xX" else int(escape, 8))
    out += body[at:].encode()
    return bytes(out)
