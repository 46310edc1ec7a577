"""DefaultTolerationSeconds: every pod tolerates for a while that its node is not ready or not reached.

Source: plugin/pkg/admission/defaulttolerationseconds/admission.go.
"""

from __future__ import annotations

from typing import Any, Final

from quarterdeck.admission.attributes import CREATE, UPDATE, Attributes

_TAINTS: Final = ("node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable")
_EFFECTS: Final = ("NoExecute", "")


class DefaultTolerationSeconds:
    """`not_ready_s` and `unreachable_s`: how long pods stay that do not say it themselves."""

    def __init__(self, not_ready_s: int, unreachable_s: int) -> None:
        self._seconds = dict(zip(_TAINTS, (not_ready_s, unreachable_s), strict=True))

    def admit(self, attributes: Attributes) -> None:
        resource, obj = attributes.resource, attributes.obj
        if (resource.group, resource.name) != ("", "pods") or attributes.subresource or obj is None:
            return
        if attributes.operation not in (CREATE, UPDATE):
            return
        spec = obj["spec"] = dict(obj["spec"])  # it may be the live object's
        self._add_tolerations(spec)

    def _add_tolerations(self, spec: dict[str, Any]) -> None:
        there = spec.get("tolerations") or []
        missing = [taint for taint in _TAINTS if not any(_tolerates(one, taint) for one in there)]
        if missing:
            spec["tolerations"] = [*there, *map(self._toleration, missing)]

    def _toleration(self, taint: str) -> dict[str, Any]:
        seconds = self._seconds[taint]
        return {"key": taint, "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": seconds}


def _tolerates(toleration: dict[str, Any], taint: str) -> bool:
    return toleration.get("key", "") in (taint, "") and toleration.get("effect", "") in _EFFECTS
