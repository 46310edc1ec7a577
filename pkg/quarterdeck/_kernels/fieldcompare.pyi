"""What changed between two objects of one type. Body: ext/fieldcompare.pyx."""

from typing import Any

from quarterdeck._kernels.fieldset import Set
from quarterdeck._kernels.fieldtype import FieldType

def compare(
    type_: FieldType, live: dict[str, Any], new: dict[str, Any], exclude: Set, check: bool
) -> tuple[Set, Set, Set] | None:
    """(added, modified, removed) without `exclude` (see fieldtype.added); None if `check` and one does not conform."""
