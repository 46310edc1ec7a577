"""Object metadata as nearly every write brings it: good. Body: ext/objectmeta.pyx.

False means that it has to be looked at by schema/objectmeta.py, not that something is wrong.
"""

from typing import Any

def is_good(meta: dict[str, Any], namespaced: bool, any_name: bool) -> bool:
    """Whether validate_object_meta certainly finds nothing. `any_name`: the name need only be a segment of a path."""

def is_good_update(new: dict[str, Any], old: dict[str, Any], namespaced: bool) -> bool:
    """Whether certainly neither validate_object_meta (for any name) nor validate_object_meta_update finds anything."""
