"""Paths while they are planned: what a path starts at, and the steps that are added to it.

Source: cel-go's interpreter/attributes.go.
"""

from __future__ import annotations

from typing import Final

from quarterdeck._kernels import celeval, celops, celpath


class Attribute:
    """A variable (`slot`) or another expression (`operand`), and the path after it."""

    __slots__ = ("name", "operand", "own", "quals", "slot")

    def __init__(self, slot: int, name: str, operand: celeval.Node | None, own: int) -> None:
        self.slot = slot
        self.name = name
        self.operand = operand
        self.own = own
        self.quals: list[celeval.Qual] = []

    def add(self, qual: celeval.Qual) -> None:
        self.quals.append(qual)

    def node(self, own: int | None = None, test: bool = False) -> celeval.Node:
        paid = self.own if own is None else own
        if self.operand is None:
            return celeval.Var(self.slot, self.name, tuple(self.quals), paid, test)
        if not self.quals:
            return self.operand
        return celpath.Path(self.operand, tuple(self.quals), paid, test)


class Conditional:
    """`?:`, whose branches take the steps of the path after it. Naming it costs nothing."""

    __slots__ = ("no", "own", "test", "yes")

    def __init__(self, test: celeval.Node, yes: Attribute | Conditional, no: Attribute | Conditional) -> None:
        self.test = test
        self.yes = yes
        self.no = no
        self.own = 0

    def add(self, qual: celeval.Qual) -> None:
        self.yes.add(qual)
        self.no.add(qual)

    def node(self, own: int | None = None, test: bool = False) -> celeval.Node:
        paid = own or 0
        return celops.Cond(self.test, self.yes.node(paid, test), self.no.node(paid, test))


PATHS: Final = (Attribute, Conditional)
