"""When a delete removes an object and when it marks it: finalizers, propagation policies, deletionTimestamp.

Pure functions over decoded objects. Source: apiserver/pkg/registry/generic/registry/store.go
(deletionFinalizersForGarbageCollection, markAsDeleting), registry/rest/delete.go.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from quarterdeck.apimachinery import clock

FINALIZER_ORPHAN: Final = "orphan"
FINALIZER_FOREGROUND: Final = "foregroundDeletion"

# What is left to show of an object whose last finalizers, those of propagation policies, a deletion takes that is only
# tried: nothing of it, but an object of its kind. Source: registry/dryrun.go (GuaranteedUpdate).
NOTHING: Final = b"{}"


@dataclass(frozen=True, slots=True)
class Options:
    """DeleteOptions as the registry needs them. `propagation_policy` is Orphan, Background, Foreground or "".
    `ignores_read_errors`: an object that cannot be read may go all the same. `is_one_of_many`: it goes with its
    collection."""

    propagation_policy: str = ""
    orphan_dependents: bool | None = None
    grace_period_s: int | None = None
    precondition_uid: str | None = None
    precondition_resource_version: str | None = None
    ignores_read_errors: bool = False
    is_one_of_many: bool = False


def mark(obj: dict[str, Any], options: Options) -> dict[str, Any] | None:
    """None: nothing holds the object, remove it. Otherwise the object as it has to be stored: marked for deletion,
    with the finalizers that the propagation policy asks for."""
    metadata = obj["metadata"]
    finalizers = finalizers_for(metadata.get("finalizers") or [], options)
    if not finalizers:
        return None
    marked = dict(metadata)
    marked["finalizers"] = finalizers
    now = clock.now()
    if "deletionTimestamp" not in marked and marked.get("generation"):
        marked["generation"] += 1
    marked["deletionTimestamp"] = min(marked.get("deletionTimestamp", now), now)
    marked["deletionGracePeriodSeconds"] = 0
    return {**obj, "metadata": marked}


def finalizers_for(existing: list[str], options: Options) -> list[str]:
    """The finalizers after the propagation policy had its say: orphan and foregroundDeletion come last."""
    orphan = _wants(FINALIZER_ORPHAN, existing, options)
    foreground = _wants(FINALIZER_FOREGROUND, existing, options)
    kept = [name for name in existing if name not in (FINALIZER_ORPHAN, FINALIZER_FOREGROUND)]
    if orphan == (FINALIZER_ORPHAN in existing) and foreground == (FINALIZER_FOREGROUND in existing):
        return list(existing)
    if orphan:
        kept.append(FINALIZER_ORPHAN)
    if foreground:
        kept.append(FINALIZER_FOREGROUND)
    return kept


def _wants(finalizer: str, existing: list[str], options: Options) -> bool:
    if options.orphan_dependents is not None:
        return options.orphan_dependents and finalizer == FINALIZER_ORPHAN
    if options.propagation_policy:
        wanted = {"Orphan": FINALIZER_ORPHAN, "Foreground": FINALIZER_FOREGROUND}.get(options.propagation_policy)
        return finalizer == wanted
    # The policy of an earlier delete stands; where both finalizers are there, the first one found decides.
    for name in existing:
        if name in (FINALIZER_ORPHAN, FINALIZER_FOREGROUND):
            return name == finalizer
    return False


def is_finished(obj: dict[str, Any]) -> bool:
    """An update left an object under deletion without finalizers and without a grace period."""
    metadata = obj["metadata"]
    return (
        "deletionTimestamp" in metadata
        and not metadata.get("finalizers")
        and not metadata.get("deletionGracePeriodSeconds")
    )


def grace_of_pod(obj: dict[str, Any], asked_s: int | None) -> int:
    """How long a pod is given that runs somewhere. Source: podStrategy.CheckGracefulDelete."""
    spec, phase = obj["spec"], (obj.get("status") or {}).get("phase")
    grace_s = spec.get("terminationGracePeriodSeconds", 30) if asked_s is None else asked_s
    if not spec.get("nodeName") or phase in ("Failed", "Succeeded"):
        return 0
    return 1 if grace_s < 0 else int(grace_s)
