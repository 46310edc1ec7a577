"""Expressions over the claims of a token (`claims`) and over the user that they make (`user`).

What a token holds may be named as its claims are spelled, or by escaped names (`claims.acme__dot__io`), as elsewhere in
Kubernetes: the compiled names are the spelled ones. Numbers of claims are doubles.

Source: apiserver/pkg/authentication/cel/{compile,mapper}.go; plugin/pkg/authenticator/token/oidc (unescapedName);
pkg/cel/escaping.go (Unescape); pkg/apis/apiserver/validation (hasSelectExp).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, Final, NamedTuple

from quarterdeck.authentication.interface import BadToken
from quarterdeck.cel import types
from quarterdeck.cel.ast import Call, Comprehension, Const, Expr, Ident, ListExpr, MapExpr, Select, StructExpr
from quarterdeck.cel.environment import Environment, Failure, Program, compile_expression
from quarterdeck.cel.schema import RESERVED
from quarterdeck.cel.types import Kind

CLAIMS: Final = "claims"
USER: Final = "user"
_EMAIL: Final = "email"
_EMAIL_VERIFIED: Final = "email_verified"
_SELECT_OPTIONAL: Final = "_?._"
_INDEXES: Final = ("_[_]", "_[?_]", _SELECT_OPTIONAL)
_WORDS: Final = {"underscores": "__", "dot": ".", "dash": "-", "slash": "/"}
_escaped = re.compile(r"__([a-z]+)__").sub


class Compiled(NamedTuple):
    """`program` None: `fault` says why. `is_internal`: nothing that the author wrote."""

    expression: str
    program: Program | None
    fault: str = ""
    uses_email: bool = False
    uses_email_verified: bool = False
    is_internal: bool = False


@cache
def _environments() -> dict[str, Environment]:
    text = types.STRING
    texts = types.list_of(text)
    user = types.struct(
        "kubernetes.UserInfo", {"username": text, "uid": text, "groups": texts, "extra": types.map_of(text, texts)}
    )
    return {
        CLAIMS: Environment({CLAIMS: types.map_of(text, types.ANY)}),
        USER: Environment({USER: user}),
    }


def compile_claims(expression: str, *, is_rule: bool = False) -> Compiled:
    """`is_rule`: it has to give a bool."""
    return _compile(expression, CLAIMS, is_rule=is_rule)


def compile_user(expression: str) -> Compiled:
    return _compile(expression, USER, is_rule=True)


def _compile(expression: str, variable: str, *, is_rule: bool) -> Compiled:
    fields: set[str] = set()
    found = compile_expression(expression, _environments()[variable], lambda tree: _prepare(tree, fields))
    if isinstance(found, Failure):
        return Compiled(expression, None, str(found), is_internal=found.at_program)
    if is_rule and found.type.kind != Kind.BOOL:
        return Compiled(expression, None, "must evaluate to bool")
    return Compiled(expression, found, "", _EMAIL in fields, _EMAIL_VERIFIED in fields)


def evaluate(compiled: Compiled, value: Mapping[str, Any]) -> Any:
    """What the expression gives of the claims or the user. Raises BadToken."""
    assert compiled.program is not None
    name = CLAIMS if CLAIMS in compiled.program.slots else USER
    outcome = compiled.program.evaluate({name: value})
    if outcome.error is not None:
        raise BadToken(f"expression '{compiled.expression}' resulted in error: {outcome.error}")
    return outcome.value


def _prepare(tree: Expr, fields: set[str]) -> None:
    """Collects the claims that are named, and spells the names of members."""
    for node in _walk(tree):
        if isinstance(node, Select):
            if isinstance(node.operand, Ident) and node.operand.name == CLAIMS:
                fields.add(node.field)
            node.field = unescape(node.field)
        elif isinstance(node, Call) and node.function in _INDEXES and len(node.args) == 2:
            operand, key = node.args
            if isinstance(key, Const) and isinstance(key.value, str):
                is_select = node.function == _SELECT_OPTIONAL
                if is_select and isinstance(operand, Ident) and operand.name == CLAIMS:
                    fields.add(key.value)
                key.value = unescape(key.value)


def unescape(name: str) -> str:
    """The name that is spelled so in expressions; what is no escaped name stands for itself."""
    is_good = True

    def replace(found: re.Match[str]) -> str:
        nonlocal is_good
        word = found[1]
        if word in _WORDS:
            return _WORDS[word]
        is_good = is_good and word in RESERVED and len(found[0]) == len(name)
        return word

    spelled = _escaped(replace, name)
    return spelled if is_good else name


def _walk(tree: Expr) -> Iterator[Expr]:
    """Every node, without recursion."""
    stack: list[Expr | None] = [tree]
    while stack:
        node = stack.pop()
        if node is None:
            continue
        yield node
        if isinstance(node, Select):
            stack.append(node.operand)
        elif isinstance(node, Call):
            stack += [*node.args, node.target]
        elif isinstance(node, ListExpr):
            stack += node.items
        elif isinstance(node, MapExpr):
            stack += [*node.keys, *node.values]
        elif isinstance(node, StructExpr):
            stack += node.values
        elif isinstance(node, Comprehension):
            stack += [node.source, node.accu_init, node.cond, node.step, node.result]
