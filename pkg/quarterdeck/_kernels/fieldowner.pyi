"""An update and an apply as they nearly always are. Body: ext/fieldowner.pyx.

Both return None for everything else: objects that do not fit their type, managers of other versions, fields that have
become atomic, managedFields that are owned, more than ten updaters; for an apply also contested fields without `force`,
and fields that go. `entries` are the live object's managedFields; entries that stay as they are come back themselves.
"""

from typing import Any

from quarterdeck._kernels.fieldset import Set
from quarterdeck._kernels.fieldtype import FieldType

Entry = dict[str, Any]

def update(
    type_: FieldType,
    live: dict[str, Any],
    new: dict[str, Any],
    exclude: Set,
    entries: list[Entry],
    manager: str,
    subresource: str,
    api_version: str,
    now: str,
) -> list[Entry] | None:
    """The entries after `manager` has made `new` of `live`; [] if nobody owns anything."""

def apply(
    type_: FieldType,
    live: dict[str, Any],
    config: dict[str, Any],
    exclude: Set,
    resets: Set,
    stripped: Set,
    entries: list[Entry],
    manager: str,
    subresource: str,
    api_version: str,
    force: bool,
    now: str,
) -> tuple[dict[str, Any], list[Entry]] | None:
    """The object (`live` itself if it stays the same) and the entries after `manager` has applied `config`."""
