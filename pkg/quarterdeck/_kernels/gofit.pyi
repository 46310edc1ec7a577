"""JSON that fits a Go type, decoded. Body: ext/gofit.pyx."""

from collections.abc import Callable, Iterable
from typing import Any, Final

ANY: Final[int]
TEXT: Final[int]
TRUTH: Final[int]
NUMBER: Final[int]

ABSENT: Final[object]
"""As what a null is: nothing is written."""
EMPTY: Final[object]
"""As what a null is: what an empty object decodes to."""
MISFIT: Final[object]
"""What `decode` gives for a value that does not fit."""

Field = tuple[str, Fit, bool, Any]
"""Name, type, whether a zero value is written, what is written for a null and where the field is not there."""

class Fit:
    """How values of one Go type are decoded.

    `Fit(kind)`: ANY keeps every value, TEXT, TRUTH and NUMBER those of their type.
    """

    def __init__(self, kind: int = ...) -> None: ...
    @staticmethod
    def integer(low: int, high: int) -> Fit:
        """A whole number between the bounds, which have 64 bits."""
    @staticmethod
    def calling(call: Callable[[Any], Any]) -> Fit:
        """Whatever `call` makes of the value, or raises."""
    @staticmethod
    def struct(expand: Callable[[], Iterable[Field]]) -> Fit:
        """`expand` tells the fields in their order when the first value comes: a struct may contain itself."""
    @staticmethod
    def union(struct: Fit, list_of: Fit | None, or_bool: bool) -> Fit:
        """The struct, or a list (`list_of` is the list's own type), or a bool."""
    @staticmethod
    def list(item: Fit, null: Any) -> Fit:
        """`null`: what a null item is."""
    @staticmethod
    def map(item: Fit, null: Any) -> Fit:
        """Likewise."""
    def decode(self, value: Any, structs_max: int) -> Any:
        """The decoded value, which shares with `value` what is no container; MISFIT where it does not fit, holds an
        unknown field, or where more than `structs_max` structs lie in one another. `value` is not null."""
