"""Several faults of one object are told in the order in which upstream looks for them."""

from __future__ import annotations

from typing import Any

import pytest

from quarterdeck.registry.builtin import resources
from quarterdeck.storage.cacher import Cacher
from support.builtin_kind import BuiltinKind, Object
from support.memory_store import MemoryStore

DEFINITIONS = resources.definitions(Cacher(MemoryStore()))
KINDS = {each.resource.name: BuiltinKind(each) for each in DEFINITIONS}
KINDS_OF_EVENTS = {each.resource.group: BuiltinKind(each) for each in DEFINITIONS if each.resource.kind == "Event"}
SELECTOR: Object = {"matchLabels": {"a": "b"}}
TEMPLATE: Object = {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [{"name": "c"}]}}
POD: Object = {"containers": [{"name": "c", "image": "i"}]}


def metric(kind: str, **sources: Any) -> Object:
    reference = {"kind": "Deployment", "name": "d", "apiVersion": "apps/v1"}
    return {"spec": {"scaleTargetRef": reference, "maxReplicas": 1, "metrics": [{"type": kind, **sources}]}}


def paths(told: list[str]) -> list[str]:
    return [each.partition(": ")[0] for each in told]


@pytest.mark.parametrize(
    ("plural", "members", "expected"),
    [
        (
            "statefulsets",
            {"spec": {
                "selector": SELECTOR, "template": TEMPLATE, "serviceName": "A", "replicas": -1, "minReadySeconds": -1,
                "ordinals": {"start": -1}, "volumeClaimTemplates": [{"metadata": {"name": "d"}, "spec": {}}],
                "persistentVolumeClaimRetentionPolicy": {"whenScaled": "Odd"},
            }},
            [
                "spec.persistentVolumeClaimRetentionPolicy.whenScaled",
                "spec.volumeClaimTemplates[0].spec.accessModes",
                "spec.volumeClaimTemplates[0].spec.resources[storage]",
                "spec.replicas", "spec.minReadySeconds", "spec.ordinals.start", "spec.serviceName",
                "spec.template.spec.containers[0].image",
            ],
        ),
        (
            "daemonsets",
            {"spec": {"selector": SELECTOR, "template": TEMPLATE, "updateStrategy": {
                "rollingUpdate": {"maxUnavailable": "101%", "maxSurge": "x"},
            }}},
            [
                "spec.template.spec.containers[0].image",
                "spec.updateStrategy.rollingUpdate.maxSurge",
                "spec.updateStrategy.rollingUpdate.maxUnavailable",
            ],
        ),
        (
            "poddisruptionbudgets",
            {"spec": {"unhealthyPodEvictionPolicy": "Odd", "selector": {"matchLabels": {"a": "!"}}}},
            ["spec.selector.matchLabels", "spec.unhealthyPodEvictionPolicy"],
        ),
        (
            "certificatesigningrequests",
            {"spec": {"request": "", "signerName": "", "usages": ["any", "any", "odd"]}},
            ["spec.request", "spec.usages[2]", "spec.usages[1]", "spec.signerName"],
        ),
        (
            "limitranges",
            {"spec": {"limits": [
                {"type": "PersistentVolumeClaim", "default": {"a": "1"}, "maxLimitRequestRatio": {"b": "0"}},
                {"type": "Pod", "max": {"cpu": "1"}, "min": {"cpu": "2"}, "default": {"cpu": "1"}},
                {"type": "Pod"},
            ]}},
            [
                "spec.limits[0].default[a]", "spec.limits[0].limits", "spec.limits[0].maxLimitRequestRatio[b]",
                "spec.limits[0].maxLimitRequestRatio[b]", "spec.limits[1].default", "spec.limits[1].min[cpu]",
                "spec.limits[2].type",
            ],
        ),
        (
            "prioritylevelconfigurations",
            {"spec": {"type": "Limited", "limited": {
                "nominalConcurrencyShares": -1, "lendablePercent": 101, "borrowingLimitPercent": -1,
                "limitResponse": {"type": "Odd"},
            }}},
            [f"spec.limited.{name}" for name in (
                "nominalConcurrencyShares", "limitResponse.type", "lendablePercent", "borrowingLimitPercent",
            )],
        ),
        (
            "volumeattachments",
            {"spec": {"attacher": "", "source": {}, "nodeName": ""}},
            ["spec.attacher", "spec.source", "spec.nodeName"],
        ),
        (
            "horizontalpodautoscalers",
            metric("ContainerResource", containerResource={}),
            [f"spec.metrics[0].containerResource.{name}" for name in (
                "name", "container", "target.type", "target.type", "target.averageUtilization",
            )],
        ),
        (
            "horizontalpodautoscalers",
            metric("Odd", object={"describedObject": {"apiVersion": "a/b/c"}}),
            ["spec.metrics[0].type"]
            + [f"spec.metrics[0].object.{name}" for name in (
                "describedObject.kind", "describedObject.name", "describedObject.apiVersion", "metric.name",
                "target.type", "target.type", "target.averageValue",
            )]
            + ["spec.metrics[0].type"],
        ),
        (
            "pods",
            {"spec": {
                **POD, "hostname": "-", "hostnameOverride": "A", "setHostnameAsFQDN": True, "hostNetwork": True,
                "serviceAccountName": "A", "nodeName": "A",
            }},
            ["spec.hostnameOverride"] * 3 + ["spec.serviceAccountName", "spec.nodeName", "spec.hostname"],
        ),
        (
            "resourceslices",
            {"spec": {
                "driver": "a.dev", "pool": {"name": "p", "resourceSliceCount": 1},
                "nodeSelector": {"nodeSelectorTerms": []}, "allNodes": False,
            }},
            ["spec.nodeSelector.nodeSelectorTerms", "spec.nodeSelector.nodeSelectorTerms", "spec.allNodes"],
        ),
        (
            "pods",
            {"spec": {"containers": [{**POD["containers"][0], "resources": {"requests": {"hugepages-2Mi": "1Mi"}}}]}},
            [f"spec.containers[0].{name}" for name in (
                "resources.limits", "resources.requests[hugepages-2Mi]", "resources",
            )],
        ),
    ],
)  # fmt: skip
def test_faults_are_told_in_the_order_of_upstream(plural: str, members: Object, expected: list[str]) -> None:
    assert paths(KINDS[plural].refusals(members)) == expected


def test_a_selector_that_changes_is_told_before_what_else_is_wrong() -> None:
    old = {"spec": {"selector": SELECTOR, "template": {**TEMPLATE, "spec": POD}}}
    new = {"spec": {"selector": {"matchLabels": {"a": "c"}}, "template": {**TEMPLATE, "spec": POD}}}
    assert paths(KINDS["daemonsets"].refusals_of_update(new, old)) == ["spec.selector", "spec.template.metadata.labels"]


def test_the_status_of_a_pod_is_looked_at_rule_by_rule() -> None:
    members = ("containerStatuses", "initContainerStatuses", "ephemeralContainerStatuses")
    spec = {**POD, "restartPolicy": "Never", "initContainers": [{"name": "i", "image": "i"}]}
    ended = {member: [{"name": name, "state": {"terminated": {}}}] for member, name in zip(members, "cie", strict=True)}
    wrong = {"user": {"linux": {"uid": -1, "gid": 0}}, "allocatedResourcesStatus": [{"name": "a"}]}
    status = {member: [{"name": name, **wrong}] for member, name in zip(members, "cie", strict=True)}
    status |= {"conditions": [{"type": "a b"}], "observedGeneration": -1, "nominatedNodeName": "A"}
    old = {"spec": spec, "status": ended}
    found = paths(KINDS["pods"].refusals_of_update({"spec": spec, "status": status}, old, "status"))
    assert [each.removeprefix("status.") for each in found] == [
        "conditions[0].Type", "nominatedNodeName", "observedGeneration",
        *(f"{member}[0].state" for member in members),
        *(f"{member}[0].user.linux.uid" for member in members),
        "containerStatuses[0].allocatedResourcesStatus[0].name",
        "initContainerStatuses[0].allocatedResourcesStatus[0].name",
        "ephemeralContainerStatuses[0].allocatedResourcesStatus",
    ]  # fmt: skip


def test_what_must_stay_in_a_slice_is_told_after_its_names() -> None:
    pool = {"name": "p", "resourceSliceCount": 1}
    old = {"spec": {"driver": "a.dev", "pool": pool, "nodeName": "n"}}
    new = {"spec": {"driver": "b.dev", "pool": {**pool, "name": "A"}, "nodeName": "A", "allNodes": False}}
    found = KINDS["resourceslices"].refusals_of_update(new, old)
    assert paths(found) == [
        "spec.pool.name", "spec.pool.name", "spec.driver", "spec.nodeName", "spec.nodeName", "spec.allNodes",
    ]  # fmt: skip
    assert [each.endswith(": field is immutable") for each in found] == [False, True, True, True, False, False]


FINALIZERS = {"finalizers": ["x"]}
METADATA = "metadata.finalizers[0]"
CLAIM: Object = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "2Gi"}}}


@pytest.mark.parametrize(
    ("plural", "new", "old", "expected"),
    [
        (
            "configmaps",
            {"data": {"/": "a"}},
            {"data": {"a": "b"}, "immutable": True},
            [METADATA, "immutable", "data", METADATA, "data[/]"],
        ),
        (
            "secrets",
            {"data": {"/": ""}, "type": "a"},
            {"immutable": True},
            [METADATA, "type", "immutable", "data", METADATA, "data[/]"],
        ),
        ("nodes", {"spec": {"podCIDRs": ["x"]}}, {}, [METADATA, "spec.podCIDRs[0]", METADATA]),
        (
            "persistentvolumeclaims",
            {"spec": {**CLAIM, "accessModes": []}},
            {"spec": CLAIM},
            [METADATA, "spec.accessModes", METADATA, "spec"],
        ),
    ],
)
def test_order_of_an_update(plural: str, new: Object, old: Object, expected: list[str]) -> None:
    """The metadata are looked at as those of a new object, and for what must not change."""
    assert paths(KINDS[plural].refusals_of_update({**new, "metadata": FINALIZERS}, old)) == expected


def test_an_event_is_looked_at_before_what_must_not_change() -> None:
    new = {"regarding": {"namespace": "m"}, "metadata": {"finalizers": ["x"]}}
    found = KINDS_OF_EVENTS["events.k8s.io"].refusals_of_update(new, {"regarding": {"namespace": "n"}})
    assert paths(found) == ["involvedObject.namespace", "metadata.finalizers[0]", "involvedObject"]


def test_lists_that_a_pod_may_change_are_not_shown_as_changed() -> None:
    new = {"spec": {**POD, "nodeName": "m", "initContainers": [], "schedulingGates": [], "tolerations": []}}
    (found,) = KINDS["pods"].refusals_of_update(new, {"spec": {**POD, "nodeName": "n"}})
    assert '+ "NodeName": "m"' in found and "[]" not in found


def test_a_source_that_is_dropped_is_not_shown_as_changed() -> None:
    spec = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
    new = {"spec": {**spec, "volumeName": "v", "storageClassName": "c", "dataSource": {}}}
    (found, *_) = KINDS["persistentvolumeclaims"].refusals_of_update(new, {"spec": {**spec, "volumeName": "w"}})
    assert "spec is immutable after creation" in found
    assert '+ "VolumeName": "v"' in found and 'DataSource": {' not in found


@pytest.mark.parametrize("name", ["clusterTrustBundle", "podCertificate"])
def test_what_is_dropped_of_a_volume_is_no_second_source(name: str) -> None:
    volume = {"name": "v", "projected": {"sources": [{"configMap": {"name": "m"}, name: {}}]}}
    spec = {**POD, "volumes": [volume]}
    assert KINDS["pods"].refusals({"spec": spec}) == []
    assert KINDS["podtemplates"].refusals({"template": {"spec": spec}}) == []
