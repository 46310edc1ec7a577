"""Sets of fields in the form of FieldsV1. Body: ext/fieldset.pyx, where the form and its invariants stand.

Inputs are never changed; results may share nodes with them, so neither may be changed in place afterwards.
"""

from typing import Any

Set = dict[str, Any]

def is_well_formed(fields: object) -> bool:
    """Whether this is a set at all: nothing but dicts, with path elements as keys. Order is not looked at."""

def order(fields: Set) -> Set:
    """The same set with the keys of every node in canonical order."""

def union(left: Set, right: Set) -> Set: ...
def difference(left: Set, right: Set) -> Set:
    """Members of `left` that are no members of `right`; what lies below a member of `right` stays."""

def recursive_difference(left: Set, right: Set) -> Set:
    """`difference` that takes away with a member everything below it."""

def intersection(left: Set, right: Set) -> Set: ...
def not_in_any(fields: Set, sets: list[Set]) -> Set:
    """The members of `fields` that none of the sets has."""

def equal(a: object, b: object) -> bool:
    """Equality as of JSON values: 1 equals 1.0, true equals neither."""
