"""What the watch cache does to all it holds: notes what cannot be read, lets go of what nobody wants any more."""

from __future__ import annotations

import asyncio
import logging
import math
from typing import Final

from quarterdeck._kernels import watchchannel
from quarterdeck.storage import interface
from quarterdeck.storage.cacher.forms import Form
from quarterdeck.storage.cacher.prefixes import ROOT
from quarterdeck.storage.cacher.resource import ResourceCache
from quarterdeck.storage.cacher.watching import Watch

# Objects whose encodings are let go of in one turn.
_SWEPT_AT_ONCE: Final = 5000
# Without its keys nothing of an encrypted store can be read.
_DAMAGED_TOLD_MAX: Final = 1000
_LOG: Final = logging.getLogger(__name__)


async def forget_encodings(cache: ResourceCache, forms: frozenset[Form]) -> None:
    """Of forms that are no more. What others have had converted stays: requests count on it."""
    entries = cache.state.unordered()
    for begin in range(0, len(entries), _SWEPT_AT_ONCE):
        for entry in entries[begin : begin + _SWEPT_AT_ONCE]:
            entry.forget_encodings(forms)
        await asyncio.sleep(0)


async def release(cache: ResourceCache) -> tuple[int, int]:
    """Let go of the changes of a resource that is no more; how many they were, and of how many bytes. Who refers to the
    cache itself (a handler, a controller) may do so for a while."""
    count, held_bytes = len(cache.history), cache.history.held_bytes
    cache.hub.retire()
    for _ in range(0, count, _SWEPT_AT_ONCE):
        cache.history.drop_older(math.inf, _SWEPT_AT_ONCE)
        await asyncio.sleep(0)
    return count, held_bytes


def report_damage(damaged: list[interface.Corrupt], error: interface.Corrupt) -> None:
    if len(damaged) < _DAMAGED_TOLD_MAX:
        _LOG.error("cannot be read: %s", error)
    elif len(damaged) == _DAMAGED_TOLD_MAX:
        _LOG.error("there are more records that cannot be read")
    if error.key.startswith(ROOT) and error.key.count("/") > ROOT.count("/") + 1:
        damaged.append(error)


def end_all(watchers: list[watchchannel.Watcher]) -> None:
    for watcher in watchers:
        if isinstance(watcher.owner, Watch):
            watcher.owner.end()
