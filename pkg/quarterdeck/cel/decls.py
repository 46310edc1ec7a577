"""Which functions there are: names, overloads and their types, read once at import from the lines of signatures.py."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from quarterdeck.cel import signatures, types
from quarterdeck.cel.types import Type


@dataclass(frozen=True, slots=True, eq=False)
class Overload:
    id: str
    args: tuple[Type, ...]
    result: Type
    is_member: bool
    params: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Function:
    name: str
    overloads: tuple[Overload, ...]


_WORD = re.compile(r"[A-Za-z_0-9]+|[(),]")
_LINE = re.compile(r"(\S+): (\.?)([^(]+)\((.*)\) (\S.*)")
_PARAMS: Final = frozenset("ABKVT")


def _read_type(text: str) -> Type:
    words = _WORD.findall(text)
    at = 0

    def one() -> Type:
        nonlocal at
        word = words[at]
        at += 1
        params: list[Type] = []
        if at < len(words) and words[at] == "(":
            while words[at] in "(,":
                at += 1
                params.append(one())
            at += 1
        if word == "list":
            return types.list_of(params[0])
        if word == "map":
            return types.map_of(params[0], params[1])
        if word == "opt":
            return types.optional_of(params[0])
        if word == "type":
            return types.type_of(params[0])
        if word in _PARAMS:
            return types.param(word)
        found = getattr(types, word.upper())
        assert isinstance(found, Type)
        return found

    return one()


def _split_args(text: str) -> list[str]:
    args, depth, start = [], 0, 0
    for i, c in enumerate(text):
        if c == "(":
            depth += 1
        elif c == ")":
            depth -= 1
        elif c == "," and depth == 0:
            args.append(text[start:i])
            start = i + 1
    return [*args, text[start:]] if text.strip() else []


def _params_of(t: Type, found: dict[str, None]) -> None:
    if t.kind == types.Kind.PARAM:
        found[t.name] = None
    for p in t.params:
        _params_of(p, found)


def _read_functions(lines: list[str]) -> dict[str, Function]:
    """Functions from lines of signatures."""
    gathered: dict[str, list[Overload]] = {}
    for line in lines:
        match = _LINE.fullmatch(line)
        assert match is not None, line
        function, dot, overload_id, args, result = match.groups()
        arg_types = tuple([_read_type(a) for a in _split_args(args)])
        result_type = _read_type(result)
        names: dict[str, None] = {}
        for t in (*arg_types, result_type):
            _params_of(t, names)
        gathered.setdefault(function, []).append(Overload(overload_id, arg_types, result_type, bool(dot), tuple(names)))
    return {name: Function(name, tuple(overloads)) for name, overloads in gathered.items()}


BASE: Final[dict[str, Function]] = _read_functions(signatures.base_lines())
JSON_PATCH: Final[dict[str, Function]] = _read_functions([line for line in signatures.JSON_PATCH.splitlines() if line])
