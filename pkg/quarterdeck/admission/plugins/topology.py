"""PodTopologyLabels: a pod gets the labels that tell where its node is, when it is bound or comes with a node.

Source: plugin/pkg/admission/podtopologylabels/admission.go.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from quarterdeck.admission.attributes import CREATE, Attributes

_KEYS: Final = ("topology.kubernetes.io/region", "topology.kubernetes.io/zone")


class PodTopologyLabels:
    """`find_node` looks a node up by its name. A pod may be bound to one that is not there."""

    def __init__(self, find_node: Callable[[str], dict[str, Any] | None]) -> None:
        self._find_node = find_node

    def admit(self, attributes: Attributes) -> None:
        obj = attributes.obj
        if attributes.operation != CREATE or obj is None:
            return
        name = ""
        if attributes.subresource == "binding":
            target = obj.get("target") or {}
            name = target.get("name", "") if target.get("kind") == "Node" else ""
        elif not attributes.subresource:
            name = obj["spec"].get("nodeName", "")
        node = self._find_node(name) if name else None
        if node is None:
            return
        found = node["metadata"].get("labels") or {}
        copied = {key: found[key] for key in _KEYS if key in found}
        if copied:
            metadata = obj["metadata"]
            obj["metadata"] = {**metadata, "labels": {**(metadata.get("labels") or {}), **copied}}
