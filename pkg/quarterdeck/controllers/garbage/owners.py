"""What the garbage collector reads of owners."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from quarterdeck.controllers.garbage.feed import read_metadata_aside
from quarterdeck.controllers.garbage.graph import Reference
from quarterdeck.registry.deletion import FINALIZER_FOREGROUND
from quarterdeck.registry.scope import Scope
from quarterdeck.storage.cacher import Entry


class OwnerState(NamedTuple):
    """`is_foreground`: under deletion, and waiting for its dependents."""

    uid: str
    is_foreground: bool


# The owners that one look at an object has read: thousands of references may name the same one.
Known = dict[Entry, OwnerState]


@dataclass(slots=True)
class Owners:
    """References by what their owners are: there, gone, or waiting (in foreground deletion) for this dependent."""

    solid: list[Reference] = field(default_factory=list)
    dangling: list[Reference] = field(default_factory=list)
    waiting: list[Reference] = field(default_factory=list)


async def is_there(scope: Scope, namespace: str, reference: Reference, known: Known) -> bool:
    entry = scope.store.cache.get(namespace, reference.name) if namespace else None
    return entry is not None and (await state_of(entry, known)).uid == reference.uid


async def state_of(entry: Entry, known: Known) -> OwnerState:
    state = known.get(entry)
    if state is None:
        metadata = await read_metadata_aside(entry)
        is_foreground = FINALIZER_FOREGROUND in (metadata.get("finalizers") or ())
        state = OwnerState(metadata.get("uid") or "", is_foreground and bool(metadata.get("deletionTimestamp")))
        known[entry] = state
    return state
