"""Which overloads of a function fit the types of a call's arguments.

Source: cel-go's checker/checker.go (resolveOverload).
"""

from __future__ import annotations

from typing import Final

from quarterdeck.cel.decls import Function
from quarterdeck.cel.substitution import Substitution, same
from quarterdeck.cel.types import DYN, Kind, Type

# The identifiers of the overloads that fit and the type of the result.
Resolution = tuple[tuple[str, ...], Type]

# What was found for calls whose arguments are all plain: it depends on nothing else.
# The number is how many type parameters the search has named.
_resolved: dict[tuple[object, ...], tuple[Resolution | None, int]] = {}
_RESOLVED_MAX: Final = 4096


def resolve(function: Function, is_member: bool, given: list[Type], bound: Substitution) -> Resolution | None:
    """The overloads that fit `given`, the target's type first; None if none does. Several make the result dyn unless
    they agree on it. What type parameters are found to be goes into `bound`."""
    if not all(t.plain for t in given):
        return _resolve(function, is_member, given, bound)
    key = (function, is_member, *given)
    known = _resolved.get(key)
    if known is not None:
        bound.counter += known[1]
        return known[0]
    before = bound.counter
    resolution = _resolve(function, is_member, given, bound)
    if not (resolution and resolution[1].generic):
        if len(_resolved) >= _RESOLVED_MAX:
            _resolved.clear()
        _resolved[key] = resolution, bound.counter - before
    return resolution


def _resolve(function: Function, is_member: bool, given: list[Type], bound: Substitution) -> Resolution | None:
    fitting: list[str] = []
    result: Type | None = None
    for overload in function.overloads:
        if overload.is_member is not is_member:
            continue
        wanted: tuple[Type, ...] = overload.args
        returned = overload.result
        if overload.params:
            fresh = Substitution()
            fresh.bound = {name: bound.fresh() for name in overload.params}
            wanted = tuple([fresh.apply(t) for t in wanted])
            returned = fresh.apply(returned)
        # Type parameters are named for overloads of another number of arguments too.
        if len(wanted) != len(given) or not bound.assignable_all(given, wanted):
            continue
        fitting.append(overload.id)
        returned = bound.apply(returned)
        if result is None:
            result = returned
        elif result.kind != Kind.DYN and not same(result, returned):
            result = DYN
    return (tuple(fitting), result) if result is not None else None
