"""Whether objects can be shown in a version: one that cannot be converted fails whatever reads them all.

Source: apiserver/pkg/storage/etcd3/store.go (GetList).
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Final

from quarterdeck.registry.scope import Scope
from quarterdeck.storage.cacher import Entry, encode, prepare

_STEP: Final = 1_000  # entries that are looked at before others have their turn


async def check_shown(scope: Scope, entries: Sequence[Entry]) -> None:
    """Raises EncodingError for the first that cannot be shown. Few are read: of most, how their bytes begin tells."""
    filling = scope.filling
    if filling is None:
        return
    if scope.codec.waits:
        await prepare(scope.object_form, list(entries))
        return
    for start in range(0, len(entries), _STEP):
        if start:
            await asyncio.sleep(0)
        for entry in entries[start : start + _STEP]:
            if not entry.data.startswith(filling.heads):
                encode(entry, scope.object_form)
