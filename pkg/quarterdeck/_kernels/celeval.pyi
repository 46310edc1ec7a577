"""Compiled CEL: a tree of nodes that compute over decoded JSON and count cost as they go."""

from collections.abc import Callable
from typing import Any, Final, final

from quarterdeck._kernels.celvalue import CelErr, Timestamp

COSTS: Final[dict[str, int]]
LOOPS: Final[dict[str, int]]

class CostLimitExceeded(Exception): ...

@final
class Frame: ...

class Node: ...

@final
class Const(Node):
    @property
    def value(self) -> Any: ...
    def __new__(cls, value: object) -> Const: ...

@final
class Qual:
    def __new__(cls, key: object, node: Node | None = None, optional: bool = False) -> Qual: ...

@final
class Var(Node):
    @property
    def quals(self) -> tuple[Qual, ...]: ...
    def __new__(cls, slot: int, name: str, quals: tuple[Qual, ...], own: int, test: bool) -> Var: ...

@final
class Lazy:
    def __new__(cls, node: Node) -> Lazy: ...

@final
class Path(Node):
    @property
    def quals(self) -> tuple[Qual, ...]: ...
    def __new__(cls, operand: Node, quals: tuple[Qual, ...], own: int, test: bool) -> Path: ...

@final
class And(Node):
    def __new__(cls, left: Node, right: Node) -> And: ...

@final
class Or(Node):
    def __new__(cls, left: Node, right: Node) -> Or: ...

@final
class Cond(Node):
    def __new__(cls, test: Node, yes: Node, no: Node) -> Cond: ...

@final
class Not(Node):
    def __new__(cls, operand: Node) -> Not: ...

@final
class Equal(Node):
    def __new__(cls, left: Node, right: Node, negate: bool) -> Equal: ...

@final
class Compare(Node):
    def __new__(cls, op: int, left: Node, right: Node, by_size: bool) -> Compare: ...

@final
class Arith(Node):
    def __new__(cls, op: int, left: Node, right: Node, by_size: bool) -> Arith: ...

@final
class Negate(Node):
    def __new__(cls, operand: Node) -> Negate: ...

@final
class InList(Node):
    def __new__(cls, left: Node, right: Node, by_size: bool) -> InList: ...

@final
class InConstants(Node):
    def __new__(cls, operand: Node, members: frozenset[Any]) -> InConstants: ...

@final
class Size(Node):
    def __new__(cls, operand: Node) -> Size: ...

@final
class StringTest(Node):
    def __new__(cls, op: int, left: Node, right: Node) -> StringTest: ...

@final
class Matches(Node):
    def __new__(cls, operand: Node, search: Callable[..., Any], unanchored: object, pattern_size: int) -> Matches: ...

@final
class Call(Node):
    def __new__(
        cls,
        function: Callable[..., object],
        args: tuple[Node, ...],
        cost: str | Callable[[Any, Any], int],
        guards: tuple[frozenset[type] | None, ...] | None,
        misfit: Callable[[tuple[object, ...]], object] | None,
    ) -> Call: ...

@final
class MakeList(Node):
    def __new__(cls, items: tuple[Node, ...], optionals: frozenset[int]) -> MakeList: ...

@final
class MakeMap(Node):
    def __new__(
        cls,
        keys: tuple[Node, ...],
        values: tuple[Node, ...],
        optionals: frozenset[int],
        build: Callable[[list[Any], list[Any]], object],
    ) -> MakeMap: ...

@final
class OrElse(Node):
    def __new__(cls, left: Node, right: Node, unwrap: bool) -> OrElse: ...

@final
class Bind(Node):
    def __new__(cls, slot: int, value: Node, body: Node) -> Bind: ...

@final
class Loop(Node):
    def __new__(
        cls,
        macro: str,
        source: Node,
        slot: int,
        slot2: int,
        test: Node | None,
        item: Node | None,
        item_cost: int,
        insert: Callable[[object, object, object], object],
    ) -> Loop: ...

@final
class TypeOf(Node):
    def __new__(cls, operand: Node) -> TypeOf: ...

@final
class Program:
    @property
    def slots(self) -> int: ...
    def __new__(cls, root: Node, slots: int) -> Program: ...
    def run(self, values: list[Any], cost_limit: int) -> tuple[Any, int]: ...

def timestamp_of(total_ns: int, offset_s: int) -> Timestamp | CelErr: ...
def set_add_lists(function: Callable[[Any, Any], object]) -> None: ...
