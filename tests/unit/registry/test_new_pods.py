"""What the server writes into a pod that is created, and keeps in its status."""

from __future__ import annotations

from typing import Any

import pytest

from quarterdeck.registry.builtin.codec import BuiltinCodec
from quarterdeck.registry.builtin.core.pod import PodStatusStrategy, PodStrategy
from quarterdeck.registry.builtin.core.poddefaults import default_pod
from quarterdeck.registry.builtin.core.podspec import default_template
from quarterdeck.schema import gotypes

CPU_AND_MEMORY = {"cpu": "1", "memory": "1Gi"}


def build(spec: dict[str, Any], **metadata: Any) -> dict[str, Any]:
    containers = [{"name": "c", "image": "i", **spec.pop("container", {})}]
    body: dict[str, Any] = {"metadata": {"name": "p", **metadata}, "spec": {"containers": containers, **spec}}
    codec = BuiltinCodec("v1", "Pod", lambda: gotypes.struct_of("v1", "Pod"), default_pod)
    codec.normalize(body, report_unknown=False)
    PodStrategy(namespaced=True).prepare_for_create(body)
    return body


@pytest.mark.parametrize(
    ("spec", "requests", "limits"),
    [
        ({"resources": {}}, None, None),
        ({"resources": {"limits": {"cpu": "2"}}}, {"cpu": "2"}, {"cpu": "2"}),
        (
            {"resources": {"limits": {"cpu": "2"}}, "container": {"resources": {"requests": CPU_AND_MEMORY}}},
            CPU_AND_MEMORY,
            {"cpu": "2"},
        ),
        (
            {
                "resources": {"limits": {"cpu": "2"}},
                "container": {"resources": {"limits": {"hugepages-2Mi": "4Mi", "cpu": "1"}}},
            },
            {"cpu": "1", "hugepages-2Mi": "4Mi"},
            {"cpu": "2", "hugepages-2Mi": "4Mi"},
        ),
    ],
)
def test_what_a_whole_pod_asks_for_comes_from_its_containers(
    spec: dict[str, Any], requests: dict[str, str] | None, limits: dict[str, str] | None
) -> None:
    whole = build(spec)["spec"]["resources"]
    assert (whole.get("requests"), whole.get("limits")) == (requests, limits)


def test_the_overhead_of_a_runtime_class_comes_in_thousandths() -> None:
    body = build({})
    body["spec"]["overhead"] = {"cpu": "500u"}  # as admission takes it from the class
    PodStrategy(namespaced=True).prepare_for_create(body)
    assert body["spec"]["overhead"] == {"cpu": "1m"}


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ({}, "BestEffort"),
        ({"container": {"resources": {"limits": CPU_AND_MEMORY}}}, "Guaranteed"),
        ({"container": {"resources": {"limits": {"cpu": "1"}}}}, "Burstable"),
        ({"resources": {"limits": CPU_AND_MEMORY}}, "Guaranteed"),
        ({"resources": {"requests": {"cpu": "1"}}}, "Burstable"),
        ({"resources": {}, "container": {"resources": {"limits": CPU_AND_MEMORY}}}, "BestEffort"),
    ],
)
def test_quality_of_service(spec: dict[str, Any], expected: str) -> None:
    assert build(spec)["status"]["qosClass"] == expected


def test_the_class_of_service_that_is_told_is_believed() -> None:
    body = build({}, generateName="x")
    body["status"] = {"qosClass": "Burstable", "podIP": "10.0.0.1", "phase": "Running"}
    PodStrategy(namespaced=True).prepare_for_create(body)
    assert body["status"] == {"phase": "Pending", "qosClass": "Burstable"}


def test_label_keys_become_expressions() -> None:
    term = {"labelSelector": {}, "topologyKey": "t", "matchLabelKeys": ["a"], "mismatchLabelKeys": ["b", "absent"]}
    spread = {"maxSkew": 1, "topologyKey": "t", "whenUnsatisfiable": "DoNotSchedule", "matchLabelKeys": ["a"]}
    affinity = {"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}
    pod = build({"affinity": affinity, "topologySpreadConstraints": [spread]}, labels={"a": "1", "b": "2"})
    found = pod["spec"]["affinity"]["podAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"][0]
    assert found["labelSelector"]["matchExpressions"] == [
        {"key": "a", "operator": "In", "values": ["1"]},
        {"key": "b", "operator": "NotIn", "values": ["2"]},
    ]
    assert "labelSelector" not in pod["spec"]["topologySpreadConstraints"][0]


def test_a_gated_pod_says_so() -> None:
    (condition,) = build({"schedulingGates": [{"name": "g"}]})["status"]["conditions"]
    assert (condition["type"], condition["status"], condition["reason"]) == ("PodScheduled", "False", "SchedulingGated")


def test_an_annotated_profile_becomes_a_field_with_a_warning() -> None:
    key = "container.apparmor.security.beta.kubernetes.io/c"
    pod, warnings = build({}, annotations={key: "localhost/x"}), list[str]()
    PodStrategy(namespaced=True).validate(pod, warnings)
    profile = pod["spec"]["containers"][0]["securityContext"]["appArmorProfile"]
    assert profile == {"type": "Localhost", "localhostProfile": "x"}
    assert len(warnings) == 1


def test_the_first_address_stands_alone_too() -> None:
    for status, expected in (
        ({"podIP": "10.0.0.1"}, {"podIP": "10.0.0.1", "podIPs": [{"ip": "10.0.0.1"}]}),
        ({"podIPs": [{"ip": "10.0.0.2"}]}, {"podIP": "10.0.0.2", "podIPs": [{"ip": "10.0.0.2"}]}),
        (
            {"podIP": "10.0.0.1", "podIPs": [{"ip": "10.0.0.2"}]},
            {"podIP": "10.0.0.1", "podIPs": [{"ip": "10.0.0.1"}]},
        ),
    ):
        pod = {"metadata": {}, "spec": {"containers": []}, "status": dict(status)}
        default_pod(pod)
        assert pod["status"] == expected


@pytest.mark.parametrize(("given_s", "grace_s"), [(-5, 1), (0, 0), (7, 7), (None, 30)])
def test_no_pod_has_less_than_no_time_to_end(given_s: int | None, grace_s: int) -> None:
    pod = build({} if given_s is None else {"terminationGracePeriodSeconds": given_s})
    assert pod["spec"]["terminationGracePeriodSeconds"] == grace_s


@pytest.mark.parametrize(
    ("annotations", "kept"),
    [
        ({"pod.beta.kubernetes.io/init-containers": "x", "a": "b"}, {"a": "b"}),
        ({"pod.alpha.kubernetes.io/init-container-statuses": "x"}, None),
        ({"pod.alpha.kubernetes.io/other": "x"}, {"pod.alpha.kubernetes.io/other": "x"}),
    ],
)
def test_annotations_that_init_containers_were_in_are_dropped(
    annotations: dict[str, str], kept: dict[str, str] | None
) -> None:
    pod = {"metadata": {"annotations": annotations}, "spec": {"containers": []}}
    template = {"metadata": {"annotations": annotations}, "spec": {"terminationGracePeriodSeconds": -5}}
    default_pod(pod)
    default_template(template)
    assert pod["metadata"].get("annotations") == template["metadata"].get("annotations") == kept
    assert template["spec"]["terminationGracePeriodSeconds"] == -5


def test_what_was_observed_is_not_forgotten() -> None:
    old = build({})
    old["status"] |= {"observedGeneration": 3, "conditions": [{"type": "A", "observedGeneration": 2}]}
    new = build({})
    new["status"] = {"conditions": [{"type": "A"}, {"type": "B"}]}
    PodStatusStrategy(namespaced=True).prepare_for_update(new, old)
    assert new["status"]["observedGeneration"] == 3
    assert [each.get("observedGeneration") for each in new["status"]["conditions"]] == [2, None]
