"""Pods and deployments: what is defaulted, refused, kept, and how pods are deleted."""

from __future__ import annotations

from typing import Any

import pytest

from quarterdeck.registry.builtin.apps import deployment
from quarterdeck.registry.builtin.core import pod, podamounts, poddefaults, podspec, replicationcontroller
from quarterdeck.registry.deletion import Options
from quarterdeck.schema import gotypes
from quarterdeck.schema.godecode import Decoder


def build_pod(**spec: Any) -> dict[str, Any]:
    obj: dict[str, Any] = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "p", "namespace": "ns", "generation": 1},
        "spec": {"containers": [{"name": "c", "image": "i"}], **spec},
        "status": {},
    }
    poddefaults.default_pod(obj)
    return obj


def messages(problems: list[Any]) -> list[str]:
    return [f"{one.path}: {one.detail}" for one in problems]


def test_types_keep_zeros_behind_pointers_and_empty_structs_by_value() -> None:
    decoder = Decoder(report_unknown=True)
    decoded = decoder.decode_struct(
        {
            "spec": {
                "replicas": 0,
                "paused": False,
                "bogus": 1,
                "template": {"spec": {"containers": [{"name": "c", "livenessProbe": {"httpGet": {"port": "w"}}}]}},
            }
        },
        gotypes.struct_of("apps/v1", "Deployment"),
    )
    (container,) = decoded["spec"]["template"]["spec"]["containers"]
    assert container == {"name": "c", "resources": {}, "livenessProbe": {"httpGet": {"port": "w"}}}
    assert decoded["spec"]["replicas"] == 0
    assert "paused" not in decoded["spec"]
    assert (decoded["spec"]["strategy"], decoded["status"]) == ({}, {})
    assert decoder.unknown == ["spec.bogus"]


@pytest.mark.parametrize(
    ("image", "policy"),
    [
        ("i", "Always"),
        ("i:latest", "Always"),
        ("i:1", "IfNotPresent"),
        ("host:5000/i", "Always"),
        ("host:5000/i:1", "IfNotPresent"),
        ("i@sha256:00", "IfNotPresent"),
    ],
)
def test_the_newest_image_is_always_pulled(image: str, policy: str) -> None:
    spec: dict[str, Any] = {"containers": [{"name": "c", "image": image}]}
    podspec.default_pod_spec(spec)
    assert spec["containers"][0]["imagePullPolicy"] == policy


def test_a_key_of_a_file_is_needed() -> None:
    env = [{"name": "A", "valueFrom": {"fileKeyRef": {"volumeName": "v", "path": "p", "key": "k"}}}]
    for members in ({"containers": [{"name": "c", "env": env}]}, {"initContainers": [{"name": "c", "env": env}]}):
        obj = build_pod(**members)
        ((container,),) = (obj["spec"][name] for name in members)
        assert container["env"][0]["valueFrom"]["fileKeyRef"]["optional"] is False


def test_volumes_probes_and_limits_are_defaulted() -> None:
    limits = {"resources": {"limits": {"cpu": "1"}}}
    container = {"name": "c", "image": "i", "readinessProbe": {"grpc": {"port": 1}}, **limits}
    obj = build_pod(volumes=[{"name": "v"}, {"name": "w", "secret": {}}], containers=[container])
    assert obj["spec"]["volumes"] == [{"name": "v", "emptyDir": {}}, {"name": "w", "secret": {"defaultMode": 420}}]
    (container,) = obj["spec"]["containers"]
    assert container["readinessProbe"] == {
        "grpc": {"port": 1, "service": ""},
        "timeoutSeconds": 1,
        "periodSeconds": 10,
        "successThreshold": 1,
        "failureThreshold": 3,
    }
    assert container["resources"]["requests"] == {"cpu": "1"}


@pytest.mark.parametrize(
    ("resources", "quality"),
    [
        ({}, "BestEffort"),
        ({"requests": {"cpu": "1"}}, "Burstable"),
        ({"requests": {"cpu": "1", "memory": "1Gi"}, "limits": {"cpu": "1000m", "memory": "1024Mi"}}, "Guaranteed"),
        ({"requests": {"cpu": "1", "memory": "1Gi"}, "limits": {"cpu": "2", "memory": "1Gi"}}, "Burstable"),
    ],
)
def test_quality_of_service_goes_by_what_is_asked_and_limited(resources: Any, quality: str) -> None:
    assert podamounts.quality_of_service({"containers": [{"name": "c", "resources": resources}]}) == quality


def test_what_admission_gave_containers_counts_for_the_whole_pod() -> None:
    new: Any = build_pod(resources={"limits": {"cpu": "5"}})
    assert new["spec"]["resources"]["requests"] == {"cpu": "5"}
    new["spec"]["containers"][0]["resources"] = {"limits": {"memory": "1Gi"}}
    pod.PodStrategy(namespaced=True).default_new(new)
    assert new["spec"]["containers"][0]["resources"]["requests"] == {"memory": "1Gi"}
    assert new["spec"]["resources"]["requests"] == {"cpu": "5", "memory": "1Gi"}
    assert new["status"]["qosClass"] == "Burstable"


def test_a_pod_without_a_node_goes_at_once_and_one_with_a_node_is_given_time() -> None:
    strategy = pod.PodStrategy(namespaced=True)
    marked = strategy.mark(build_pod(), Options())
    assert marked is not None
    assert strategy.is_finished(marked)
    marked = strategy.mark(build_pod(nodeName="n"), Options())
    assert marked is not None
    assert (marked["metadata"]["deletionGracePeriodSeconds"], marked["metadata"]["generation"]) == (30, 2)
    sooner = strategy.mark(marked, Options(grace_period_s=10))
    assert sooner is not None
    assert sooner["metadata"]["deletionGracePeriodSeconds"] == 10
    assert sooner["metadata"]["deletionTimestamp"] < marked["metadata"]["deletionTimestamp"]
    assert strategy.mark(sooner, Options(grace_period_s=60)) == sooner
    at_once = strategy.mark(sooner, Options(grace_period_s=0))
    assert at_once is not None
    assert strategy.is_finished(at_once)
    assert strategy.mark(at_once, Options()) is None


@pytest.mark.parametrize(("asked_s", "left_s"), [(None, 20), (30, 20), (20, 20), (5, 5), (-3, 1), (0, 0)])
@pytest.mark.parametrize("phase", ["Running", "Succeeded"])
def test_the_time_of_a_pod_that_ends_only_becomes_shorter(asked_s: int | None, left_s: int, phase: str) -> None:
    """Whatever its phase is by then."""
    strategy = pod.PodStrategy(namespaced=True)
    first = strategy.mark(build_pod(nodeName="n"), Options(grace_period_s=20))
    assert first is not None
    first["status"] = {"phase": phase}
    again = strategy.mark(first, Options(grace_period_s=asked_s, propagation_policy="Orphan"))
    assert again is not None
    assert (again == first) == (left_s == 20)  # or its finalizers would have changed
    assert again["metadata"]["deletionGracePeriodSeconds"] == left_s
    assert again["metadata"]["generation"] == first["metadata"]["generation"]


def test_a_late_deletion_leaves_a_pod_at_least_a_second() -> None:
    strategy = pod.PodStrategy(namespaced=True)
    late = build_pod(nodeName="n")
    late["metadata"].update(deletionTimestamp="2020-01-01T00:00:30Z", deletionGracePeriodSeconds=30)
    marked = strategy.mark(late, Options(grace_period_s=20))
    assert marked is not None
    assert marked["metadata"]["deletionGracePeriodSeconds"] == 1
    assert marked["metadata"]["deletionTimestamp"] > "2026"


def test_a_pod_without_time_left_takes_the_word_on_its_dependents() -> None:
    strategy = pod.PodStrategy(namespaced=True)
    held: Any = build_pod()
    held["metadata"]["finalizers"] = ["a.dev/x"]
    for policy, finalizers in (
        ("Background", ["a.dev/x"]),
        ("Orphan", ["a.dev/x", "orphan"]),
        ("Foreground", ["a.dev/x", "foregroundDeletion"]),
        ("", ["a.dev/x", "foregroundDeletion"]),
        ("Background", ["a.dev/x"]),
    ):
        held = strategy.mark(held, Options(propagation_policy=policy))
        assert held["metadata"]["finalizers"] == finalizers
        assert (held["metadata"]["generation"], held["metadata"]["deletionGracePeriodSeconds"]) == (2, 0)


def test_finalizers_hold_a_pod_whatever_its_grace() -> None:
    strategy = pod.PodStrategy(namespaced=True)
    held = build_pod()
    held["metadata"]["finalizers"] = ["example.com/hold"]
    marked = strategy.mark(held, Options())
    assert marked is not None
    assert marked["metadata"]["deletionGracePeriodSeconds"] == 0
    assert strategy.mark(marked, Options()) == marked


def test_of_a_pod_only_a_few_fields_change() -> None:
    strategy = pod.PodStrategy(namespaced=True)
    old = build_pod()
    assert (
        strategy.check_update(build_pod(containers=[{"name": "c", "image": "j", "imagePullPolicy": "Always"}]), old)
        == []
    )
    (problem,) = strategy.check_update(build_pod(nodeName="n"), old)
    assert problem.path == "spec"
    assert problem.detail.startswith("pod updates may not change fields other than `spec.containers[*].image`")
    more = build_pod(containers=[{"name": "c", "image": "i"}, {"name": "d", "image": "i"}])
    assert messages(strategy.check_update(more, old)) == [
        "spec.containers: pod updates may not add or remove containers"
    ]


def build_deployment(**spec: Any) -> dict[str, Any]:
    template = {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [{"name": "c", "image": "i"}]}}
    obj: dict[str, Any] = {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "d", "namespace": "ns", "generation": 1},
        "spec": {"selector": {"matchLabels": {"a": "b"}}, "template": template, "strategy": {}, **spec},
        "status": {},
    }
    deployment.default_deployment(obj)
    return obj


def test_a_deployment_is_defaulted_and_valid() -> None:
    obj = build_deployment()
    assert obj["spec"]["strategy"] == {
        "type": "RollingUpdate",
        "rollingUpdate": {"maxUnavailable": "25%", "maxSurge": "25%"},
    }
    assert (obj["spec"]["replicas"], obj["spec"]["revisionHistoryLimit"]) == (1, 10)
    assert deployment.DeploymentStrategy(namespaced=True).check(obj) == []


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ({"replicas": -1}, "spec.replicas: must be greater than or equal to 0"),
        ({"selector": {}}, "spec.selector: empty selector is invalid for deployment"),
        (
            {"selector": {"matchLabels": {"x": "y"}}},
            "spec.template.metadata.labels: `selector` does not match template `labels`",
        ),
        (
            {"progressDeadlineSeconds": 5, "minReadySeconds": 5},
            "spec.progressDeadlineSeconds: must be greater than minReadySeconds",
        ),
    ],
)
def test_what_a_deployment_may_not_say(spec: dict[str, Any], expected: str) -> None:
    assert messages(deployment.DeploymentStrategy(namespaced=True).check(build_deployment(**spec))) == [expected]


def test_annotations_and_the_spec_make_a_new_generation() -> None:
    strategy = deployment.DeploymentStrategy(namespaced=True)
    old = build_deployment()
    for change in ({"annotations": {"a": "b"}}, {}):
        new = build_deployment()
        new["metadata"] |= change
        strategy.keep(new, old)
        assert new["metadata"]["generation"] == (2 if change else 1)


def test_a_status_of_a_controller_without_labels_takes_those_of_the_pods() -> None:
    template = {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [{"name": "c", "image": "i"}]}}
    old: dict[str, Any] = {"metadata": {"name": "r"}, "spec": {"template": template}, "status": {"replicas": 0}}
    replicationcontroller.default_controller(old)
    new = {**old, "metadata": {"name": "r"}, "spec": {"replicas": 1, "template": {"metadata": {}}}}
    strategy = replicationcontroller.ReplicationControllerStatusStrategy(namespaced=True)
    strategy.keep(new, old)
    assert strategy.is_stored_with_less(new, is_new=False, dry_run=False)
    assert (new["spec"], new["metadata"]["labels"]) == (old["spec"], {"a": "b"})
