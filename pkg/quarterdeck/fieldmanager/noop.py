"""Whether a write changed anything.

Source: apimachinery/pkg/util/managedfields/internal (fieldmanager.go); apiserver/pkg/endpoints/handlers/fieldmanager
(equality.go).
"""

from __future__ import annotations

from typing import Any

from quarterdeck._kernels import fieldset

Object = dict[str, Any]


def is_no_op(live: Object, new: Object) -> bool:
    """Whether the two differ in nothing but the times of managedFields."""
    live_metadata, new_metadata = live.get("metadata") or {}, new.get("metadata") or {}
    if live_metadata.get("generation") != new_metadata.get("generation"):
        return False
    live_entries = live_metadata.get("managedFields") or []
    new_entries = new_metadata.get("managedFields") or []
    if len(live_entries) != len(new_entries):
        return False
    for old, entry in zip(live_entries, new_entries, strict=True):
        if old is not entry and _without_time(old) != _without_time(entry):
            return False
    return is_same_beside_owners(live, new)


def is_same_beside_owners(live: Object, new: Object) -> bool:
    return bool(fieldset.equal(_without_entries(live), _without_entries(new)))


def _without_time(entry: Object) -> Object:
    return {name: value for name, value in entry.items() if name != "time"}


def _without_entries(obj: Object) -> Object:
    metadata = {name: value for name, value in (obj.get("metadata") or {}).items() if name != "managedFields"}
    return {**obj, "metadata": metadata}
