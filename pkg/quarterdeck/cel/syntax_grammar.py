"""The grammar of CEL as states and edges between them, as ANTLR compiles it for cel-go.

Each rule is a small automaton: `rules` gives its first and its last state, `first_tokens` what may come at a state.
Where the next token does not tell which way a rule goes on, a state has a function that looks further (`choose`).

Source: cel-go's parser/gen/CEL.g4, and the order of tokens that ANTLR gives it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Final

from quarterdeck.cel.lexer import BYTES, EOF, ESCAPED, FLOAT, IDENT, INT, STRING, UINT
from quarterdeck.cel.syntax_states import (
    Lookahead,
    Part,
    State,
    call,
    choice,
    once_or_more,
    optional,
    repeat,
    sequence,
    token,
)

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
RULE_MAY_END: Final = ""  # in a set of tokens: the rule may end here


@cache
def first_tokens(state: State) -> frozenset[str]:
    """The tokens that may come at a state, and RULE_MAY_END where its rule may end."""
    if not state.edges:
        return frozenset((RULE_MAY_END,))
    found: frozenset[str] = frozenset()
    for edge in state.edges:
        if edge.called:
            found |= first_tokens(rules()[0][edge.called])
        else:
            found |= edge.tokens or first_tokens(edge.target)
    return found


def show(tokens: frozenset[str]) -> str:
    """A set of tokens as ANTLR's messages list it."""
    names = [name if name[0].isupper() or name == EOF else f"'{name}'" for name in sorted(tokens, key=_place)]
    return names[0] if len(names) == 1 else "{" + ", ".join(names) + "}"


def _place(name: str) -> int:
    return _ORDER[name]


# --- decisions that take more than one token


def _relation_goes_on(reader: Lookahead) -> int:
    return 0 if reader.kind() in _RELATIONS and reader.precedence <= 1 else 1


def _calc_goes_on(reader: Lookahead) -> int:
    kind = reader.kind()
    return 0 if (kind in _PRODUCTS and reader.precedence <= 2) or (kind in _SUMS and reader.precedence <= 1) else 1


def _calc_operator(reader: Lookahead) -> int:
    return 0 if reader.kind() in _PRODUCTS else 1


def _unary(reader: Lookahead) -> int:
    if reader.kind() == "!":
        return 1
    if reader.kind() != "-" or reader.kind(1) in _NUMBERS:
        return 0
    if reader.kind(1) not in _MEMBER_STARTS:
        raise reader.no_alternative()
    return 2


def _negation_goes_on(reader: Lookahead) -> int:
    if reader.kind() != "-" or reader.kind(1) in _NUMBERS:
        return 1
    if reader.kind(1) not in _MEMBER_STARTS:
        raise reader.no_alternative()
    return 0


def _member_goes_on(reader: Lookahead) -> int:
    return 0 if reader.kind() in (".", "[") else 1


def _member_step(reader: Lookahead) -> int:
    following = reader.kind(1)
    if reader.kind() == "[":
        return 2
    if following == IDENT:
        return 1 if reader.kind(2) == "(" else 0
    if following not in ("?", ESCAPED):
        raise reader.no_alternative()
    return 0


_PRIMARIES: Final = {"(": 2, "[": 3, "{": 4}


def _primary(reader: Lookahead) -> int:
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


def _literal(reader: Lookahead) -> int:
    if reader.kind() != "-":
        return 0
    if reader.kind(1) not in _NUMBERS:
        raise reader.no_alternative()
    return 1


def _comma_before(starts: frozenset[str]) -> Callable[[Lookahead], int]:
    return lambda reader: 0 if reader.kind() == "," and reader.kind(1) in starts else 1


# --- the grammar


_OPTIONAL: Final = optional(token("?"))
_NAME: Final = sequence(optional(token(".")), token(IDENT))
_ARGUMENTS: Final = sequence(token("("), optional(call("exprList")), token(")"))
_FIELD: Final = sequence(call("optField"), token(":"), call("expr"))
_ENTRY: Final = sequence(call("optExpr"), token(":"), call("expr"))
_RULES: Final[dict[str, Part]] = {
    "start": sequence(call("expr"), token(EOF)),
    "expr": sequence(call("conditionalOr"), optional(token("?"), call("conditionalOr"), token(":"), call("expr"))),
    "conditionalOr": sequence(call("conditionalAnd"), repeat(None, token("||"), call("conditionalAnd"))),
    "conditionalAnd": sequence(call("relation"), repeat(None, token("&&"), call("relation"))),
    "relation": sequence(call("calc"), repeat(_relation_goes_on, token(*_RELATIONS), call("relation", 2))),
    "calc": sequence(
        call("unary"),
        repeat(
            _calc_goes_on,
            choice(
                _calc_operator,
                sequence(token(*_PRODUCTS), call("calc", 3)),
                sequence(token(*_SUMS), call("calc", 2)),
            ),
        ),
    ),
    "unary": choice(
        _unary,
        call("member"),
        sequence(once_or_more(None, token("!")), call("member")),
        sequence(once_or_more(_negation_goes_on, token("-")), call("member")),
    ),
    "member": sequence(
        call("primary"),
        repeat(
            _member_goes_on,
            choice(
                _member_step,
                sequence(token("."), _OPTIONAL, call("escapeIdent")),
                sequence(token("."), token(IDENT), _ARGUMENTS),
                sequence(token("["), _OPTIONAL, call("expr"), token("]")),
            ),
        ),
    ),
    "primary": choice(
        _primary,
        _NAME,
        sequence(_NAME, _ARGUMENTS),
        sequence(token("("), call("expr"), token(")")),
        sequence(token("["), optional(call("listInit")), optional(token(",")), token("]")),
        sequence(token("{"), optional(call("mapInitializerList")), optional(token(",")), token("}")),
        sequence(
            _NAME,
            repeat(None, token("."), token(IDENT)),
            token("{"),
            optional(call("fieldInitializerList")),
            optional(token(",")),
            token("}"),
        ),
        call("literal"),
    ),
    "exprList": sequence(call("expr"), repeat(None, token(","), call("expr"))),
    "listInit": sequence(call("optExpr"), repeat(_comma_before(_ITEM_STARTS), token(","), call("optExpr"))),
    "fieldInitializerList": sequence(_FIELD, repeat(_comma_before(_FIELD_STARTS), token(","), _FIELD)),
    "mapInitializerList": sequence(_ENTRY, repeat(_comma_before(_ITEM_STARTS), token(","), _ENTRY)),
    "optField": sequence(_OPTIONAL, call("escapeIdent")),
    "escapeIdent": choice(None, token(IDENT), token(ESCAPED)),
    "optExpr": sequence(_OPTIONAL, call("expr")),
    "literal": choice(
        _literal,
        token(*_LITERALS),
        sequence(token("-"), token(INT, FLOAT)),
    ),
}


@cache
def rules() -> tuple[dict[str, State], dict[str, State]]:
    """The first and the last state of each rule."""
    stops = {name: State(name) for name in _RULES}
    return {name: part(name, stops[name]) for name, part in _RULES.items()}, stops
