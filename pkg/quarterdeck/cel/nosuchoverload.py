"""What a call of a function gives where its arguments fit none of its overloads."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from quarterdeck._kernels import celops, celvalue
from quarterdeck.cel import functions
from quarterdeck.cel.values import CelErr

# Functions that ask of what they are called on only that it is a list, or a text.
_GUARDED_BY_TRAIT: Final = frozenset(("matches", "sort", "@sortByAssociatedKeys"))
# Go's words for types that have parts.
_WHOLE_NAMES: Final = {"list": "list(dyn)", "map": "map(dyn, dyn)"}


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
        names = [celvalue.cel_type_name(arg) for arg in args]
        receiver, *others = [_WHOLE_NAMES.get(name, name) for name in names]
        return CelErr(f"no such overload: {receiver}.flatten({', '.join(others)})")


class _NoSuchTrait:
    """The name alone, unless methods are called on the first argument's type (cel-go's ReceiverType)."""

    __slots__ = ("fault",)

    def __init__(self, name: str) -> None:
        self.fault = CelErr(f"no such overload: {name}")

    def __call__(self, args: tuple[object, ...]) -> object:
        return celvalue.no_such_overload if celops.receives(args[0]) else self.fault


def of(name: str) -> Callable[[tuple[object, ...]], object]:
    if name in _GUARDED_BY_TRAIT:
        return _NoSuchTrait(name)
    return _NoSuchFlatten() if name == "flatten" else _NoSuchOverload(name)


def without_name(args: tuple[object, ...]) -> object:
    return celvalue.no_such_overload
