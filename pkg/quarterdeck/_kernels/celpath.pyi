"""Paths that start at an expression which is no variable. Body: ext/celpath.pyx."""

from typing import final

from quarterdeck._kernels.celeval import Node, Qual

@final
class Path(Node):
    @property
    def quals(self) -> tuple[Qual, ...]: ...
    def __new__(cls, operand: Node, quals: tuple[Qual, ...], own: int, test: bool) -> Path: ...

@final
class Start(Node):
    def __new__(cls, operand: Node) -> Start: ...
