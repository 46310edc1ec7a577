"""Whether objects can be shown in a version: one that cannot be converted fails whatever reads them all.

Source: apiserver/pkg/storage/etcd3/store.go (GetList), cacher/ready.go.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Final

from quarterdeck.apimachinery import errors
from quarterdeck.fieldmanager.identity import format_gvk
from quarterdeck.registry.scope import Scope
from quarterdeck.storage.cacher import EncodingError, Entry, ListOptions, encode, prepare

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


async def find_refusal(scope: Scope) -> errors.TooManyRequests | None:
    """What upstream's cache of the version answers while an object that was there when it began to be served cannot be
    shown; None where there is no such object."""
    filling = scope.filling
    if filling is None or filling.is_done:
        return None
    listing = await scope.store.cache.list(ListOptions())
    try:
        await check_shown(scope, [entry for entry in listing.entries if entry.revision <= filling.since])
    except EncodingError as error:
        kind = scope.resource.gvk
        told = f"failed to list {format_gvk(kind.api_version, kind.kind)}: {error}"
        return errors.TooManyRequests(f"storage is (re)initializing: {told}", {"retryAfterSeconds": 1})
    filling.is_done = True
    return None
