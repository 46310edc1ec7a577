"""What plugins ask nodes: where a bound pod is, and whether a pod may be resized."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from quarterdeck.admission.plugins.resizing import ResizeOnNode
from quarterdeck.admission.plugins.topology import PodTopologyLabels
from quarterdeck.apimachinery import errors

LABELS = {"topology.kubernetes.io/zone": "z", "topology.kubernetes.io/region": "r", "other": "o"}
NODES: dict[str, dict[str, Any]] = {"n": {"metadata": {"labels": LABELS}}}


def attributes(operation: str, obj: dict[str, Any], subresource: str = "") -> Any:
    return SimpleNamespace(operation=operation, obj={"metadata": {}, **obj}, subresource=subresource, name="p")


@pytest.mark.parametrize(
    ("obj", "subresource", "is_told"),
    [
        ({"target": {"kind": "Node", "name": "n"}}, "binding", True),
        ({"target": {"name": "n"}}, "binding", False),
        ({"target": {"kind": "Node", "name": "absent"}}, "binding", False),
        ({"spec": {"nodeName": "n"}}, "", True),
        ({"spec": {}}, "", False),
    ],
)
def test_a_pod_is_told_where_its_node_is(obj: dict[str, Any], subresource: str, is_told: bool) -> None:
    asked = attributes("CREATE", obj, subresource)
    PodTopologyLabels(NODES.get).admit(asked)
    expected = {key: value for key, value in LABELS.items() if key != "other"} if is_told else {}
    assert asked.obj["metadata"].get("labels", {}) == expected


def test_a_pod_on_a_node_that_is_not_there_keeps_its_size() -> None:
    plugin = ResizeOnNode(NODES.get)
    for spec, subresource in (({"nodeName": "n"}, "resize"), ({}, "resize"), ({"nodeName": "absent"}, "status")):
        plugin.validate(attributes("UPDATE", {"spec": spec}, subresource))
    with pytest.raises(errors.Forbidden, match='pods "p" is forbidden: node "absent" not found'):
        plugin.validate(attributes("UPDATE", {"spec": {"nodeName": "absent"}}, "resize"))
