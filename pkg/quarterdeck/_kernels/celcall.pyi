"""Calls, literals and loops of CEL as nodes. Body: ext/celcall.pyx."""

from collections.abc import Callable
from typing import Any, Final, final

from quarterdeck._kernels.celeval import Node

COSTS: Final[dict[str, int]]

LOOPS: Final[dict[str, int]]

@final
class Call(Node):
    def __new__(
        cls,
        function: Callable[..., object],
        args: tuple[Node, ...],
        cost: str | Callable[[Any, Any], int],
        guards: tuple[frozenset[type] | None, ...] | None,
        misfit: Callable[[tuple[object, ...]], object] | None,
        stops: bool = False,
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
