"""ExtendedResourceToleration: a pod that asks for what nodes have beside processors and memory tolerates the taint that
keeps others from those nodes.

Source: plugin/pkg/admission/extendedresourcetoleration/admission.go, pkg/apis/core/helper (AddOrUpdateTolerationInPod).
"""

from __future__ import annotations

from typing import Any

from quarterdeck.admission.attributes import CREATE, UPDATE, Attributes
from quarterdeck.apimachinery import podamounts


class ExtendedResourceToleration:
    """Of pods alone."""

    def admit(self, attributes: Attributes) -> None:
        obj = attributes.obj
        if attributes.subresource or obj is None or attributes.operation not in (CREATE, UPDATE):
            return
        spec = obj["spec"]
        names: set[str] = set()
        for container in (*(spec.get("containers") or ()), *(spec.get("initContainers") or ())):
            asked = (container.get("resources") or {}).get("requests") or {}
            names.update(filter(podamounts.is_extended, asked))
        if names:
            obj["spec"] = {**spec, "tolerations": _tolerate(spec.get("tolerations") or [], sorted(names))}


def _tolerate(tolerations: list[dict[str, Any]], names: list[str]) -> list[dict[str, Any]]:
    """One that says the same for a time says it for ever."""
    for name in names:
        wanted = {"key": name, "operator": "Exists", "effect": "NoSchedule"}
        kept = [wanted if _is_same(each, wanted) else each for each in tolerations]
        tolerations = kept if wanted in kept else [*kept, wanted]
    return tolerations


def _is_same(one: dict[str, Any], other: dict[str, Any]) -> bool:
    return all(one.get(member, "") == other.get(member, "") for member in ("key", "operator", "effect", "value"))
