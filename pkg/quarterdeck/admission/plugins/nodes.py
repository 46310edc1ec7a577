"""TaintNodesByCondition: a new node is not ready, so that nothing is scheduled on it before somebody says that it is.

Source: plugin/pkg/admission/nodetaint/admission.go.
"""

from __future__ import annotations

from typing import Final

from quarterdeck.admission.attributes import CREATE, Attributes

_KEY: Final = "node.kubernetes.io/not-ready"
_EFFECT: Final = "NoSchedule"


class NodeTaint:
    """Of nodes alone."""

    def admit(self, attributes: Attributes) -> None:
        obj = attributes.obj
        if attributes.operation != CREATE or attributes.subresource or obj is None:
            return
        taints = obj["spec"].get("taints") or []
        if not any(each.get("key") == _KEY and each.get("effect") == _EFFECT for each in taints):
            obj["spec"] = {**obj["spec"], "taints": [*taints, {"key": _KEY, "effect": _EFFECT}]}
