r"""Tokens of an expression.

What is no token becomes an error with the text ANTLR's lexer would quote: from the start of the longest prefix that
could have become a token to the character that ruined it, which is skipped. Source: cel-go's parser/gen/CEL.g4.
"""

from __future__ import annotations

import re
from typing import Any, Final, NamedTuple

from quarterdeck.cel.source import Issue


class Token(NamedTuple):
    """`kind` is the symbol itself for operators, else IDENT, INT, UINT, FLOAT, STRING, BYTES or EOF."""

    kind: str
    text: str
    pos: int


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
_TOKEN: Any = re.compile(  # typeshed does not know scanner()
    r"(?P<skip>[ \t\r\n\f]+|//[^\n]*)"
    rf"|(?P<STRING>{_STRING_BODY})"
    rf"|(?P<BYTES>[bB]{_STRING_BODY})"
    r"|(?P<IDENTIFIER>[A-Za-z_][A-Za-z0-9_]*)"
    r"|(?P<NUM_FLOAT>[0-9]+\.[0-9]+(?:[eE][+-]?[0-9]+)?|[0-9]+[eE][+-]?[0-9]+|\.[0-9]+(?:[eE][+-]?[0-9]+)?)"
    r"|(?P<NUM_UINT>0x[0-9a-fA-F]+[uU]|[0-9]+[uU])"
    r"|(?P<NUM_INT>0x[0-9a-fA-F]+|[0-9]+)"
    r"|(?P<op>==|!=|<=|>=|&&|\|\||[<>\[\]{}().,\-!?:+*/%])"
    r"|(?P<ESC_IDENTIFIER>`[A-Za-z0-9_.\-/ ]+`)"
    r"|(?P<bad>(?s:.))"
)
_WORDS: Final = frozenset(("in", "true", "false", "null"))
_TRIPLE: Final = ("'''", '"""')
_ESCAPE_START = re.compile(r"\\(?:[abfnrtv\"'\\?`]|[0-3][0-7]?|u[0-9a-fA-F]{0,3}|U[0-9a-fA-F]{0,7}|[xX][0-9a-fA-F]?)?")
_ESCAPE_WHOLE = re.compile(_ESCAPE)


def tokenize(source: str) -> tuple[list[Token], list[Issue]]:
    """All tokens, ended by EOF, and what was none."""
    tokens: list[Token] = []
    issues: list[Issue] = []
    append = tokens.append
    new = tuple.__new__  # a third of the time that Token(...) takes
    at = 0
    while at < len(source):
        for found in iter(_TOKEN.scanner(source, at).match, None):
            kind = found.lastgroup
            at = found.end()
            if kind == "op":
                text = found.group()
                append(new(Token, (text, text, found.start())))
            elif kind == "bad":
                at = _bad(source, found.start(), issues)
                break  # the scanner goes on elsewhere
            elif kind != "skip":
                text = found.group()
                append(new(Token, (text if text in _WORDS else kind, text, found.start())))
    append(Token(EOF, EOF, len(source)))
    return tokens, issues


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
        raise ValueError("unable to unescape string")
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
            raise ValueError("unable to unescape bytes")
        simple = _SIMPLE.get(escape)
        if simple is not None:
            out += simple.encode()
        else:
            out.append(int(escape[1:], 16) if escape[0] in "xX" else int(escape, 8))
    out += body[at:].encode()
    return bytes(out)
