"""The fields that somebody owns who applies an object. Body: ext/fieldapplied.pyx."""

from quarterdeck._kernels.fieldset import Set
from quarterdeck._kernels.fieldtype import FieldType

def to_set(type_: FieldType, value: object) -> Set:
    """What somebody who applies `value`, which conforms, owns: leaves, items and fields that are not declared."""
