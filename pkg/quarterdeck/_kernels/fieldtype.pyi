"""Types of objects, and the sets of fields that typed objects make. Body: ext/fieldtype.pyx."""

from collections.abc import Callable
from typing import Any, final

from quarterdeck._kernels.fieldset import Set

SCALAR_NONE: int
SCALAR_STRING: int
SCALAR_NUMERIC: int
SCALAR_BOOLEAN: int
SCALAR_UNTYPED: int

@final
class FieldType:
    """Up to three atoms: scalar, list, map. Filled by its maker, or by `expand` when it is first used."""

    scalar: int
    has_list: bool
    list_atomic: bool
    keys: tuple[str, ...]
    key_defaults: dict[str, object]
    item: FieldType | None
    has_map: bool
    map_atomic: bool
    value: FieldType | None
    anything: bool
    def __new__(cls, scalar: int = 0, *, expand: Callable[[FieldType], None] | None = None) -> FieldType: ...
    def set_scalar(self, scalar: int) -> None: ...
    def set_list(
        self,
        item: FieldType,
        *,
        atomic: bool,
        keys: tuple[str, ...] = (),
        key_defaults: dict[str, object] | None = None,
    ) -> None:
        """Not atomic: a set of scalars, or with `keys` a list of maps."""

    def set_map(self, fields: dict[str, FieldType], value: FieldType | None, *, atomic: bool) -> None:
        """`value` is the type of fields that are not declared; None refuses them."""

    def set_anything(self) -> None:
        """Say that every value conforms, at any depth."""

    def field(self, name: str) -> FieldType | None: ...
    def resolved(self) -> FieldType:
        """Itself, expanded."""

def label_of(list_type: FieldType, item: object) -> str | None:
    """The path element of an item of a list that is not atomic; None if it has none."""

def value_text(value: object) -> str:
    """A scalar as it stands in a path element."""

def conforms(type_: FieldType, value: object, allow_duplicates: bool) -> bool: ...
def added(type_: FieldType, value: dict[str, Any], exclude: Set) -> Set | None:
    """All fields of a new object, without the members of `exclude`; None if it does not conform.

    `exclude` takes away with a member without children everything below it; of a member with children (`.`) only
    the node itself, and below it what is excluded there.
    """
