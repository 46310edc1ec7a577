"""Text to syntax tree: a Pratt parser.

It goes on after a syntax error, so that whatever else is wrong with the text is told too; the syntax errors themselves
are then told as cel-go's generated parser tells them (syntax_errors.py). Source: cel-go's parser/parser.go and
parser/gen/CEL.g4.
"""

from __future__ import annotations

from typing import Final

from quarterdeck.cel import macros, syntax_errors
from quarterdeck.cel.ast import Call, Const, Expr, Ident, ListExpr, MapExpr, Select, StructExpr, depth_of
from quarterdeck.cel.digits import read_int
from quarterdeck.cel.lexer import (
    BYTES,
    EOF,
    ESCAPED,
    FLOAT,
    IDENT,
    INT,
    STRING,
    UINT,
    Token,
    tokenize,
    unquote,
    unquote_bytes,
)
from quarterdeck.cel.source import NO_POSITION, CompileError, Issue
from quarterdeck.cel.types import BOOL, DOUBLE, NULL
from quarterdeck.cel.types import BYTES as BYTES_TYPE
from quarterdeck.cel.types import INT as INT_TYPE
from quarterdeck.cel.types import STRING as STRING_TYPE
from quarterdeck.cel.types import UINT as UINT_TYPE
from quarterdeck.cel.values import UInt

DEPTH_MAX: Final = 250
CODE_POINTS_MAX: Final = 100_000
_SYNTAX_ERROR: Final = "Syntax error: "
_INT_MIN: Final = -(1 << 63)
_INT_MAX: Final = (1 << 63) - 1
_UINT_MAX: Final = (1 << 64) - 1

# The grammar's order of tokens, in which ANTLR lists what it expected.
_ORDER: Final = {
    name: place
    for place, name in enumerate(
        ("==", "!=", "in", "<", "<=", ">=", ">", "&&", "||", "[", "]", "{", "}", "(", ")", ".", ",", "-", "!", "?",
         ":", "+", "*", "/", "%", "true", "false", "null", FLOAT, INT, UINT, STRING, BYTES, IDENT, ESCAPED)
    )
}  # fmt: skip
_STARTS: Final = frozenset(
    ("[", "{", "(", ".", "-", "!", "true", "false", "null", FLOAT, INT, UINT, STRING, BYTES, IDENT)
)
_OPERATORS: Final = frozenset(
    ("==", "!=", "in", "<", "<=", ">=", ">", "&&", "||", "+", "-", "*", "/", "%", "?", ".", "[", EOF)
)
_BINARY: Final = {
    "*": (6, "_*_"), "/": (6, "_/_"), "%": (6, "_%_"), "+": (5, "_+_"), "-": (5, "_-_"),
    "<": (4, "_<_"), "<=": (4, "_<=_"), ">": (4, "_>_"), ">=": (4, "_>=_"), "==": (4, "_==_"), "!=": (4, "_!=_"),
    "in": (4, "@in"),
}  # fmt: skip
_KEYWORDS: Final = frozenset(("in", "true", "false", "null"))
_RESERVED: Final = frozenset(
    ("as", "break", "const", "continue", "else", "false", "for", "function", "if", "import", "in", "let", "loop",
     "package", "namespace", "null", "return", "true", "var", "void", "while")
)  # fmt: skip


class _TooDeep(Exception):
    pass


class _TooManyErrors(Exception):
    pass


def parse(source: str, known_macros: macros.Macros) -> Expr:
    """The tree of `source`; raises CompileError."""
    if len(source) > CODE_POINTS_MAX:
        message = f"expression code point size exceeds limit: size: {len(source)}, limit {CODE_POINTS_MAX}"
        raise CompileError(source, [Issue(NO_POSITION, message)])
    parser = _Parser(source, known_macros)
    unreadable = len(parser.issues)
    try:
        tree = parser.parse()
        if any(issue.message.startswith(_SYNTAX_ERROR) for issue in parser.issues[unreadable:]):
            others = [issue for issue in parser.issues[unreadable:] if not issue.message.startswith(_SYNTAX_ERROR)]
            parser.issues[unreadable:] = others + syntax_errors.find(source, parser.tokens)
    except _TooDeep:
        parser.issues.append(Issue(NO_POSITION, f"expression recursion limit exceeded: {DEPTH_MAX}"))
    except _TooManyErrors:
        pass
    if parser.issues:
        raise CompileError(source, parser.issues)
    return tree


class _Parser:
    __slots__ = ("at", "closers", "depth", "issues", "known_macros", "recovering", "token", "tokens")

    def __init__(self, source: str, known_macros: macros.Macros) -> None:
        self.known_macros = known_macros
        self.tokens, self.issues = tokenize(source)
        self.at = 0
        self.token = self.tokens[0]
        self.depth = 0
        # What may follow the constructs that are open; recovery stops there.
        self.closers: list[frozenset[str]] = []
        self.recovering = False

    # --- tokens and errors

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
            raise _TooManyErrors

    def syntax(self, message: str) -> None:
        if not self.recovering:
            self.recovering = True
            self.report(self.token.pos, f"Syntax error: {message}")

    def no_alternative(self, start: str, token: Token) -> None:
        """`token`, behind `start`, which could begin several things, goes on with none of them."""
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
        """Takes a token that must come; `follows` is what may come after it, None: what may follow a complete
        sub-expression here. Gives its place."""
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
        """A token of none of the kinds in `starts`: skipped where the next one is of one."""
        token = self.token
        if self.peek() in starts and token.kind is not EOF:
            self.syntax(f"extraneous input '{token.text}' expecting {expected}")
            self.skip()
            return
        self.syntax(f"mismatched input '{token.text}' expecting {expected}")
        self.recover()

    def recover(self) -> None:
        """Skips what fits none of the open constructs."""
        while self.token.kind is not EOF and self.token.kind not in _OPERATORS:
            if any(self.token.kind in closer for closer in self.closers):
                return
            self.skip()

    def follows(self) -> frozenset[str]:
        """What may come after a complete sub-expression here: the end of the text only where nothing is open."""
        return _OPERATORS.union(self.closers[-1]) - {EOF} if self.closers else _OPERATORS

    # --- expressions

    def parse(self) -> Expr:
        tree = self.expression()
        if len(self.tokens) > DEPTH_MAX and depth_of(tree) > DEPTH_MAX:
            raise _TooDeep
        if self.token.kind is not EOF:
            token = self.token
            if self.peek() is EOF:
                self.syntax(f"extraneous input '{token.text}' expecting <EOF>")
            else:
                self.syntax(f"mismatched input '{token.text}' expecting <EOF>")
        return tree

    def expression(self) -> Expr:
        self.depth += 1
        if self.depth > DEPTH_MAX:
            raise _TooDeep
        cond = self.logical_or()
        if self.token.kind == "?":
            pos = self.next().pos
            self.closers.append(_CLOSERS[":"])
            yes = self.logical_or()
            self.closers.pop()
            self.expect(":", _STARTS)
            no = self.expression()
            cond = Call(pos, "_?_:_", [cond, yes, no])
        self.depth -= 1
        return cond

    def logical_or(self) -> Expr:
        first = self.logical_and()
        if self.token.kind != "||":
            return first
        terms, places = [first], []
        while self.token.kind == "||":
            places.append(self.next().pos)
            terms.append(self.logical_and())
        return _balance("_||_", terms, places, 0, len(places) - 1)

    def logical_and(self) -> Expr:
        first = self.binary(4)
        if self.token.kind != "&&":
            return first
        terms, places = [first], []
        while self.token.kind == "&&":
            places.append(self.next().pos)
            terms.append(self.binary(4))
        return _balance("_&&_", terms, places, 0, len(places) - 1)

    def binary(self, level: int) -> Expr:
        left = self.unary()
        while (found := _BINARY.get(self.token.kind)) is not None and found[0] >= level:
            pos = self.next().pos
            left = Call(pos, found[1], [left, self.binary(found[0] + 1)])
        return left

    def unary(self) -> Expr:
        kind = self.token.kind
        if kind == "!":
            pos, count = self.token.pos, 0
            while self.token.kind == "!":
                self.next()
                count += 1
            operand = self.member()
            return operand if count % 2 == 0 else Call(pos, "!_", [operand])
        if kind == "-" and self.peek() not in (INT, FLOAT):
            pos, count = self.token.pos, 0
            while self.token.kind == "-":
                following = self.peek()
                if count and following in (INT, FLOAT):
                    break
                if following not in _STARTS:
                    # It is taken for the operator of a subtraction then, whose left side is missing.
                    self.no_alternative("-", self.tokens[self.at + 1])
                    return Const(pos, None, NULL)
                self.next()
                count += 1
            operand = self.member()
            return operand if count % 2 == 0 else Call(pos, "-_", [operand])
        return self.member()

    def member(self) -> Expr:
        operand = self.primary()
        while True:
            kind = self.token.kind
            if kind == ".":
                operand = self.dotted(operand)
            elif kind == "[":
                pos = self.next().pos
                optional = self.token.kind == "?"
                if optional:
                    self.next()
                index = self.enclosed("]")
                self.expect("]")
                operand = Call(pos, "_[?_]" if optional else "_[_]", [operand, index])
            else:
                return operand

    def dotted(self, operand: Expr) -> Expr:
        dot = self.next()
        optional = self.token.kind == "?"
        if optional:
            self.next()
        name = self.token
        if name.kind == ESCAPED:
            self.next()
            self.report(name.pos, "unsupported syntax: '`'")
            return operand
        if name.kind != IDENT:
            if name.kind in _KEYWORDS:
                self.expect(IDENT, frozenset())
            else:
                self.no_alternative(".?" if optional else ".", name)
                self.recover()
            return operand
        self.next()
        if self.token.kind == "(" and not optional:
            pos = self.next().pos
            return self.expand(pos, name.text, self.arguments(), operand)
        if optional:
            return Call(dot.pos, "_?._", [operand, Const(name.pos, name.text, STRING_TYPE)])
        return Select(dot.pos, operand, name.text)

    def arguments(self) -> list[Expr]:
        """The arguments after an opening parenthesis, and the closing one."""
        args: list[Expr] = []
        if self.token.kind == ")":
            self.next()
            return args
        args.append(self.enclosed(",)", extra=frozenset((")",))))
        while self.token.kind == ",":
            self.next()
            args.append(self.enclosed(",)"))
        self.expect(")")
        return args

    def enclosed(self, closers: str, extra: frozenset[str] = frozenset()) -> Expr:
        """An expression that ends at one of `closers`."""
        self.closers.append(_CLOSERS[closers])
        if extra and self.token.kind not in _STARTS:
            inner = self.missing_operand(extra)
        else:
            inner = self.expression()
        self.closers.pop()
        return inner

    def expand(self, pos: int, name: str, args: list[Expr], target: Expr | None) -> Expr:
        """A call, or what a macro makes of it."""
        macro = self.known_macros.get((name, len(args), target is not None))
        if macro is not None:
            try:
                expanded = macro(pos, target, args)
            except macros.MacroError as error:
                self.report(error.pos, error.message)
                return Const(pos, None, NULL)
            if expanded is not None:
                return expanded
        return Call(pos, name, args, target)

    # --- primaries

    def primary(self) -> Expr:
        token = self.token
        kind = token.kind
        if kind == IDENT:
            return self.named(leading_dot=False)
        if kind in _LITERALS or (kind == "-" and self.peek() in (INT, FLOAT)):
            return self.literal()
        if kind == "(":
            self.next()
            inner = self.enclosed(")")
            self.expect(")")
            return inner
        if kind == "[":
            return self.list_literal()
        if kind == "{":
            return self.map_literal()
        if kind == ".":
            self.next()
            if self.token.kind != IDENT:
                self.no_alternative(".", self.token)
                self.recover()
                return Const(token.pos, None, NULL)
            return self.named(leading_dot=True)
        return self.missing_operand(frozenset())

    def missing_operand(self, extra: frozenset[str]) -> Expr:
        """No expression begins here: says so, and goes on with the next token if one begins there."""
        token = self.token
        expected = sorted(_STARTS | extra, key=_ORDER.__getitem__)
        shown = ", ".join(f"'{e}'" if not e[0].isupper() else e for e in expected)
        self.unexpected(f"{{{shown}}}", _STARTS | extra)
        if self.token.kind in _STARTS and self.token is not token:
            return self.unary()
        return Const(token.pos, None, NULL)

    def named(self, leading_dot: bool) -> Expr:
        token = self.next()
        name = token.text
        if self.token.kind == "{" or (self.token.kind == "." and self.is_struct_name()):
            return self.struct_literal(name, leading_dot)
        is_reserved = name in _RESERVED
        if is_reserved:
            self.report(token.pos, f"reserved identifier: {name}")
        if leading_dot:
            name = "." + name
        if self.token.kind == "(":
            pos = self.next().pos
            return self.expand(pos, name, self.arguments(), None)
        # A macro that wants a name has its own complaint about a word that is none.
        return Const(token.pos, None, NULL) if is_reserved else Ident(token.pos, name)

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
        fields: list[str] = []
        values: list[Expr] = []
        places: list[int] = []
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
            fields.append(self.token.text)
            self.expect(IDENT, frozenset(":"))
            places.append(self.colon())
            values.append(self.enclosed(",}"))
            if self.token.kind != ",":
                break
            self.next()
        if self.token.kind == "}" or not self.recovering:
            self.expect("}")
        return StructExpr(pos, "." + name if leading_dot else name, fields, values, places)

    def list_literal(self) -> Expr:
        pos = self.next().pos
        items: list[Expr] = []
        optionals: list[int] = []
        ends = False
        while self.token.kind != "]":
            if self.token.kind == ",":
                ends = True
                self.next()
                break
            if self.token.kind == "?":
                self.next()
                optionals.append(len(items))
            extra = frozenset(("]", ",", "?")) if not items else frozenset()
            items.append(self.enclosed(",]", extra))
            if self.token.kind != ",":
                break
            ends = self.is_last_comma()
            self.next()
            if ends:
                break
        self.close("]", ends)
        return ListExpr(pos, items, frozenset(optionals))

    def map_literal(self) -> Expr:
        pos = self.next().pos
        keys: list[Expr] = []
        values: list[Expr] = []
        optionals: list[int] = []
        ends = False
        while self.token.kind != "}":
            if self.token.kind == ",":
                ends = True
                self.next()
                break
            if self.token.kind == "?":
                self.next()
                optionals.append(len(keys))
            extra = frozenset(("}", ",", "?")) if not keys else frozenset()
            keys.append(self.enclosed(":,}", extra))
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
        self.close("}", ends)
        return MapExpr(pos, keys[: len(values)], values, frozenset(optionals))

    def colon(self) -> int:
        """The colon of an entry; where it is missing, the literal goes on at its comma or brace."""
        self.closers.append(_CLOSERS[",}"])
        place = self.expect(":", _STARTS)
        self.closers.pop()
        return place

    def is_last_comma(self) -> bool:
        """Whether no entry of a literal follows the comma that is here."""
        following = self.peek()
        return following != "?" and following not in _STARTS

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


_CLOSERS: Final = {closers: frozenset(closers) for closers in (":", ")", "]", ",)", ",]", ",}", ":,}")}
_FIELD_STARTS: Final = frozenset(("}", ",", "?", IDENT, ESCAPED))
_LITERALS: Final = frozenset((STRING, BYTES, INT, UINT, FLOAT, "true", "false", "null"))


def _balance(function: str, terms: list[Expr], places: list[int], low: int, high: int) -> Expr:
    """A chain of && or || as a balanced tree, so that long chains are not deep."""
    mid = (low + high + 1) // 2
    left = terms[mid] if mid == low else _balance(function, terms, places, low, mid - 1)
    right = terms[mid + 1] if mid == high else _balance(function, terms, places, mid + 1, high)
    return Call(places[mid], function, [left, right])
