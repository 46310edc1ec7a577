"""What an APIService has to look like."""

from __future__ import annotations

from typing import Any

import pytest

from quarterdeck.registry.builtin.apiregistration.apiservice import (
    APIServiceStatusStrategy,
    APIServiceStrategy,
    default_api_service,
)

GOOD = {"group": "example.com", "version": "v1", "groupPriorityMinimum": 10, "versionPriority": 10}
SERVICE = {"namespace": "ns", "name": "svc", "port": 443}


def build(**spec: Any) -> dict[str, Any]:
    return {
        "apiVersion": "apiregistration.k8s.io/v1",
        "kind": "APIService",
        "metadata": {"name": "v1.example.com", "uid": "u", "creationTimestamp": "2026-01-01T00:00:00Z"},
        "spec": {**GOOD, **spec},
    }


def texts(**spec: Any) -> list[str]:
    return [str(problem) for problem in APIServiceStrategy(namespaced=False).validate(build(**spec), [])]


@pytest.mark.parametrize(
    ("spec", "wanted"),
    [
        ({}, []),
        ({"service": SERVICE, "insecureSkipTLSVerify": True}, []),
        ({"service": SERVICE, "caBundle": "bm8="}, []),
        (
            {"version": "v2"},
            ['metadata.name: Invalid value: "v1.example.com": must be `spec.version+"."+spec.group`: "v2.example.com"'],
        ),
        (
            {"groupPriorityMinimum": 0, "versionPriority": 1001},
            [
                "spec.groupPriorityMinimum: Invalid value: 0: must be positive and less than 20000",
                "spec.versionPriority: Invalid value: 1001: must be positive and less than 1000",
            ],
        ),
        (
            {"caBundle": "bm8=", "insecureSkipTLSVerify": True},
            [
                'spec.caBundle: Invalid value: "2 bytes": local APIServices may not have a caBundle',
                "spec.insecureSkipTLSVerify: Invalid value: true: local APIServices may not have insecureSkipTLSVerify",
            ],
        ),
        (
            {"service": {**SERVICE, "port": 65536}},
            ["spec.service.port: Invalid value: 65536: port is not valid: must be between 1 and 65535, inclusive"],
        ),
        (
            {"service": {}, "insecureSkipTLSVerify": True, "caBundle": "bm8="},
            [
                "spec.service.namespace: Required value",
                "spec.service.name: Required value",
                "spec.insecureSkipTLSVerify: Invalid value: true: may not be true if caBundle is present",
            ],
        ),
    ],
)
def test_each_rule_has_its_text(spec: dict[str, Any], wanted: list[str]) -> None:
    assert texts(**spec) == wanted


def test_only_the_core_group_is_empty() -> None:
    text = "spec.group: Required value: only v1 may have an empty group and it better be legacy kube"
    assert text in texts(group="", version="v2")
    assert text not in texts(group="")


def test_a_local_one_is_available_at_once() -> None:
    local, remote = build(), build(service=dict(SERVICE))
    for obj in (local, remote):
        APIServiceStrategy(namespaced=False).prepare_for_create(obj)
    assert [one["reason"] for one in local["status"]["conditions"]] == ["Local"]
    assert remote["status"] == {}


def test_the_port_of_a_service_is_443_unless_told() -> None:
    obj = build(service={"namespace": "ns", "name": "svc"})
    default_api_service(obj)
    assert obj["spec"]["service"]["port"] == 443


def test_status_and_the_rest_are_written_apart() -> None:
    old = {**build(), "status": {"conditions": []}}
    new = {**build(versionPriority=20), "status": {"conditions": [{"type": "Odd", "status": "Maybe"}]}}
    APIServiceStatusStrategy(namespaced=False).prepare_for_update(new, old)
    assert new["spec"] == old["spec"]
    problems = APIServiceStatusStrategy(namespaced=False).check_update(new, old)
    wanted = 'status.conditions[0].status: Unsupported value: "Maybe": supported values: "True", "False", "Unknown"'
    assert [str(problem) for problem in problems] == [wanted]
    new = {**build(versionPriority=20), "status": {"conditions": [{"type": "Odd", "status": "True"}]}}
    APIServiceStrategy(namespaced=False).prepare_for_update(new, old)
    assert new["status"] == old["status"]


def test_any_finalizer_will_do() -> None:
    new = build()
    new["metadata"]["finalizers"] = ["plain"]
    new["metadata"]["resourceVersion"] = "1"
    for strategy in (APIServiceStrategy(namespaced=False), APIServiceStatusStrategy(namespaced=False)):
        assert strategy.validate_update(new, build(), []) == []
