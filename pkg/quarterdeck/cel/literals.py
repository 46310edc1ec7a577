"""Literals: numbers, texts, lists, maps and objects with fields."""

from __future__ import annotations

from typing import Final

from quarterdeck.cel.ast import Const, Expr, ListExpr, MapExpr, StructExpr
from quarterdeck.cel.digits import read_int
from quarterdeck.cel.lexer import ESCAPED, FLOAT, IDENT, INT, STRING, UINT, Token, unquote, unquote_bytes
from quarterdeck.cel.token_reader import STARTS, TokenReader
from quarterdeck.cel.types import BOOL, DOUBLE, NULL
from quarterdeck.cel.types import BYTES as BYTES_TYPE
from quarterdeck.cel.types import INT as INT_TYPE
from quarterdeck.cel.types import STRING as STRING_TYPE
from quarterdeck.cel.types import UINT as UINT_TYPE
from quarterdeck.cel.values import UInt

_INT_MIN: Final = -(1 << 63)
_INT_MAX: Final = (1 << 63) - 1
_UINT_MAX: Final = (1 << 64) - 1
# Which tokens end an expression inside a construct.
CLOSERS: Final = {closers: frozenset(closers) for closers in (":", ")", "]", ",)", ",]", ",}", ":,}")}
_FIELD_STARTS: Final = frozenset(("}", ",", "?", IDENT, ESCAPED))


class LiteralParser(TokenReader):
    __slots__ = ()

    def enclosed(self, closers: str, extra: frozenset[str] = frozenset()) -> Expr:
        """An expression that ends at one of `closers`."""
        raise NotImplementedError

    def is_struct_name(self) -> bool:
        """Whether `.b.c{` follows."""
        at = self.at
        tokens = self.tokens
        while tokens[at].kind == "." and tokens[at + 1].kind == IDENT:
            at += 2
        return tokens[at].kind == "{"

    def struct_literal(self, name: str, leading_dot: bool) -> Expr:
        while self.token.kind == ".":
            self.next()
            name += "." + self.next().text
        pos = self.next().pos
        first = self.token.pos  # where what is wrong with a name is told, as upstream has it
        fields: list[str] = []
        values: list[Expr] = []
        places: list[int] = []
        optionals: set[int] = set()
        while self.token.kind != "}":
            if not fields and self.token.kind not in _FIELD_STARTS:
                self.unexpected("{'}', ',', '?', IDENTIFIER, ESC_IDENTIFIER}", _FIELD_STARTS)
                if self.token.kind != IDENT:
                    break
            if self.token.kind == ",":
                self.next()
                break
            if self.token.kind == "?":
                self.next()
                optionals.add(len(fields))
            fields.append(self.token.text)
            if self.token.kind == ESCAPED:
                self.report(first, "unsupported syntax: '`'")
                self.next()
            else:
                self.expect(IDENT, frozenset(":"))
            places.append(self.colon())
            values.append(self.enclosed(",}"))
            if self.token.kind != ",":
                break
            self.next()
        if self.token.kind == "}" or not self.recovering:
            self.expect("}")
        return StructExpr(pos, "." + name if leading_dot else name, fields, values, places, frozenset(optionals))

    def list_literal(self) -> Expr:
        pos = self.next().pos
        items: list[Expr] = []
        return ListExpr(pos, items, self.entries("]", items, None))

    def map_literal(self) -> Expr:
        pos = self.next().pos
        keys: list[Expr] = []
        values: list[Expr] = []
        optionals = self.entries("}", keys, values)
        return MapExpr(pos, keys[: len(values)], values, optionals)

    def entries(self, closer: str, keys: list[Expr], values: list[Expr] | None) -> frozenset[int]:
        """Reads what a list or, with `values`, a map holds, and its end; the places of what is optional there."""
        optionals: list[int] = []
        ends = False
        key_closers = ",]" if values is None else ":,}"
        while self.token.kind != closer:
            if self.token.kind == ",":
                ends = True
                self.next()
                break
            if self.token.kind == "?":
                self.next()
                optionals.append(len(keys))
            extra = frozenset((closer, ",", "?")) if not keys else frozenset()
            keys.append(self.enclosed(key_closers, extra))
            if values is not None:
                if self.recovering and self.token.kind != ":":
                    break
                self.colon()
                values.append(self.enclosed(",}"))
            if self.token.kind != ",":
                break
            ends = self.is_last_comma()
            self.next()
            if ends:
                break
        self.close(closer, ends)
        return frozenset(optionals)

    def colon(self) -> int:
        """The colon of an entry; where it is missing, the literal goes on at its comma or brace."""
        self.closers.append(CLOSERS[",}"])
        place = self.expect(":", STARTS)
        self.closers.pop()
        return place

    def is_last_comma(self) -> bool:
        """Whether no entry of a literal follows the comma that is here."""
        following = self.peek()
        return following != "?" and following not in STARTS

    def close(self, kind: str, after_comma: bool) -> None:
        """The end of a list or map literal, where a comma could come as well unless there has been one."""
        if after_comma:
            self.expect(kind)
            return
        if self.token.kind == kind:
            self.next()
            return
        if self.peek() in (kind, ","):
            self.syntax(f"extraneous input '{self.token.text}' expecting {{'{kind}', ','}}")
            self.skip()
            self.next()
            return
        self.syntax(f"mismatched input '{self.token.text}' expecting {{'{kind}', ','}}")
        self.recover()
        if self.token.kind == kind:
            self.next()

    def literal(self) -> Expr:
        token = self.next()
        kind, text, pos = token.kind, token.text, token.pos
        if kind == STRING:
            return self.quoted(token)
        if kind == INT:
            return self.integer(pos, text)
        if kind == "true" or kind == "false":
            return Const(pos, kind == "true", BOOL)
        if kind == "null":
            return Const(pos, None, NULL)
        if kind == "-":
            number = self.next()
            if number.kind == INT:
                return self.integer(pos, "-" + number.text)
            return self.double(pos, "-" + number.text)
        if kind == FLOAT:
            return self.double(pos, text)
        if kind == UINT:
            value = int(text[:-1], 16) if text.startswith("0x") else read_int(text[:-1])
            if value > _UINT_MAX:
                self.report(pos, "invalid uint literal")
            return Const(pos, UInt(value), UINT_TYPE)
        try:
            return Const(pos, unquote_bytes(text), BYTES_TYPE)
        except ValueError as error:
            self.report(pos, str(error))
            return Const(pos, b"", BYTES_TYPE)

    def quoted(self, token: Token) -> Expr:
        try:
            return Const(token.pos, unquote(token.text), STRING_TYPE)
        except ValueError as error:
            self.report(token.pos, str(error))
            return Const(token.pos, "", STRING_TYPE)

    def integer(self, pos: int, text: str) -> Expr:
        value = int(text, 16) if "0x" in text else read_int(text)
        if not _INT_MIN <= value <= _INT_MAX:
            self.report(pos, "invalid int literal")
        return Const(pos, value, INT_TYPE)

    def double(self, pos: int, text: str) -> Expr:
        value = float(text)
        if value - value != 0:
            self.report(pos, "invalid double literal")
        return Const(pos, value, DOUBLE)
