"""Kubernetes objects read from protobuf, as the code that upstream generates reads them. Body: ext/protobufread.pyx.

Shapes and the kinds of plain values are those of protobufobject. What stands by value and is not there is the zero
value, which is left out; bytes, JSON, messages and lists are there even then. Of bytes the target makes the value.
Whole numbers have 64 bits, or 32 where the target is 32: further bits are dropped.
"""

from collections.abc import Callable
from typing import Any, Final, final

QUANTITY: Final[int]
INT_OR_STRING: Final[int]
TIME: Final[int]
"""What the target makes of seconds and nanoseconds, None where both are 0."""
STRINGS: Final[int]
"""A message that holds a list of strings, as the values of a map do."""
RAW: Final[int]
"""What the target makes of the bytes in a message; None where it holds none."""

@final
class Message:
    """The fields of an object, by number; others are skipped. `name` is that of errors, `shown` makes of what was read
    the value in JSON."""

    @property
    def name(self) -> str: ...
    def __new__(cls, name: str, shown: Callable[[dict[str, Any]], Any] | None = None) -> Message: ...
    def add(
        self,
        number: int,
        name: str,
        go_name: str,
        kind: int,
        shape: int,
        target: Message | Callable[..., Any] | int | None = None,
    ) -> None:
        """A field by its name in JSON; errors tell its name in Go."""

def decode(
    data: bytes,
    message: Message,
    error: Callable[[str], Exception],
    to_text: Callable[[bytes], str],
    depth_max: int,
) -> Any:
    """The object that is written as `message`. Raises `error` with Go's text where the bytes are no such message, or
    messages nest deeper than `depth_max`; `to_text` reads strings that are no UTF-8. Gives up the interpreter's lock
    now and then in a thread beside the loop."""

def decode_enclosed(
    head: bytes,
    tail: bytes,
    message: Message,
    error: Callable[[str], Exception],
    to_text: Callable[[bytes], str],
    depth_max: int,
    value: dict[str, Any],
    data: bytes,
) -> Any:
    """The same, into `value`, of a message that is the field 2 between `head` and `tail`; None where it is not.
    Messages by value that hold nothing are left out, as if they were not there: Go cannot tell."""
