"""Who owned what before a write: a writer may say so in the managedFields of the object that it sends.

Source: apimachinery/pkg/util/managedfields/internal/fieldmanager.go (decodeLiveOrNew, isResetManagedFields).
"""

from __future__ import annotations

from typing import Any

from quarterdeck.fieldmanager import managed

Object = dict[str, Any]


def decode(live: Object | None, metadata: Object, subresource: str, *, empty_resets: bool) -> managed.Managers:
    """Who owned what before: as the request says, where it may say so, else as the live object says.

    `metadata` is that of the object as it was sent; `empty_resets`: an empty list in it takes all owners away."""
    live_entries = (live or {}).get("metadata", {}).get("managedFields") or []
    sent = metadata.get("managedFields")
    if not subresource and sent is not None and sent != live_entries:
        if _is_reset(sent, empty_resets=empty_resets):
            return {}
        try:
            managers = managed.decode(sent, trusted=False)
        except ValueError:
            managers = {}
        if managers:
            return managers
    try:
        return managed.decode(live_entries, trusted=True)
    except ValueError:
        return {}


def _is_reset(entries: list[Object], *, empty_resets: bool) -> bool:
    if not entries:
        return empty_resets
    return len(entries) == 1 and not any(
        value or (name == "fieldsV1" and value is not None) for name, value in entries[0].items()
    )
