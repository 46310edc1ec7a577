"""JSON values written as protobuf, by tables. Body: ext/protobuf.pyx."""

from collections.abc import Callable
from typing import Final, final

STRING: Final[int]
BOOL: Final[int]
INT: Final[int]
DOUBLE: Final[int]
ANY: Final[int]
"""Any value as the text that `dump` makes of it, in field 2 of its message."""
ANYS: Final[int]
"""A list of such values."""
SCALAR: Final[int]
"""A message with the number in field 1, the boolean in field 2 or the text in field 3; other values are left out."""
MESSAGE: Final[int]
MAP: Final[int]
"""An object as repeated entries of a name (1) and a value (2)."""

@final
class Message:
    """What is written of an object: its members by their names. Unknown members that begin with `x-` go to the
    repeated field `extensions` as named ANY values (0: nowhere); other unknown ones are left out."""

    def __new__(cls, extensions: int) -> Message: ...
    def add(
        self,
        name: str,
        kind: int,
        numbers: tuple[int, ...],
        target: Message | Union | None = None,
    ) -> None:
        """`numbers`: the field's, then those of messages that wrap the value, outermost first; the last one of a MAP
        is that of its entries. Lists are repeated in the first. `target` is that of MESSAGE and MAP."""

@final
class Union:
    """One of several messages. True and false go to the field `bool_number` (0: they are left out)."""

    def __new__(cls, bool_number: int) -> Union: ...
    def add(self, key: str, value: str | None, numbers: tuple[int, ...], target: Message) -> None:
        """An object that has `key` (with `value`, if that is given) is written as `target`, wrapped by `numbers`.
        Cases are tried in order; the key "" fits all."""

def encode(value: object, target: Message | Union, dump: Callable[[object], bytes], depth_max: int) -> bytes:
    """`value` as `target`. What is nested deeper than `depth_max` is left out. Values of other types than their
    member's are left out too."""

def encode_entries(
    number: int, entries: dict[str, object], target: Message | Union, dump: Callable[[object], bytes], depth_max: int
) -> bytes:
    """The entries of a map, each the field `number` with a name (1) and a value (2)."""
