"""Checks of literals after the types fit: lists and maps of one type, durations, timestamps, patterns, formats.

Source: cel-go's cel/validator.go and ext/formatting.go (stringFormatValidator).
"""

from __future__ import annotations

from quarterdeck.apimachinery import patterns
from quarterdeck.cel import lib_core, lib_format_string, regex, types
from quarterdeck.cel.ast import Call, Comprehension, Const, Expr, ListExpr, MapExpr, Select, StructExpr
from quarterdeck.cel.source import Issue
from quarterdeck.cel.substitution import same
from quarterdeck.cel.types import Kind
from quarterdeck.cel.values import CelErr

WATCHED = frozenset(("duration", "timestamp", "matches", "format"))


def validate(tree: Expr) -> list[Issue]:
    issues: list[Issue] = []
    stack: list[tuple[Expr | None, bool]] = [(tree, False)]  # and whether it is inside of format(), which mixes types
    while stack:
        e, mixed = stack.pop()
        if type(e) is Call:
            if e.function in WATCHED:
                _check_call(e, issues)
                mixed = mixed or e.function == "format"
            stack += [(arg, mixed) for arg in e.args]
            stack.append((e.target, mixed))
        elif type(e) is Select:
            stack.append((e.operand, mixed))
        elif type(e) is Comprehension:
            parts = (e.accu_init, e.result) if e.bind else (e.source, e.test, e.item)
            stack += [(part, mixed) for part in parts]
        elif type(e) is ListExpr:
            if not mixed:
                issues += _unlike_first(e.items, e.optionals)[:1]  # the first alone is told
            stack += [(item, mixed) for item in e.items]
        elif type(e) is MapExpr:
            if not mixed:
                issues += _unlike_first(e.keys, frozenset())
                issues += _unlike_first(e.values, e.optionals)
            stack += [(part, mixed) for part in (*e.keys, *e.values)]
        elif type(e) is StructExpr:
            stack += [(value, mixed) for value in e.values]
    return issues


def _unlike_first(items: list[Expr], optionals: frozenset[int]) -> list[Issue]:
    """The elements of a literal are of one type: what is wrong with those that are of another than the first."""
    issues: list[Issue] = []
    wanted: types.Type | None = None
    for i, item in enumerate(items):
        given = item.type.params[0] if i in optionals and item.type.params else item.type
        if wanted is None:
            wanted = given
        elif not same(wanted, given):
            issues.append(Issue(item.pos, f"expected type '{wanted}' but found '{given}'"))
    return issues


def _check_call(e: Call, issues: list[Issue]) -> None:
    if e.function == "format":
        _check_format(e, issues)
        return
    # The first argument beside the target, which of `matches(text, pattern)` is not the pattern (as upstream).
    first = e.args[0] if e.args else None
    if type(first) is Const and not _is_accepted(e.function, first.value):
        issues.append(Issue(first.pos, f"invalid {e.function} argument"))


def _is_accepted(function: str, literal: object) -> bool:
    if function != "matches":
        convert = lib_core.to_duration if function == "duration" else lib_core.to_timestamp
        return type(convert(literal)) is not CelErr
    if not isinstance(literal, str):
        return True
    try:
        regex.compile_pattern(literal)
    except patterns.PatternError:
        return False
    return True


_FITTING = {
    "d": (Kind.INT, Kind.UINT),
    "f": (Kind.DOUBLE, Kind.STRING),
    "e": (Kind.DOUBLE, Kind.STRING),
    "b": (Kind.INT, Kind.UINT, Kind.BOOL),
    "x": (Kind.INT, Kind.UINT, Kind.STRING, Kind.BYTES),
    "X": (Kind.INT, Kind.UINT, Kind.STRING, Kind.BYTES),
    "o": (Kind.INT, Kind.UINT),
    "s": (Kind.LIST, Kind.MAP, Kind.INT, Kind.UINT, Kind.DOUBLE, Kind.BOOL, Kind.STRING, Kind.TIMESTAMP, Kind.BYTES,
          Kind.DURATION, Kind.TYPE, Kind.NULL),
}  # fmt: skip
_RUNTIME_NAMES = {
    types.TIMESTAMP: "google.protobuf.Timestamp",
    types.DURATION: "google.protobuf.Duration",
    types.ANY: "google.protobuf.Any",
}


def _check_format(e: Call, issues: list[Issue]) -> None:
    if type(e.target) is not Const or type(e.target.value) is not str or type(e.args[0]) is not ListExpr:
        return
    items = e.args[0].items
    used = 0
    place = e.pos

    def clause(letter: str, precision: int | None, index: int) -> str:
        nonlocal used, place
        used = index + 1
        bad = _misfit(letter, items[index])
        if bad is not None:
            place = bad.pos
            name = _RUNTIME_NAMES.get(bad.type, bad.type.name)
            raise lib_format_string.ClauseError(lib_format_string.COMPLAINTS[letter].format(name))
        return ""

    try:
        lib_format_string.expand(e.target.value, len(items), clause, is_checked=True)
    except lib_format_string.FormatError as error:
        issues.append(Issue(place, str(error)))
        return
    if len(items) > used:
        message = f"too many arguments supplied to string.format (expected {used}, got {len(items)})"
        issues.append(Issue(e.pos, message))


def _misfit(letter: str, item: Expr) -> Expr | None:
    """The expression that the clause cannot show; literals of lists and maps are looked into for %s."""
    kind = item.type.params[0].kind if item.type.kind == Kind.WRAPPER else item.type.kind
    if kind == Kind.DYN:
        return None
    if kind not in _FITTING[letter]:
        return item
    if letter == "s":
        inner: list[Expr] = []
        if type(item) is ListExpr:
            inner = item.items
        elif type(item) is MapExpr:
            inner = [*item.keys, *item.values]
        for part in inner:
            bad = _misfit("s", part)
            if bad is not None:
                return bad
    return None
