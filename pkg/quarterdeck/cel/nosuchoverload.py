"""What a call of a function gives where its arguments fit none of its overloads."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from quarterdeck._kernels import celops, celvalue
from quarterdeck.cel import functions
from quarterdeck.cel.values import CelErr

# Functions that ask of what they are called on only that it is a list.
_GUARDED_BY_TRAIT: Final = frozenset(("sort", "@sortByAssociatedKeys"))


class _NoSuchOverload:
    """`no such overload: name(types)`."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def __call__(self, args: tuple[object, ...]) -> object:
        return functions.no_such_overload(self.name, args)


class _NoSuchFlatten:
    """`no such overload: type.flatten(types)`: the function looks at its arguments itself."""

    __slots__ = ()

    def __call__(self, args: tuple[object, ...]) -> object:
        for arg in args:
            if isinstance(arg, CelErr):
                return arg
        receiver, *others = [celvalue.cel_type_name(arg) for arg in args]
        return CelErr(f"no such overload: {receiver}.flatten({', '.join(others)})")


def of(name: str) -> Callable[[tuple[object, ...]], object]:
    if name in _GUARDED_BY_TRAIT:
        return without_name
    return _NoSuchFlatten() if name == "flatten" else _NoSuchOverload(name)


def without_name(args: tuple[object, ...]) -> object:
    return celvalue.no_such_overload


def of_matches(args: tuple[object, ...]) -> object:
    """The name alone, unless methods are called on the first argument's type (cel-go's ReceiverType)."""
    return celvalue.no_such_overload if celops.receives(args[0]) else CelErr("no such overload: matches")
