"""E-mail addresses, as Go's net/mail takes them (ParseAddress). Only the decision is made here.

Each reader stands at a place of the text and reads on from there.
"""

from __future__ import annotations

import binascii
import functools
import ipaddress
import re
from typing import Final

_ATOM: Final = r"[A-Za-z0-9!#$%&'*+\-/=?^_`{|}~.\u0080-\U0010ffff]+"
_QUOTED: Final = r'"(?:[^"\\\x00-\x08\x0a-\x1f\x7f]|\\[\t -~\u0080-\U0010ffff])*"'
_LITERAL: Final = r"\[([!-Z^-~\u0080-\U0010ffff]*)\]"
_BLANKS: Final = " \t"
_COMMENT_MARK = re.compile(r"\\[\s\S]|[()]")
_ENCODED_WORD = re.compile(r"=\?([^?]+)\?([BbQq])\?([^?]*)\?=")
_ESCAPED = re.compile(r"(?:[\t\n\r -<>-~]|=[0-9A-Fa-f]{2})*")
_CHARSETS: Final = frozenset(("utf-8", "iso-8859-1", "us-ascii"))


# Compiled at the first use: the ranges up to the last character make each of these take milliseconds.
@functools.cache
def _compile(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


class _Refused(Exception):
    pass


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0

    @property
    def is_done(self) -> bool:
        return self.at == len(self.text)

    def peek(self) -> str:
        return self.text[self.at : self.at + 1]

    def skip_blanks(self) -> None:
        while self.peek() and self.peek() in _BLANKS:
            self.at += 1

    def consume(self, mark: str) -> bool:
        found = self.peek() == mark
        self.at += found
        return found

    def take(self, pattern: str) -> str:
        """What the pattern, which is not empty, finds here; "" where it finds nothing."""
        match = _compile(pattern).match(self.text, self.at)
        if match is None:
            return ""
        self.at = match.end()
        return match[0]

    def skip_comments(self) -> None:
        self.skip_blanks()
        while self.peek() == "(":
            self.take_comment()
            self.skip_blanks()

    def take_comment(self) -> str:
        """What stands in the brackets; comments may hold others."""
        begin, depth = self.at + 1, 0
        for mark in _COMMENT_MARK.finditer(self.text, self.at):
            depth += {"(": 1, ")": -1}.get(mark[0], 0)
            if not depth:
                self.at = mark.end()
                return self.text[begin : mark.start()]
        raise _Refused


def is_email(text: str) -> bool:
    """One address: `a@b`, `Name <a@b>`, `group: a@b;`, with comments."""
    reader = _Reader(text)
    try:
        count = _read_address(reader, may_be_group=True)
        reader.skip_comments()
    except _Refused:
        return False
    return count == 1 and reader.is_done


def _read_address(reader: _Reader, *, may_be_group: bool) -> int:
    """How many addresses it is."""
    reader.skip_blanks()
    begin = reader.at
    if reader.is_done:
        raise _Refused
    if _read_spec(reader):
        reader.skip_blanks()
        if reader.peek() == "(":
            _check_comment(reader.take_comment())
        return 1
    reader.at = begin
    if reader.peek() != "<":
        _read_phrase(reader)
    reader.skip_blanks()
    if may_be_group and reader.consume(":"):
        return _read_group(reader)
    if not (reader.consume("<") and _read_spec(reader) and reader.consume(">")):
        raise _Refused
    return 1


def _read_group(reader: _Reader) -> int:
    reader.skip_blanks()
    count = 0
    while not (count == 0 and reader.consume(";")):
        count += _read_address(reader, may_be_group=False)
        reader.skip_comments()
        if reader.consume(";"):
            break
        if not reader.consume(","):
            raise _Refused
    reader.skip_comments()
    return count


def _read_spec(reader: _Reader) -> bool:
    """`local@domain`. Where it is none, the reader stands anywhere."""
    reader.skip_blanks()
    if reader.peek() == '"':
        if len(reader.take(_QUOTED)) <= 2:
            return False
    elif not _read_dotted(reader):
        return False
    if not reader.consume("@"):
        return False
    reader.skip_blanks()
    if reader.peek() == "[":
        return _is_address(reader.take(_LITERAL)[1:-1])
    return _read_dotted(reader)


def _read_dotted(reader: _Reader) -> bool:
    return all(reader.take(_ATOM).split("."))


def _is_address(text: str) -> bool:
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return "%" not in text


def _read_phrase(reader: _Reader) -> None:
    """Words, of which the first has to be right: what follows one is looked at by who reads on. Comments stand behind
    words that are not encoded."""
    has_words = has_encoded = False
    while True:
        if has_words:
            reader.skip_comments()
        reader.skip_blanks()
        if reader.is_done:
            return
        is_quoted = reader.peek() == '"'
        word = reader.take(_QUOTED if is_quoted else _ATOM)
        content = None if is_quoted else _decode(word)
        if not word or (content is not None and not _is_known(word)):
            break
        if content is None:
            has_words = True
        elif content:
            has_encoded = True
    if not (has_words or has_encoded):
        raise _Refused


def _check_comment(comment: str) -> None:
    """An encoded word in it has to be in a charset that is known."""
    words = _COMMENT_MARK.sub(lambda mark: mark[0][-1], comment).replace("\t", " ").split(" ")
    if not all(_decode(word) is None or _is_known(word) for word in words):
        raise _Refused


def _decode(word: str) -> bytes | None:
    """The content of an encoded word (RFC 2047), as far as it is empty or not; None where it is no such word."""
    match = _ENCODED_WORD.fullmatch(word)
    if match is None:
        return None
    content = match[3]
    if match[2] in "Qq":
        return content.encode() if _ESCAPED.fullmatch(content) else None
    try:
        return binascii.a2b_base64(content.translate({10: None, 13: None}), strict_mode=True)
    except ValueError:
        return None


def _is_known(word: str) -> bool:
    return word[2:].partition("?")[0].lower() in _CHARSETS
