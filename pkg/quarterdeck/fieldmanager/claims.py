"""Who owned what before a write: a writer may say so in the managedFields of the object that it sends.

Source: apimachinery/pkg/util/managedfields/internal/fieldmanager.go (decodeLiveOrNew, isResetManagedFields).
"""

from __future__ import annotations

from typing import Any

from quarterdeck.apimachinery.time import ZERO
from quarterdeck.fieldmanager import managed

Object = dict[str, Any]


def decode(live: Object | None, metadata: Object, subresource: str, *, is_builtin: bool) -> managed.Managers:
    """Who owned what before: as the request says, where it may say so, else as the live object says.

    `metadata` is that of the object as it was sent. Of a built-in kind an empty list in it takes all owners away, and
    zero times stay."""
    live_entries = (live or {}).get("metadata", {}).get("managedFields") or []
    sent = metadata.get("managedFields")
    if not subresource and sent is not None and sent != live_entries:
        if _is_reset(sent, empty_resets=is_builtin):
            return {}
        try:
            managers = managed.decode(sent, trusted=False)
        except ValueError:
            managers = {}
        if managers:
            return managers if is_builtin else _without_zero_times(managers)
    try:
        return managed.decode(live_entries, trusted=True)
    except ValueError:
        return {}


def _without_zero_times(managers: managed.Managers) -> managed.Managers:
    return {key: owned._replace(time="") if owned.time == ZERO else owned for key, owned in managers.items()}


def _is_reset(entries: list[Object], *, empty_resets: bool) -> bool:
    if not entries:
        return empty_resets
    return len(entries) == 1 and not any(
        value or (name == "fieldsV1" and value is not None) for name, value in entries[0].items()
    )
