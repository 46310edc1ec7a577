"""The operators of CEL as nodes. Body: ext/celops.pyx."""

from typing import Any, final

from quarterdeck._kernels.celeval import Node
from quarterdeck._kernels.celvalue import CelErr, Timestamp
from quarterdeck._kernels.pattern import Matcher

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
    def __new__(cls, left: Node, right: Node, negate: bool, with_literals: bool = False) -> Equal: ...

@final
class Compare(Node):
    def __new__(cls, op: int, left: Node, right: Node, by_size: bool) -> Compare: ...

@final
class Arith(Node):
    def __new__(cls, op: int, left: Node, right: Node, by_size: bool, with_literals: bool = False) -> Arith: ...

@final
class Negate(Node):
    def __new__(cls, operand: Node) -> Negate: ...

@final
class InList(Node):
    def __new__(cls, left: Node, right: Node, by_size: bool, is_made: bool) -> InList: ...

@final
class InConstants(Node):
    def __new__(cls, operand: Node, constants: list[Any]) -> InConstants: ...

@final
class Size(Node):
    def __new__(cls, operand: Node) -> Size: ...

@final
class StringTest(Node):
    def __new__(cls, op: int, left: Node, right: Node) -> StringTest: ...

@final
class Matches(Node):
    def __new__(cls, operand: Node, matcher: Matcher, pattern_size: int) -> Matches: ...

@final
class TypeOf(Node):
    def __new__(cls, operand: Node) -> TypeOf: ...

def timestamp_of(total_ns: int, offset_s: int) -> Timestamp | CelErr: ...
def is_ordered(value: object) -> bool:
    """Whether values of its type are smaller and greater."""

def receives(value: object) -> bool:
    """Whether methods are called on the value's type: cel-go's ReceiverType."""
