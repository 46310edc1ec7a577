"""What server-side apply does to objects and sets of fields. Body: ext/fieldmerge.pyx."""

from typing import Any

from quarterdeck._kernels.fieldset import Set
from quarterdeck._kernels.fieldtype import FieldType

def merge(type_: FieldType, live: Any, config: Any) -> Any:
    """`live` with `config` laid over it. Both conform; only `live` may hold an item twice. Shares with both."""

def remove_items(type_: FieldType, value: dict[str, Any], fields: Set) -> dict[str, Any]:
    """`value` without the members of `fields`; a container that lost everything stays, empty. Shares with it."""

def with_named_fields(type_: FieldType, fields: Set) -> Set:
    """The set with every declared field above a member as a member itself; without order."""

def atomic_paths(type_: FieldType, fields: Set) -> Set:
    """The nodes that have children although their type is atomic; {} if there are none."""
