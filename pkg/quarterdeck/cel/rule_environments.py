"""What the rules of a schema node may name: self and oldSelf.

Source: apiextensions-apiserver pkg/apiserver/schema/cel/compilation.go.
"""

from __future__ import annotations

import time

from quarterdeck.cel import schema as schemas
from quarterdeck.cel import types
from quarterdeck.cel.environment import Environment, Failure, Program, compile_expression


class Environments:
    """A node's two environments: oldSelf has the node's type, or is an optional of it. `cardinality` is how often the
    node can occur at most in a request, by its least size."""

    def __init__(self, declaration: schemas.Declaration) -> None:
        self.declaration = declaration
        self.cardinality = schemas.REQUEST_BYTES_MAX // (declaration.bytes_min + 1)
        self.made: dict[bool, Environment] = {}

    def environment(self, optional_old: bool) -> Environment:
        made = self.made.get(optional_old)
        if made is None:
            own = self.declaration.type
            old = types.optional_of(own) if optional_old else own
            made = Environment({"self": own, "oldSelf": old}, sizes=self.declaration.size_at)
            self.made[optional_old] = made
        return made

    def compile(self, expression: str, optional_old: bool) -> Program | Failure:
        env = self.environment(optional_old)
        compiled = compile_expression(expression, env)
        if isinstance(compiled, Failure) and not compiled.at_program:
            # The types' names stand in error texts only, so only errors pay for naming them. The number keeps rules
            # from relying on a name, as upstream's does.
            schemas.name_types(self.declaration, f"selfType{time.monotonic_ns() % 1_000_000_000}")
            return compile_expression(expression, env)
        return compiled
