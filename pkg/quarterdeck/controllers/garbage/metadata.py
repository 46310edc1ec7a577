"""What the garbage collector changes in the metadata of objects."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from quarterdeck.apimachinery import meta
from quarterdeck.controllers.events import MANAGER
from quarterdeck.controllers.garbage.resources import Metadata
from quarterdeck.registry.deletion import FINALIZER_FOREGROUND, FINALIZER_ORPHAN
from quarterdeck.registry.scope import Scope
from quarterdeck.registry.strategy import Object, copy_object


def changed(scope: Scope, live: Object, change: Callable[[Metadata], None]) -> Object:
    """The object with changed metadata, and with the collector as the manager of that."""
    new = copy_object(live)
    change(new["metadata"])
    scope.own(live, new, MANAGER)
    return new


def policy_of(metadata: Metadata) -> str:
    """The policy that an earlier delete, or the creator, left as a finalizer; Background where there is none."""
    finalizers = metadata.get("finalizers") or ()
    if FINALIZER_ORPHAN in finalizers:
        return "Orphan"
    return "Foreground" if FINALIZER_FOREGROUND in finalizers else "Background"


def drop_references(metadata: Metadata, uids: set[str]) -> None:
    _replace(metadata, "ownerReferences", [one for one in _references(metadata) if one.get("uid") not in uids])


def unblock_references(metadata: Metadata) -> None:
    unblocked = [
        {**one, "blockOwnerDeletion": False} if one.get("blockOwnerDeletion") else one for one in _references(metadata)
    ]
    _replace(metadata, "ownerReferences", unblocked)


def drop_finalizer(metadata: Metadata, finalizer: str) -> None:
    _replace(metadata, "finalizers", [one for one in metadata.get("finalizers") or () if one != finalizer])


def _references(metadata: Metadata) -> list[dict[str, Any]]:
    return meta.owner_references({"metadata": metadata})


def _replace(metadata: Metadata, member: str, values: list[Any]) -> None:
    if values:
        metadata[member] = values
    else:
        metadata.pop(member, None)
