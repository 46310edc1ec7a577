"""JSON that fits a Go type, decoded. Body: ext/gofit.pyx."""

from collections.abc import Callable, Iterable
from typing import Any, Final

ANY: Final[int]
"""Every value stays as it is."""
TEXT: Final[int]
TRUTH: Final[int]
NUMBER: Final[int]
INTEGER: Final[int]
"""A whole number from `low` to `high`, which have 64 bits."""
CALL: Final[int]
"""Whatever `call` makes of the value, or raises."""
STRUCT: Final[int]
"""`expand` tells the fields in their order when the first value comes: a struct may contain itself."""
UNION: Final[int]
"""`struct`, or a list (`item` is the list's own type), or a bool."""
LIST: Final[int]
"""`null`: what a null item is."""
MAP: Final[int]
"""Likewise."""

ABSENT: Final[object]
"""As what a null is: nothing is written."""
EMPTY: Final[object]
"""As what a null is: what an empty object decodes to."""
MISFIT: Final[object]
"""What `decode` gives for a value that does not fit."""

Field = tuple[str, Fit, bool, Any]
"""Name, type, whether a zero value is written, what is written for a null and where the field is not there."""

class Fit:
    """How values of one Go type are decoded. What is given beside `kind` stands there."""

    def __init__(
        self,
        kind: int,
        *,
        low: int = 0,
        high: int = 0,
        call: Callable[[Any], Any] | None = None,
        expand: Callable[[], Iterable[Field]] | None = None,
        item: Fit | None = None,
        struct: Fit | None = None,
        null: Any = None,
        or_bool: bool = False,
    ) -> None: ...
    def decode(self, value: Any, structs_max: int) -> Any:
        """The decoded value, which shares with `value` what is no container; MISFIT where it does not fit, holds an
        unknown field, or where more than `structs_max` structs lie in one another. `value` is not null."""
