"""What is wrong with the syntax of an expression, as the parser that ANTLR generates for cel-go says it.

That parser reports more than the first error, and what it reports next hangs on how it recovers: it deletes one token,
imagines one, or skips tokens up to what may follow any rule that is open. So a text that is no expression is read once
more here, in the way of that parser: rule by rule over the grammar's states, with its sets of expected tokens.

Source: cel-go's parser/gen/CEL.g4; ANTLR 4.13's DefaultErrorStrategy; cel-go's parser/parser.go (limits).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Final

from quarterdeck.cel.lexer import BYTES, EOF, ESCAPED, FLOAT, IDENT, INT, STRING, UINT, Token
from quarterdeck.cel.source import NO_POSITION, Issue

RECOVERIES_MAX: Final = 30
SKIPPED_MAX: Final = 256
ERRORS_MAX: Final = 100

# The grammar's order of tokens, in which ANTLR lists what it expected.
_ORDER: Final = {
    name: place
    for place, name in enumerate(
        (EOF, "==", "!=", "in", "<", "<=", ">=", ">", "&&", "||", "[", "]", "{", "}", "(", ")", ".", ",", "-", "!", "?",
         ":", "+", "*", "/", "%", "true", "false", "null", FLOAT, INT, UINT, STRING, BYTES, IDENT, ESCAPED)
    )
}  # fmt: skip
_RELATIONS: Final = frozenset(("<", "<=", ">=", ">", "==", "!=", "in"))
_PRODUCTS: Final = frozenset("*/%")
_SUMS: Final = frozenset("+-")
_NUMBERS: Final = frozenset((INT, FLOAT))
_LITERALS: Final = frozenset((STRING, BYTES, INT, UINT, FLOAT, "true", "false", "null"))
_MEMBER_STARTS: Final = _LITERALS | frozenset((IDENT, ".", "(", "[", "{", "-"))
_ITEM_STARTS: Final = _MEMBER_STARTS | frozenset("!?")
_FIELD_STARTS: Final = frozenset((IDENT, ESCAPED, "?"))
_NOTHING: Final = ""  # in a set of tokens: the rule may end here


class _State:
    """A place in a rule: its edges are tried in order. `is_decision`: the parser looks ahead here."""

    __slots__ = ("choose", "edges", "is_decision", "is_loop_end", "rule")

    def __init__(self, rule: str) -> None:
        self.rule = rule
        self.edges: list[_Edge] = []
        self.is_decision = False
        self.is_loop_end = False
        self.choose: Callable[[_Reader], int] | None = None


class _Edge:
    """To `target`: over a token of `tokens`, through the rule `called`, or over nothing."""

    __slots__ = ("called", "precedence", "target", "tokens")

    def __init__(
        self, target: _State, tokens: frozenset[str] = frozenset(), called: str = "", precedence: int = 0
    ) -> None:
        self.target = target
        self.tokens = tokens
        self.called = called
        self.precedence = precedence


# A part of a rule: from the rule's name and the state after it, the state before it.
_Part = Callable[[str, _State], _State]


def _token(*kinds: str) -> _Part:
    def build(rule: str, end: _State) -> _State:
        state = _State(rule)
        state.edges.append(_Edge(end, frozenset(kinds)))
        return state

    return build


def _call(called: str, precedence: int = 0) -> _Part:
    def build(rule: str, end: _State) -> _State:
        state = _State(rule)
        state.edges.append(_Edge(end, called=called, precedence=precedence))
        return state

    return build


def _all(*parts: _Part) -> _Part:
    def build(rule: str, end: _State) -> _State:
        for part in reversed(parts):
            end = part(rule, end)
        return end

    return build


def _any(choose: Callable[[_Reader], int] | None, *parts: _Part) -> _Part:
    def build(rule: str, end: _State) -> _State:
        state = _State(rule)
        state.is_decision = True
        state.choose = choose
        state.edges = [_Edge(part(rule, end)) for part in parts]
        return state

    return build


def _maybe(*parts: _Part) -> _Part:
    return _any(None, _all(*parts), lambda _, end: end)


def _repeat(choose: Callable[[_Reader], int] | None, *parts: _Part) -> _Part:
    """Any number of times."""

    def build(rule: str, end: _State) -> _State:
        state = _State(rule)
        state.is_decision = True
        state.choose = choose
        state.edges = [_Edge(_all(*parts)(rule, state)), _Edge(end)]
        return state

    return build


def _repeat_once(choose: Callable[[_Reader], int] | None, part: _Part) -> _Part:
    """Once and then any number of times."""

    def build(rule: str, end: _State) -> _State:
        state = _State(rule)
        state.is_decision = state.is_loop_end = True
        state.choose = choose
        first = part(rule, state)
        state.edges = [_Edge(first), _Edge(end)]
        return first

    return build


class _Mismatch(Exception):
    """No token fits; the rule ends here."""

    def __init__(self, message: str) -> None:
        self.message = message


class _GaveUp(Exception):
    pass


class _Reader:
    """One reading of the tokens. `open_rules`: of each rule that is open, where it goes on and its precedence."""

    def __init__(self, source: str, tokens: list[Token]) -> None:
        self.source = source
        self.tokens = tokens
        self.at = 0
        self.precedence = 0
        self.open_rules: list[tuple[_State, int]] = []
        self.issues: list[Issue] = []
        self.recovering = False
        self.recoveries = 0
        self.last_error: tuple[int, set[_State]] = (-1, set())

    def kind(self, ahead: int = 0) -> str:
        return self.tokens[min(self.at + ahead, len(self.tokens) - 1)].kind

    def consume(self) -> None:
        if self.kind() != EOF:
            self.at += 1

    def run(self) -> None:
        starts, stops = _grammar()
        state = starts["start"]
        while True:
            if not state.edges:
                if not self.open_rules:
                    return
                state, self.precedence = self.open_rules.pop()
                continue
            try:
                state = self.step(state, starts)
            except _Mismatch as mismatch:
                self.report(mismatch.message)
                self.recover(state)
                state = stops[state.rule]

    def step(self, state: _State, starts: dict[str, _State]) -> _State:
        edge = state.edges[0]
        if state.is_decision:
            self.synchronize(state)
            edge = state.edges[self.decide(state)]
        if edge.called:
            self.open_rules.append((edge.target, self.precedence))
            self.precedence = edge.precedence
            return starts[edge.called]
        if edge.tokens:
            self.match(state, edge)
        return edge.target

    def decide(self, state: _State) -> int:
        if state.choose is not None:
            return state.choose(self)
        for i, edge in enumerate(state.edges):
            if self.kind() in _first(edge.target):
                return i
        return len(state.edges) - 1

    # --- matching and recovery

    def match(self, state: _State, edge: _Edge) -> None:
        if self.kind() in edge.tokens:
            self.accept()
            self.consume()
            return
        self.count_recovery()
        if self.delete_one(state):
            self.consume()
        elif self.kind() in self.expected(edge.target):
            if not self.recovering:
                self.recovering = True
                self.tell(f"missing {_show(self.expected(state))} at {self.shown()}")
        else:
            raise _Mismatch(self.mismatch(state))

    def accept(self) -> None:
        self.recovering = False
        self.last_error = (-1, set())

    def delete_one(self, state: _State) -> bool:
        """Skips an unwanted token where the next one fits."""
        expected = self.expected(state)
        if self.kind(1) not in expected:
            return False
        self.unwanted(expected)
        self.consume()
        self.accept()
        return True

    def unwanted(self, expected: frozenset[str]) -> None:
        if not self.recovering:
            self.recovering = True
            self.tell(f"extraneous input {self.shown()} expecting {_show(expected)}")

    def synchronize(self, state: _State) -> None:
        """Before a decision: a token that fits none of its ways, nor what follows, is an error already."""
        first = _first(state)
        if self.recovering or _NOTHING in first or self.kind() in first:
            return
        if state.is_loop_end:
            self.unwanted(self.expected(state))
            self.skip_to(self.expected(state) | self.recovery_set())
        elif not self.delete_one(state):
            raise _Mismatch(self.mismatch(state))

    def recover(self, state: _State) -> None:
        self.count_recovery()
        index, states = self.last_error
        skipped = 0
        if index == self.at and state in states:  # the second error at one place: no way on without a step
            self.consume()
            skipped = 1
        if index != self.at:
            states = states if states else set()
        states.add(state)
        self.last_error = (self.at, states)
        self.skip_to(self.recovery_set(), skipped)

    def skip_to(self, wanted: frozenset[str], skipped: int = 0) -> None:
        while self.kind() != EOF and self.kind() not in wanted:
            if skipped >= SKIPPED_MAX:
                text = f"error recovery token lookahead limit exceeded: {SKIPPED_MAX}"
                self.issues.append(Issue(NO_POSITION, text))
                raise _GaveUp
            self.consume()
            skipped += 1

    def count_recovery(self) -> None:
        if self.recoveries == RECOVERIES_MAX:
            self.tell(f"error recovery attempt limit exceeded: {RECOVERIES_MAX}")
            raise _GaveUp
        self.recoveries += 1

    # --- sets of tokens

    def expected(self, state: _State) -> frozenset[str]:
        """What may come at a state, with all open rules."""
        found = _first(state)
        above = len(self.open_rules)
        while _NOTHING in found and above:
            above -= 1
            found = (found - {_NOTHING}) | _first(self.open_rules[above][0])
        return found - {_NOTHING}

    def recovery_set(self) -> frozenset[str]:
        return frozenset().union(*{_first(state) for state, _ in self.open_rules}) - {_NOTHING}

    # --- messages

    def report(self, message: str) -> None:
        if not self.recovering:
            self.recovering = True
            if message:
                self.tell(message)

    def tell(self, message: str) -> None:
        self.add(self.tokens[self.at], message)

    def add(self, token: Token, message: str) -> None:
        self.issues.append(Issue(token.pos, f"Syntax error: {message}"))
        if len(self.issues) >= ERRORS_MAX:
            raise _GaveUp

    def shown(self) -> str:
        token = self.tokens[self.at]
        return "'<EOF>'" if token.kind == EOF else f"'{_escape(token.text)}'"

    def mismatch(self, state: _State) -> str:
        return f"mismatched input {self.shown()} expecting {_show(self.expected(state))}"

    def no_alternative(self) -> _Mismatch:
        """The token here and the next one begin nothing together: told at the next one."""
        first, offending = self.tokens[self.at], self.tokens[self.at + 1]
        if not self.recovering:
            between = self.source[first.pos + len(first.text) : offending.pos]
            # Of what is no token, spaces are shown.
            unreadable = between.strip()
            text = first.text + (between.replace(unreadable, "", 1) if unreadable else between)
            text += "" if offending.kind == EOF else offending.text
            message = f"no viable alternative at input '{_escape(text)}'"
            if text[1:] in ("true", "false", "null"):  # cel-go's own words
                message = f"mismatched input '{text[1:]}' expecting IDENTIFIER"
            self.add(offending, message)
            self.recovering = True
        return _Mismatch("")


@cache
def _first(state: _State) -> frozenset[str]:
    """The tokens that may come at a state, and _NOTHING where its rule may end."""
    if not state.edges:
        return frozenset((_NOTHING,))
    found: frozenset[str] = frozenset()
    for edge in state.edges:
        if edge.called:
            found |= _first(_grammar()[0][edge.called])
        else:
            found |= edge.tokens or _first(edge.target)
    return found


def _show(tokens: frozenset[str]) -> str:
    names = [name if name[0].isupper() or name == EOF else f"'{name}'" for name in sorted(tokens, key=_place)]
    return names[0] if len(names) == 1 else "{" + ", ".join(names) + "}"


def _place(name: str) -> int:
    return _ORDER[name]


def _escape(text: str) -> str:
    return text.replace("\t", "\\t").replace("\n", "\\n").replace("\r", "\\r")


# --- decisions that take more than one token


def _relation_goes_on(reader: _Reader) -> int:
    return 0 if reader.kind() in _RELATIONS and reader.precedence <= 1 else 1


def _calc_goes_on(reader: _Reader) -> int:
    kind = reader.kind()
    return 0 if (kind in _PRODUCTS and reader.precedence <= 2) or (kind in _SUMS and reader.precedence <= 1) else 1


def _calc_operator(reader: _Reader) -> int:
    return 0 if reader.kind() in _PRODUCTS else 1


def _unary(reader: _Reader) -> int:
    if reader.kind() == "!":
        return 1
    if reader.kind() != "-" or reader.kind(1) in _NUMBERS:
        return 0
    if reader.kind(1) not in _MEMBER_STARTS:
        raise reader.no_alternative()
    return 2


def _negation_goes_on(reader: _Reader) -> int:
    if reader.kind() != "-" or reader.kind(1) in _NUMBERS:
        return 1
    if reader.kind(1) not in _MEMBER_STARTS:
        raise reader.no_alternative()
    return 0


def _member_goes_on(reader: _Reader) -> int:
    return 0 if reader.kind() in (".", "[") else 1


def _member_step(reader: _Reader) -> int:
    following = reader.kind(1)
    if reader.kind() == "[":
        return 2
    if following == IDENT:
        return 1 if reader.kind(2) == "(" else 0
    if following not in ("?", ESCAPED):
        raise reader.no_alternative()
    return 0


_PRIMARIES: Final = {"(": 2, "[": 3, "{": 4}


def _primary(reader: _Reader) -> int:
    kind = reader.kind()
    if kind not in (".", IDENT):
        return _PRIMARIES.get(kind, 6)
    ahead = 1
    if kind == ".":
        if reader.kind(1) != IDENT:
            raise reader.no_alternative()
        ahead = 2
    if reader.kind(ahead) == "(":
        return 1
    while reader.kind(ahead) == "." and reader.kind(ahead + 1) == IDENT:
        ahead += 2
    return 5 if reader.kind(ahead) == "{" else 0


def _literal(reader: _Reader) -> int:
    if reader.kind() != "-":
        return 0
    if reader.kind(1) not in _NUMBERS:
        raise reader.no_alternative()
    return 1


def _comma_before(starts: frozenset[str]) -> Callable[[_Reader], int]:
    return lambda reader: 0 if reader.kind() == "," and reader.kind(1) in starts else 1


# --- the grammar


_OPTIONAL: Final = _maybe(_token("?"))
_NAME: Final = _all(_maybe(_token(".")), _token(IDENT))
_ARGUMENTS: Final = _all(_token("("), _maybe(_call("exprList")), _token(")"))
_FIELD: Final = _all(_call("optField"), _token(":"), _call("expr"))
_ENTRY: Final = _all(_call("optExpr"), _token(":"), _call("expr"))
_RULES: Final[dict[str, _Part]] = {
    "start": _all(_call("expr"), _token(EOF)),
    "expr": _all(_call("conditionalOr"), _maybe(_token("?"), _call("conditionalOr"), _token(":"), _call("expr"))),
    "conditionalOr": _all(_call("conditionalAnd"), _repeat(None, _token("||"), _call("conditionalAnd"))),
    "conditionalAnd": _all(_call("relation"), _repeat(None, _token("&&"), _call("relation"))),
    "relation": _all(_call("calc"), _repeat(_relation_goes_on, _token(*_RELATIONS), _call("relation", 2))),
    "calc": _all(
        _call("unary"),
        _repeat(
            _calc_goes_on,
            _any(
                _calc_operator,
                _all(_token(*_PRODUCTS), _call("calc", 3)),
                _all(_token(*_SUMS), _call("calc", 2)),
            ),
        ),
    ),
    "unary": _any(
        _unary,
        _call("member"),
        _all(_repeat_once(None, _token("!")), _call("member")),
        _all(_repeat_once(_negation_goes_on, _token("-")), _call("member")),
    ),
    "member": _all(
        _call("primary"),
        _repeat(
            _member_goes_on,
            _any(
                _member_step,
                _all(_token("."), _OPTIONAL, _call("escapeIdent")),
                _all(_token("."), _token(IDENT), _ARGUMENTS),
                _all(_token("["), _OPTIONAL, _call("expr"), _token("]")),
            ),
        ),
    ),
    "primary": _any(
        _primary,
        _NAME,
        _all(_NAME, _ARGUMENTS),
        _all(_token("("), _call("expr"), _token(")")),
        _all(_token("["), _maybe(_call("listInit")), _maybe(_token(",")), _token("]")),
        _all(_token("{"), _maybe(_call("mapInitializerList")), _maybe(_token(",")), _token("}")),
        _all(
            _NAME,
            _repeat(None, _token("."), _token(IDENT)),
            _token("{"),
            _maybe(_call("fieldInitializerList")),
            _maybe(_token(",")),
            _token("}"),
        ),
        _call("literal"),
    ),
    "exprList": _all(_call("expr"), _repeat(None, _token(","), _call("expr"))),
    "listInit": _all(_call("optExpr"), _repeat(_comma_before(_ITEM_STARTS), _token(","), _call("optExpr"))),
    "fieldInitializerList": _all(_FIELD, _repeat(_comma_before(_FIELD_STARTS), _token(","), _FIELD)),
    "mapInitializerList": _all(_ENTRY, _repeat(_comma_before(_ITEM_STARTS), _token(","), _ENTRY)),
    "optField": _all(_OPTIONAL, _call("escapeIdent")),
    "escapeIdent": _any(None, _token(IDENT), _token(ESCAPED)),
    "optExpr": _all(_OPTIONAL, _call("expr")),
    "literal": _any(
        _literal,
        _token(*_LITERALS),
        _all(_token("-"), _token(INT, FLOAT)),
    ),
}


@cache
def _grammar() -> tuple[dict[str, _State], dict[str, _State]]:
    """The first and the last state of each rule."""
    stops = {name: _State(name) for name in _RULES}
    return {name: part(name, stops[name]) for name, part in _RULES.items()}, stops


def find(source: str, tokens: list[Token]) -> list[Issue]:
    """The syntax errors of a text whose tokens these are, in the order in which they are met."""
    reader = _Reader(source, tokens)
    try:
        reader.run()
    except _GaveUp:
        pass
    return reader.issues
