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
        self._usual = [_toleration(*each) for each in zip(_TAINTS, (not_ready_s, unreachable_s), strict=True)]

    def admit(self, attributes: Attributes) -> None:
        resource, obj = attributes.resource, attributes.obj
        if (resource.group, resource.name) != ("", "pods") or attributes.subresource or obj is None:
            return
        if attributes.operation not in (CREATE, UPDATE):
            return
        spec = obj["spec"] = dict(obj["spec"])  # it may be the live object's
        self._add_tolerations(spec)

    def _add_tolerations(self, spec: dict[str, Any]) -> None:
        there = spec.get("tolerations")
        if not there:
            spec["tolerations"] = [dict(each) for each in self._usual]
            return
        missing = [dict(each) for each in self._usual if not any(_tolerates(one, each["key"]) for one in there)]
        if missing:
            spec["tolerations"] = [*there, *missing]


def _toleration(taint: str, seconds: int) -> dict[str, Any]:
    return {"key": taint, "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": seconds}


def _tolerates(toleration: dict[str, Any], taint: str) -> bool:
    return toleration.get("key", "") in (taint, "") and toleration.get("effect", "") in _EFFECTS
