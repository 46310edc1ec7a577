"""What names stand for while an expression is checked.

Source: cel-go's checker/env.go and checker/scopes.go.
"""

from __future__ import annotations

from collections.abc import Mapping

from quarterdeck.cel import types
from quarterdeck.cel.types import Type


class Scopes:
    """Variables of loops, innermost last in `inner`, before those of the environment (`names`) and its object types
    (`structs`, by name). `references` are the variables of the environment that were named."""

    __slots__ = ("inner", "names", "references", "structs")

    def __init__(self, names: Mapping[str, Type], structs: Mapping[str, Type]) -> None:
        self.names = names
        self.structs = structs
        self.inner: list[dict[str, Type]] = []
        self.references: set[str] = set()

    def lookup(self, name: str) -> Type | None:
        """The type of what `name` stands for; None if nothing has that name. A dot before it changes nothing."""
        name = name.removeprefix(".")
        for scope in reversed(self.inner):
            if name in scope:
                return scope[name]
        found = self.names.get(name)
        if found is not None:
            self.references.add(name)
            return found
        named = types.NAMED.get(name)
        if named is not None:
            return types.type_of(named)
        if name in types.CONSTANTS:
            return types.INT
        struct = self.structs.get(name)
        return types.type_of(struct) if struct is not None else None
