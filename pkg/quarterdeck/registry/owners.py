"""Owner references of what a client sends. Source: apiserver/pkg/endpoints/handlers/rest.go."""

from __future__ import annotations

from typing import Final

from quarterdeck._kernels.longsteps import pause
from quarterdeck.apimachinery import offload
from quarterdeck.registry.strategy import Object

_MANY: Final = 500


def has_many(obj: Object) -> bool:
    """Whether `drop_repeated` is to be run beside the event loop."""
    references = obj["metadata"].get("ownerReferences")
    return bool(references) and len(references) > _MANY


def drop_repeated(obj: Object, warnings: list[str], *, is_admitted: bool) -> None:
    """An owner reference that stands there twice is taken once, with a warning (upstream:
    dedupOwnerReferencesAndAddWarning). Bodies are looked at before and after the mutating pass of admission, what a
    patch gives only after it (`is_admitted`), and the warning tells which."""
    references = obj["metadata"].get("ownerReferences")
    if not references or len(references) < 2:
        return
    kept: dict[frozenset[tuple[str, object]], Object] = {}  # a reference's members are texts and booleans
    repeated: list[str] = []
    offload.hold(kept)
    for reference in references:
        pause()
        members = frozenset(reference.items())
        if members in kept:
            repeated.append(str(reference.get("uid", "")))
        else:
            kept[members] = reference
    if repeated:
        offload.hold(references)
        obj["metadata"]["ownerReferences"] = list(kept.values())
        when = " after mutating admission happens" if is_admitted else ""
        warnings.append(
            f".metadata.ownerReferences contains duplicate entries{when}; API server dedups owner references in 1.20+, "
            "and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: "
            + ", ".join(repeated)
        )
