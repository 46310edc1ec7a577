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
    ],
)  # fmt: skip
def test_order(plural: str, members: Object, expected: list[str]) -> None:
    assert paths(KINDS[plural].refusals(members)) == expected


def test_a_selector_that_changes_is_told_before_what_else_is_wrong() -> None:
    old = {"spec": {"selector": SELECTOR, "template": {**TEMPLATE, "spec": POD}}}
    new = {"spec": {"selector": {"matchLabels": {"a": "c"}}, "template": {**TEMPLATE, "spec": POD}}}
    assert paths(KINDS["daemonsets"].refusals_of_update(new, old)) == ["spec.selector", "spec.template.metadata.labels"]


@pytest.mark.parametrize("name", ["clusterTrustBundle", "podCertificate"])
def test_what_is_dropped_of_a_volume_is_no_second_source(name: str) -> None:
    volume = {"name": "v", "projected": {"sources": [{"configMap": {"name": "m"}, name: {}}]}}
    spec = {**POD, "volumes": [volume]}
    assert KINDS["pods"].refusals({"spec": spec}) == []
    assert KINDS["podtemplates"].refusals({"template": {"spec": spec}}) == []
