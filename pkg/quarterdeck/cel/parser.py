"""Text to syntax tree: a Pratt parser.

It goes on after a syntax error, so that whatever else is wrong with the text is told too; the syntax errors themselves
are then told as cel-go's generated parser tells them (syntax_errors.py). Source: cel-go's parser/parser.go and
parser/gen/CEL.g4.
"""

from __future__ import annotations

from typing import Final

from quarterdeck.cel import macros, parse_depth, syntax_errors
from quarterdeck.cel.ast import Call, Const, Expr, Ident, Select, balanced
from quarterdeck.cel.lexer import BYTES, EOF, ESCAPED, FLOAT, IDENT, INT, STRING, UINT, Token
from quarterdeck.cel.literals import CLOSERS, LiteralParser
from quarterdeck.cel.parse_depth import DEPTH_MAX
from quarterdeck.cel.source import NO_POSITION, CompileError, Issue
from quarterdeck.cel.token_reader import STARTS, TooManyErrors, show_expected
from quarterdeck.cel.types import NULL
from quarterdeck.cel.types import STRING as STRING_TYPE

CODE_POINTS_MAX: Final = 100_000
_SYNTAX_ERROR: Final = "Syntax error: "

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
            parser.issues[unreadable:] = syntax_errors.find(source, parser.tokens) + others
    except parse_depth.TooDeep as error:
        parser.issues.append(Issue(NO_POSITION, str(error)))
    except TooManyErrors:
        pass
    if parser.issues:
        raise CompileError(source, _first(parser.issues))
    return tree


def _first(issues: list[Issue]) -> list[Issue]:
    """cel-go reads no further once it has found so many."""
    if len(issues) <= syntax_errors.ERRORS_MAX:
        return issues
    in_order = sorted(issues, key=lambda issue: issue.pos)
    last = Issue(in_order[syntax_errors.ERRORS_MAX].pos, f"More than {syntax_errors.ERRORS_MAX} syntax errors")
    return [*in_order[: syntax_errors.ERRORS_MAX], last]


class _Parser(LiteralParser):
    __slots__ = ("calcs", "depth", "known_macros", "relations")

    def __init__(self, source: str, known_macros: macros.Macros) -> None:
        super().__init__(source)
        self.known_macros = known_macros
        self.depth = self.relations = self.calcs = 0  # the open rules expr, relation and calc of the grammar

    # --- expressions

    def parse(self) -> Expr:
        tree = self.expression()
        if len(self.tokens) > DEPTH_MAX:
            parse_depth.check(tree)
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
            raise parse_depth.refuse_nesting()
        cond = self.logical_or()
        if self.token.kind == "?":
            pos = self.next().pos
            self.closers.append(CLOSERS[":"])
            yes = self.logical_or()
            self.closers.pop()
            self.expect(":", STARTS)
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
        return balanced("_||_", terms, places, 0, len(places) - 1)

    def logical_and(self) -> Expr:
        first = self.binary(4)
        if self.token.kind != "&&":
            return first
        terms, places = [first], []
        while self.token.kind == "&&":
            places.append(self.next().pos)
            terms.append(self.binary(4))
        return balanced("_&&_", terms, places, 0, len(places) - 1)

    def binary(self, level: int) -> Expr:
        is_relation, is_calc = level <= 5, level != 5  # at 5, calc takes the place of the one on the relation's left
        self.relations += is_relation
        self.calcs += is_calc
        if self.relations > DEPTH_MAX or self.calcs > DEPTH_MAX:
            raise parse_depth.refuse_nesting()
        left = self.unary()
        while (found := _BINARY.get(self.token.kind)) is not None and found[0] >= level:
            pos = self.next().pos
            left = Call(pos, found[1], [left, self.binary(found[0] + 1)])
        self.relations -= is_relation
        self.calcs -= is_calc
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
                if following not in STARTS:
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
            return Select(dot.pos, operand, "")
        if name.kind != IDENT:
            if optional and self.peek() not in (IDENT, ESCAPED):
                self.report(name.pos, "unsupported ident kind")
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
        self.closers.append(CLOSERS[closers])
        if extra and self.token.kind not in STARTS:
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
            return self.named(token, leading_dot=False)
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
                if self.token.kind == "?" and self.peek() not in (IDENT, ESCAPED):
                    self.report(self.tokens[self.at + 1].pos, "unsupported ident kind")
                self.recover()
                return Const(token.pos, None, NULL)
            return self.named(token, leading_dot=True)
        return self.missing_operand(frozenset())

    def missing_operand(self, extra: frozenset[str]) -> Expr:
        """No expression begins here: says so, and goes on with the next token if one begins there."""
        token = self.token
        starts = STARTS | extra
        self.unexpected(show_expected(starts), starts)
        if self.token.kind in STARTS and self.token is not token:
            return self.unary()
        return Const(token.pos, None, NULL)

    def named(self, first: Token, leading_dot: bool) -> Expr:
        token = self.next()
        name = token.text
        if self.token.kind == "{" or (self.token.kind == "." and self.is_struct_name()):
            return self.struct_literal(name, leading_dot)
        is_reserved = name in _RESERVED
        if is_reserved:
            self.report(first.pos, f"reserved identifier: {name}")
        if leading_dot:
            name = "." + name
        if self.token.kind == "(":
            pos = self.next().pos
            return self.expand(pos, name, self.arguments(), None)
        # A macro that wants a name has its own complaint about a word that is none.
        return Const(token.pos, None, NULL) if is_reserved else Ident(token.pos, name)


_LITERALS: Final = frozenset((STRING, BYTES, INT, UINT, FLOAT, "true", "false", "null"))
