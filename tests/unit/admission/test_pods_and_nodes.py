"""What plugins ask nodes, where a bound pod is, and whether a pod may be resized; what pods tolerate of nodes."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from quarterdeck.admission.plugins.extendedresources import ExtendedResourceToleration
from quarterdeck.admission.plugins.pods import DefaultTolerationSeconds
from quarterdeck.admission.plugins.resizing import NodeDeclaredFeatureValidator, PodResizeValidator
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


def resize(plugin: Any, spec: dict[str, Any], before: dict[str, Any], subresource: str = "resize") -> None:
    asked = attributes("UPDATE", {"spec": spec, "metadata": {"generation": 2}}, subresource)
    asked.old = {"spec": before, "metadata": {"generation": 1 if spec != before else 2}}
    plugin.validate(asked)


def asking(cpu: str = "1", memory: str = "1Gi", name: str = "small", **more: Any) -> dict[str, Any]:
    return {
        "nodeName": name,
        "containers": [{"name": "c", "resources": {"requests": {"cpu": cpu, "memory": memory}}}],
        **more,
    }


def declaring(find_node: Any, has_ranges: bool = False) -> NodeDeclaredFeatureValidator:
    return NodeDeclaredFeatureValidator(find_node, lambda _namespace: has_ranges)


@pytest.mark.parametrize("plugin", [PodResizeValidator, declaring])
def test_a_pod_on_a_node_that_is_not_there_keeps_its_size(plugin: Any) -> None:
    absent, more = {"nodeName": "absent"}, {"resources": {"requests": {"cpu": "1"}}}
    for spec, before, subresource in (
        (absent, absent, "resize"),
        ({**absent, **more}, absent, "status"),
        (more, {}, "resize"),
    ):
        resize(plugin(NODES.get), spec, before, subresource)
    with pytest.raises(errors.Forbidden, match='pods "p" is forbidden: node "absent" not found'):
        resize(plugin(NODES.get), {**absent, **more}, absent)


@pytest.mark.parametrize(
    ("spec", "detail", "cause"),
    [
        (asking("2", "2Gi"), "", ""),
        (
            asking("2500m", "3Gi"),
            "node didn't have enough allocatable resources: cpu, requested: 2500, allocatable: 2000; memory, "
            "requested: 3221225472, allocatable: 2147483648",
            "NodeCapacity",
        ),
        (
            asking(name="other"),
            'pod resize is only supported on linux nodes, node "other" is "windows"',
            "UnsupportedPlatform",
        ),
        (
            asking(name="n"),
            "node didn't have enough allocatable resources: cpu, requested: 1000, allocatable: 0; memory, requested: "
            "1073741824, allocatable: 0",
            "NodeCapacity",
        ),
    ],
)
def test_a_node_has_to_have_what_a_pod_grows_to(spec: dict[str, Any], detail: str, cause: str) -> None:
    nodes = {
        **NODES,
        "small": {"metadata": {"name": "small"}, "status": {"allocatable": {"cpu": "2", "memory": "2Gi"}}},
        "other": {"metadata": {"name": "other", "labels": {"kubernetes.io/os": "windows"}}},
    }
    before = {**spec, "containers": []}
    if not detail:
        resize(PodResizeValidator(nodes.get), spec, before)
        return
    with pytest.raises(errors.Forbidden) as caught:
        resize(PodResizeValidator(nodes.get), spec, before)
    assert caught.value.message == f'pods "p" is forbidden: {detail}'
    assert (caught.value.details or {})["causes"] == [{"reason": cause}]


@pytest.mark.parametrize(
    ("spec", "missing"),
    [
        (asking(), ""),
        (asking(resources={"requests": {"cpu": "1"}}), "InPlacePodLevelResourcesVerticalScaling"),
        (asking(initContainers=[{"resources": {"limits": {"cpu": "1"}}}]), "InPlacePodVerticalScalingInitContainers"),
    ],
)
def test_a_node_says_what_it_can_resize(spec: dict[str, Any], missing: str) -> None:
    before = asking("2", initContainers=[{}])
    able = {"small": {"metadata": {"name": "small"}, "status": {"declaredFeatures": [missing]}}}
    resize(declaring(able.get), spec, before)
    plugin = declaring({"small": {"metadata": {"name": "small"}}}.get)
    if not missing:
        resize(plugin, spec, before)
        return
    with pytest.raises(errors.Forbidden, match=f"requires features {missing} which are not available on node"):
        resize(plugin, spec, before)


@pytest.mark.parametrize(
    ("container", "has_ranges", "is_refused"),
    [
        ({}, False, False),
        ({}, True, True),
        ({"resources": {"requests": {"cpu": "1"}}}, True, True),
        ({"resources": {"requests": {"cpu": "1"}, "limits": {"cpu": "1"}}}, True, False),
        ({"restartPolicy": "Always"}, True, False),
    ],
)
def test_what_limit_ranges_fill_in_is_a_resize_of_init_containers(
    container: dict[str, Any], has_ranges: bool, is_refused: bool
) -> None:
    plugin = declaring({"small": {"metadata": {"name": "small"}}}.get, has_ranges)
    spec, before = asking("1", initContainers=[container]), asking("2", initContainers=[container])
    if not is_refused:
        resize(plugin, spec, before)
        return
    with pytest.raises(errors.Forbidden, match="requires features InPlacePodVerticalScalingInitContainers"):
        resize(plugin, spec, before)


@pytest.mark.parametrize("operation", ["CREATE", "UPDATE"])
def test_a_pod_tolerates_nodes_for_what_it_asks_of_them(operation: str) -> None:
    wanted, other = ({"key": key, "operator": "Exists", "effect": "NoSchedule"} for key in ("a.dev/x", "b.dev/y"))
    kept = {"key": "k", "operator": "Exists"}
    given = [{**wanted, "tolerationSeconds": 5}, kept]
    of_init = [{"resources": {"requests": {"b.dev/y": "1", "cpu": "1", "kubernetes.io/z": "1"}}}]
    containers = [{"resources": {"requests": {"a.dev/x": "1"}}}, {}]
    asked = attributes(operation, {"spec": {"containers": containers, "initContainers": of_init, "tolerations": given}})
    for _ in range(2):
        ExtendedResourceToleration().admit(asked)
        assert asked.obj["spec"]["tolerations"] == [wanted, kept, other]
    plain = attributes(operation, {"spec": {"containers": [{}]}})
    ExtendedResourceToleration().admit(plain)
    assert plain.obj["spec"] == {"containers": [{}]}


def test_pods_stay_on_lost_nodes_as_long_as_the_server_is_told() -> None:
    taints = ["node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"]
    added = [
        {"key": taint, "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": seconds}
        for taint, seconds in zip(taints, (7, 0), strict=True)
    ]
    own = {"key": taints[0], "operator": "Exists"}
    for tolerations, expected in (
        ([], added),
        ([own], [own, added[1]]),
        ([{"operator": "Exists"}], [{"operator": "Exists"}]),
        ([{**own, "effect": "NoSchedule"}], [{**own, "effect": "NoSchedule"}, *added]),
    ):
        asked = attributes("CREATE", {"spec": {"tolerations": tolerations}})
        asked.resource = SimpleNamespace(group="", name="pods")
        DefaultTolerationSeconds(7, 0).admit(asked)
        assert asked.obj["spec"]["tolerations"] == expected
