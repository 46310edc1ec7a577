"""Kubernetes objects written as protobuf, as the code that upstream generates writes them.

Body: ext/protobufobject.pyx.
"""

from collections.abc import Callable
from typing import Any, Final, final

STRING: Final[int]
BOOL: Final[int]
INT: Final[int]
DOUBLE: Final[int]
BYTES: Final[int]
"""The bytes that the target makes of a value; nothing is written of None."""
MESSAGE: Final[int]
OWN: Final[int]
"""A message whose inside the target makes of a value, None included."""
TIME: Final[int]
QUANTITY: Final[int]
INT_OR_STRING: Final[int]
JSON: Final[int]
STRINGS: Final[int]
"""The same; protobuftext knows what the target makes."""

VALUE: Final[int]
"""Always written."""
POINTER: Final[int]
"""Written where it is there and not None."""
LIST: Final[int]
MAP: Final[int]
"""Entries of a name (1) and a value (2), sorted by name."""
INLINE: Final[int]
"""A message whose members stand in the object itself."""

@final
class Message:
    """The fields of an object. `fit` makes of a value the object that has them."""

    def __new__(cls, fit: Callable[[Any], dict[str, Any]] | None = None) -> Message: ...
    def add(
        self, number: int, name: str, kind: int, shape: int, target: Message | Callable[[Any], bytes] | None = None
    ) -> None: ...

def encode(value: object, message: Message, depth_max: int) -> bytes:
    """`value` as `message`. Members that it does not know are left out; None, and what is of another type than its
    field's, is the zero value. Of what nests deeper than `depth_max` nothing is written."""

def enclose(head: bytes, tail: bytes, message: bytes) -> bytes:
    """`message` as the field 2 between `head` and `tail`."""

def repeat(number: int, messages: list[bytes]) -> list[bytes]:
    """The messages as elements of the field `number`: what stands before each, and the message, in turns."""
