"""Autoscalers in their two versions: what v1 keeps in annotations, what is defaulted and refused."""

from __future__ import annotations

import json
from typing import Any

import pytest

from quarterdeck.registry.builtin.autoscaling import roundtrip
from quarterdeck.registry.builtin.autoscaling.conversion import convert, convert_onto, convert_written
from quarterdeck.registry.builtin.autoscaling.defaults import default_v1, default_v2
from quarterdeck.registry.builtin.autoscaling.strategy import AutoscalerStatusStrategy, AutoscalerStrategy
from quarterdeck.registry.builtin.autoscaling.validation import validate_spec, validate_spec_update
from quarterdeck.registry.builtin.autoscaling.versions import V1, V2
from quarterdeck.registry.strategy import copy_value

TARGET = {"kind": "Deployment", "name": "d", "apiVersion": "apps/v1"}
MEMORY = {"type": "Resource", "resource": {"name": "memory", "target": {"type": "AverageValue", "averageValue": "1Gi"}}}
CPU = {"type": "Resource", "resource": {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 60}}}
ALL_METRICS = [
    MEMORY,
    {
        "type": "Object",
        "object": {
            "describedObject": {"kind": "K", "name": "n"},
            "target": {"type": "Value", "value": "3"},
            "metric": {"name": "m", "selector": {"matchLabels": {"a": "b"}}},
        },
    },
    {"type": "Pods", "pods": {"metric": {"name": "m"}, "target": {"type": "AverageValue", "averageValue": "1"}}},
    {"type": "External", "external": {"metric": {"name": "m"}, "target": {"type": "Value", "value": "5"}}},
    {
        "type": "ContainerResource",
        "containerResource": {
            "name": "cpu",
            "target": {"type": "Utilization", "averageUtilization": 5},
            "container": "c",
        },
    },
    CPU,
]


def build(version: str = V2, **spec: Any) -> dict[str, Any]:
    return {
        "apiVersion": version,
        "kind": "HorizontalPodAutoscaler",
        "metadata": {"name": "a", "namespace": "ns"},
        "spec": {"scaleTargetRef": TARGET, "maxReplicas": 3, **spec},
        "status": {"desiredReplicas": 0, "currentMetrics": None},
    }


def told(problems: list[Any]) -> list[str]:
    return [f"{one.path}: {one.body()}" for one in problems]


def of_container(resource: str) -> dict[str, Any]:
    target = {"type": "AverageValue", "averageValue": "1"}
    return {"type": "ContainerResource", "containerResource": {"name": resource, "container": "c", "target": target}}


def test_v1_keeps_all_of_v2() -> None:
    obj = build(metrics=ALL_METRICS, behavior={"scaleUp": {"stabilizationWindowSeconds": 5}})
    default_v2(obj)
    obj["status"] = {
        "currentReplicas": 1,
        "desiredReplicas": 2,
        "currentMetrics": [
            {
                "type": "Resource",
                "resource": {"name": "cpu", "current": {"averageValue": "1m", "averageUtilization": 5}},
            },
            {"type": "External", "external": {"metric": {"name": "m"}, "current": {"value": "3"}}},
        ],
        "conditions": [{"type": "AbleToScale", "status": "True", "lastTransitionTime": None, "reason": "R"}],
    }
    shown = convert(obj, V1)
    assert shown["spec"]["targetCPUUtilizationPercentage"] == 60
    assert shown["status"]["currentCPUUtilizationPercentage"] == 5
    assert convert(shown, V2) == obj


@pytest.mark.parametrize(
    "target",
    [
        {"type": "AverageValue", "averageValue": "1"},
        {"type": "AverageValue", "value": "2", "averageValue": "1"},
        {"type": "Value", "value": "0"},
    ],
)
def test_what_an_object_metric_wants_is_what_it_wanted_in_v1(target: dict[str, str]) -> None:
    """v1 always has a value; a zero beside an average is none."""
    wanted = {"describedObject": {"kind": "K", "name": "n"}, "target": target, "metric": {"name": "m"}}
    obj = build(metrics=[{"type": "Object", "object": wanted}])
    assert convert(convert(obj, V1), V2)["spec"] == obj["spec"]


@pytest.mark.parametrize(("version", "other"), [(V1, V2), (V2, V1)])
def test_what_has_no_metadata_is_converted(version: str, other: str) -> None:
    obj = build(version)
    del obj["metadata"]
    assert convert(obj, other)["metadata"] == {}


def test_v1_shows_the_first_percentage_of_the_processor() -> None:
    amount = {"type": "Resource", "resource": {"name": "cpu", "target": {"type": "AverageValue", "averageValue": "1"}}}
    shown = convert(build(metrics=[amount, CPU]), V1)
    assert shown["spec"]["targetCPUUtilizationPercentage"] == 60
    assert convert(shown, V2)["spec"]["metrics"] == [amount, CPU]


def test_v1_shows_labels_in_order() -> None:
    metric = {"name": "m", "selector": {"matchLabels": {"b": "1", "a": "2"}}}
    spec, status = {"target": {"type": "Value", "value": "1"}}, {"current": {"value": "1"}}
    reference = {"kind": "K", "name": "n"}
    obj = build(
        metrics=[
            {"type": "Pods", "pods": {"metric": metric, **spec}},
            {"type": "Object", "object": {"metric": metric, "describedObject": reference, **spec}},
            {"type": "External", "external": {"metric": metric, **spec}},
        ]
    )
    obj["status"]["currentMetrics"] = [
        {"type": "Pods", "pods": {"metric": metric, **status}},
        {"type": "Object", "object": {"metric": metric, "describedObject": reference, **status}},
        {"type": "External", "external": {"metric": metric, **status}},
    ]
    shown = convert(obj, V1)["metadata"]["annotations"]
    for name in (roundtrip.METRICS, roundtrip.CURRENT_METRICS):
        assert shown[name].count('"matchLabels":{"a":"2","b":"1"}') == 3


def test_v1_alone_is_about_the_processor() -> None:
    obj = build(V1)
    obj["status"] = {}
    default_v1(obj)
    assert obj["spec"] == {
        "scaleTargetRef": TARGET,
        "minReplicas": 1,
        "maxReplicas": 3,
        "targetCPUUtilizationPercentage": 80,
    }
    assert obj["metadata"] == {"name": "a", "namespace": "ns"}


@pytest.mark.parametrize(
    "text", ["x", "[1]", '{"a":1}', "[" * 100_000, '[{"type":3}]', '[{"x":NaN}]', '{"x":-Infinity}']
)
def test_annotations_that_cannot_be_read_say_nothing(text: str) -> None:
    obj = build(V1)
    obj["metadata"]["annotations"] = {roundtrip.METRICS: text, roundtrip.BEHAVIOR: text, "own": "1"}
    made = convert(obj, V2)
    assert [each["type"] for each in made["spec"]["metrics"]] == ["Resource"]
    assert (made["metadata"]["annotations"], "behavior" in made["spec"]) == ({"own": "1"}, False)


@pytest.mark.parametrize("version", [V1, V2])
@pytest.mark.parametrize("name", ["scale-down-tolerance", "scale-up-tolerance"])
def test_no_object_holds_annotations_of_tolerances(version: str, name: str) -> None:
    obj = build(version)
    obj["metadata"]["annotations"] = {f"autoscaling.alpha.kubernetes.io/{name}": "1", "own": "1"}
    (default_v1 if version == V1 else default_v2)(obj)
    assert convert(obj, V2)["metadata"]["annotations"] == {"own": "1"}


def test_annotations_name_members_in_any_case() -> None:
    obj = build(V1)
    obj["metadata"]["annotations"] = {roundtrip.BEHAVIOR: json.dumps({"SCALEUP": {"selectpolicy": "Min"}})}
    assert convert(obj, V2)["spec"]["behavior"] == {"scaleUp": {"selectPolicy": "Min"}}


def test_rules_are_filled_where_there_are_any() -> None:
    obj = build(behavior={"scaleDown": {"selectPolicy": "Disabled", "policies": []}})
    default_v2(obj)
    behavior = obj["spec"]["behavior"]
    assert behavior["scaleDown"] == {"selectPolicy": "Disabled", "policies": []}
    assert [each["type"] for each in behavior["scaleUp"]["policies"]] == ["Pods", "Percent"]
    assert behavior["scaleUp"]["stabilizationWindowSeconds"] == 0
    assert told(validate_spec(obj["spec"])) == [
        "spec.behavior.scaleDown.policies: Required value: must specify at least one Policy"
    ]


@pytest.mark.parametrize("version", [V1, V2])
def test_the_status_is_the_servers(version: str) -> None:
    obj = convert(build(metrics=[CPU]), version)
    obj["status"] = {"desiredReplicas": 9}
    AutoscalerStrategy(namespaced=True).prepare_for_create(obj)
    assert (obj["apiVersion"], obj["status"]["desiredReplicas"]) == (version, 0)


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ({"maxReplicas": 0}, ["spec.maxReplicas: Required value: must be set and greater than 0"]),
        ({"maxReplicas": -1}, ["spec.maxReplicas: Invalid value: -1: must be greater than or equal to 1"]),
        (
            {"minReplicas": 5},
            ["spec.maxReplicas: Invalid value: 3: must be greater than or equal to `minReplicas`"],
        ),
        (
            {"minReplicas": 0},
            [
                "spec.minReplicas: Invalid value: 0: must be greater than or equal to 1",
                "spec.metrics: Forbidden: must specify at least one Object or External metric to support scaling to "
                "zero replicas",
            ],
        ),
        (
            {"scaleTargetRef": {"kind": "a/b", "apiVersion": "v1"}},
            [
                "spec.scaleTargetRef.kind: Invalid value: \"a/b\": may not contain '/'",
                "spec.scaleTargetRef.name: Required value",
                'spec.scaleTargetRef.apiVersion: Invalid value: "v1": apiVersion must specify API group',
            ],
        ),
        (
            {"metrics": [{"type": "Pods", **{key: CPU[key] for key in ("resource",)}}]},
            [
                "spec.metrics[0].pods: Required value: must populate information for the given metric source",
            ],
        ),
        (
            {"metrics": [{**MEMORY, **ALL_METRICS[3], "type": "Resource"}]},
            ["spec.metrics[0].external: Forbidden: must populate the given metric source only"],
        ),
        (  # a plain text at first, then one of a type of its own
            {"metrics": [of_container("<")]},
            [
                'spec.metrics[0].containerResource.name: Invalid value: "<": name part must consist of alphanumeric '
                "characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  "
                "or 'my.name',  or '123-abc', regex used for validation is "
                "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
                'spec.metrics[0].containerResource.name: Invalid value: "\\u003c": must be a standard resource for '
                "containers",
            ],
        ),
        (
            {"behavior": {"scaleUp": {"policies": [{"type": "Odd"}], "tolerance": "-1"}}},
            [
                'spec.behavior.scaleUp.policies[0].type: Unsupported value: "Odd": supported values: "Percent", "Pods"',
                "spec.behavior.scaleUp.policies[0].value: Invalid value: 0: must be greater than zero",
                "spec.behavior.scaleUp.policies[0].periodSeconds: Invalid value: 0: must be greater than zero",
                'spec.behavior.scaleUp.tolerance: Invalid value: "-1": must be greater than or equal to 0',
            ],
        ),
    ],
)
def test_refused_specs(spec: dict[str, Any], expected: list[str]) -> None:
    assert told(validate_spec({**build()["spec"], **spec})) == expected


def test_what_was_wrong_before_may_stay_so() -> None:
    spec = {**build()["spec"], "scaleTargetRef": {"kind": "K", "name": "n"}, "minReplicas": 0, "metrics": ALL_METRICS}
    assert validate_spec(spec)
    assert validate_spec_update(spec, spec) == []


@pytest.mark.parametrize(
    ("version", "kind", "is_taken"),
    [
        ("v1", "ReplicationController", True),
        ("", "ReplicationController", True),
        ("v1", "Deployment", False),
        ("", "Deployment", False),
    ],
)
def test_of_all_that_is_scaled_replication_controllers_have_no_group(version: str, kind: str, is_taken: bool) -> None:
    spec = {**build()["spec"], "scaleTargetRef": {"kind": kind, "name": "n", "apiVersion": version}}
    refused = [f'spec.scaleTargetRef.apiVersion: Invalid value: "{version}": apiVersion must specify API group']
    assert told(validate_spec(spec)) == ([] if is_taken else refused)
    assert told(validate_spec_update(spec, build()["spec"])) == ([] if is_taken else refused)
    assert validate_spec_update({**spec, "maxReplicas": 7}, spec) == [], "what stays as it is is not looked at"


def test_an_odd_version_of_a_replication_controller_is_refused() -> None:
    spec = {
        **build()["spec"],
        "scaleTargetRef": {"kind": "ReplicationController", "name": "n", "apiVersion": "a/b/c"},
    }
    text = 'spec.scaleTargetRef.apiVersion: Invalid value: "a/b/c": unexpected GroupVersion string: a/b/c'
    assert told(validate_spec(spec)) == [text]


def test_another_kind_with_the_version_of_before_is_looked_at() -> None:
    before = {**build()["spec"], "scaleTargetRef": {"kind": "ReplicationController", "name": "n", "apiVersion": "v1"}}
    after = {**before, "scaleTargetRef": {"kind": "Deployment", "name": "n", "apiVersion": "v1"}}
    assert len(validate_spec_update(after, before)) == 1


CURRENT: dict[str, Any] = {
    "desiredReplicas": 2,
    "currentMetrics": [
        {"type": "Resource", "resource": {"name": "cpu", "current": {"averageUtilization": 5}}},
        {"type": "Pods", "pods": {"metric": {"name": "m"}, "current": {"averageUtilization": 7, "value": "3"}}},
    ],
}


def test_who_writes_in_v1_leaves_of_the_status_what_v1_cannot_tell() -> None:
    old = convert({**build(metrics=[CPU]), "status": CURRENT}, V1)
    new = copy_value(old)
    new["spec"]["maxReplicas"] = 9
    AutoscalerStrategy(namespaced=True).prepare_for_update(new, old)
    stored = convert(new, V2)
    assert stored["status"] == CURRENT
    assert stored["spec"]["maxReplicas"] == 9


def test_who_writes_the_status_in_v1_leaves_of_the_spec_what_v1_cannot_tell() -> None:
    wanted = [CPU, {**MEMORY, "resource": {"name": "memory", "target": {"type": "Value", "value": "1"}}}]
    old = convert(build(metrics=wanted), V1)
    new = copy_value(old)
    new["status"]["currentCPUUtilizationPercentage"] = 5
    AutoscalerStatusStrategy(namespaced=True).prepare_for_update(new, old)
    stored = convert(new, V2)
    assert stored["spec"]["metrics"] == wanted
    assert stored["status"]["currentMetrics"] == CURRENT["currentMetrics"][:1]


def test_what_a_client_sends_in_v1_is_all_that_it_tells() -> None:
    old = convert({**build(metrics=[CPU]), "status": CURRENT}, V1)
    pods = convert(copy_value(old), V2)["status"]["currentMetrics"][1]["pods"]
    assert pods["current"] == {"averageValue": "0"}


@pytest.mark.parametrize("text", ["[]", "null"])
def test_no_current_metrics_in_the_annotation_hide_the_percentage(text: str) -> None:
    told = build(V1)
    told["metadata"]["annotations"] = {roundtrip.CURRENT_METRICS: text}
    told["status"] = {"desiredReplicas": 0, "currentReplicas": 0, "currentCPUUtilizationPercentage": 5}
    assert not convert(told, V2)["status"]["currentMetrics"]


@pytest.mark.parametrize(
    ("version", "given", "is_less"),
    [
        (V1, {"ScaleUp": {"StabilizationWindowSeconds": 10}}, True),
        (V1, {"ScaleUp": {"SelectPolicy": "Min"}, "ScaleDown": {}}, True),
        (V1, None, False),
        (V2, {"scaleUp": {"stabilizationWindowSeconds": 10}}, False),
    ],
)
def test_a_behavior_of_v1_is_completed_when_the_object_is_read(
    version: str, given: dict[str, Any] | None, is_less: bool
) -> None:
    obj = build(version)
    if given is not None and version == V1:
        obj["metadata"]["annotations"] = {"autoscaling.alpha.kubernetes.io/behavior": json.dumps(given)}
    elif given is not None:
        obj["spec"]["behavior"] = given
    (default_v1 if version == V1 else default_v2)(obj)
    strategy = AutoscalerStrategy(namespaced=True)
    strategy.prepare_for_create(obj)
    assert strategy.is_stored_with_less(obj, is_new=True, dry_run=False) is is_less


def test_versions_are_compared_by_what_an_object_says() -> None:
    """Metrics come in another order back from v1, in the live object as in the new one."""
    live = convert(build(metrics=[CPU, MEMORY]), V1)
    assert convert(live, V2)["spec"]["metrics"] == [CPU, MEMORY]
    assert convert_written(live, V2)["spec"]["metrics"] == [MEMORY, CPU]


def test_what_admission_in_v1_does_not_tell_stays() -> None:
    behavior = {"scaleUp": {"stabilizationWindowSeconds": 5}}
    known = build(metrics=[MEMORY], behavior=behavior)
    known["status"]["conditions"] = [{"type": "AbleToScale", "status": "True"}]
    shown = convert_written(known, V1)
    del shown["metadata"]["annotations"]
    shown["spec"]["minReplicas"] = 2
    made = convert_onto(shown, known, V2)
    assert made["spec"] == {**known["spec"], "minReplicas": 2}
    assert made["status"]["conditions"] == known["status"]["conditions"]
    shown["spec"]["targetCPUUtilizationPercentage"] = 60
    assert convert_onto(shown, known, V2)["spec"]["metrics"] == [CPU]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ([MEMORY], [MEMORY, MEMORY]),
        ([MEMORY, MEMORY], [MEMORY, MEMORY, MEMORY, {"type": ""}]),
        ([CPU], [CPU]),
        ([CPU, MEMORY], [MEMORY, CPU]),
    ],
)
@pytest.mark.parametrize("version", [V1, V2])
def test_metrics_that_admission_saw_in_v1_are_counted_again(before: Any, after: Any, version: str) -> None:
    """A mistake of upstream: what is known is put behind what the annotation tells."""
    known = build(metrics=before)
    made = convert_onto(convert_written(known, V1), convert_written(known, version), version)
    assert made["apiVersion"] == version
    assert convert_written(made, V2)["spec"]["metrics"][: len(after)] == after


def test_what_admission_made_of_an_object_in_v2_is_all_of_it() -> None:
    known, made = build(metrics=[MEMORY]), build(metrics=[CPU])
    assert convert_onto(made, known, V2)["spec"]["metrics"] == [CPU]
