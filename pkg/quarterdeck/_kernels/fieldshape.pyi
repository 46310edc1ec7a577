"""The fields of new objects, of which many have the shape of the one before. Body: ext/fieldshape.pyx."""

from typing import Any

from quarterdeck._kernels.fieldset import Set
from quarterdeck._kernels.fieldtype import FieldType

def added(type_: FieldType, value: dict[str, Any], exclude: Set, zero: dict[str, Any] | None = None) -> Set | None:
    """As fieldtype.added; with a `zero`, what an object holds before anything is set, the fields that differ from it.
    Who asks with the same `exclude` and `zero` for objects of one shape gets the same set, which nobody changes."""

def has_shape(type_: FieldType) -> bool:
    """Whether the next object of the shape of the last one is recognized. For tests."""
