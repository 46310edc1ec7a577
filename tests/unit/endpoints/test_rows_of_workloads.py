"""What tables say of jobs, pods and quotas."""

from __future__ import annotations

import json
from typing import Any

import pytest

from quarterdeck.endpoints.table.builtin import convertor_for

Object = dict[str, Any]


def cells(group: str, kind: str, obj: Object) -> dict[str, Any]:
    convertor = convertor_for(group, kind)
    row = json.loads(convertor.row({"metadata": {"name": "x"}, **obj}, 0.0, b"null"))
    names = [each["name"] for each in convertor.column_definitions]
    return dict(zip(names, row["cells"], strict=False))


def condition(kind: str, status: str) -> Object:
    return {"type": kind, "status": status}


@pytest.mark.parametrize(
    ("conditions", "expected"),
    [
        ([], "Running"),
        ([condition("Suspended", "True")], "Suspended"),
        ([condition("Suspended", "False"), condition("Suspended", "True")], "Running"),
        ([condition("Suspended", "True"), condition("Suspended", "False")], "Suspended"),
        ([condition("Suspended", "True"), condition("Failed", "True")], "Failed"),
    ],
)
def test_of_several_conditions_of_a_type_the_first_counts(conditions: list[Object], expected: str) -> None:
    assert cells("batch", "Job", {"status": {"conditions": conditions}})["Status"] == expected


DAY = "2024-01-02T00:00:00Z"


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        ({}, ""),
        ({"startTime": "2024-01-01T00:00:00Z", "completionTime": DAY}, "24h"),
        ({"startTime": None}, "292y"),
        ({"startTime": None, "completionTime": DAY}, "292y"),
        ({"startTime": DAY, "completionTime": None}, "<invalid>"),
    ],
)
def test_how_long_a_job_took_that_began_or_ended_at_the_zero_time(status: Object, expected: str) -> None:
    assert cells("batch", "Job", {"status": status})["Duration"] == expected


@pytest.mark.parametrize(("status", "expected"), [({}, "<none>"), ({"lastScheduleTime": None}, "<unknown>")])
def test_when_a_cron_job_was_scheduled_last(status: Object, expected: str) -> None:
    assert cells("batch", "CronJob", {"status": status})["Last Schedule"] == expected


def ended(reason: str = "", code: int = 0) -> Object:
    return {"state": {"terminated": {"exitCode": code, "reason": reason}}}


RUNS: Object = {"state": {"running": {}}, "ready": True}
RUNS_UNREADY: Object = {"state": {"running": {}}, "ready": False}
READY = [condition("Ready", "True")]


@pytest.mark.parametrize(
    ("containers", "conditions", "expected"),
    [
        ([ended("Completed"), ended("Completed")], [], "Completed"),
        ([ended("Completed"), ended("Error", 1)], [], "Error"),
        ([ended("Error", 1), ended("Completed")], [], "Error"),
        ([ended("Completed"), ended("", 1)], [], "ExitCode:1"),
        ([ended("Completed"), RUNS], READY, "Running"),
        ([ended("Completed"), RUNS], [], "NotReady"),
        ([ended("Completed"), RUNS, ended("Error", 1)], READY, "Running"),
        ([ended("Completed"), RUNS, ended("Error", 1)], [], "Error"),
        ([ended("Completed"), RUNS_UNREADY, ended("Error", 1)], [], "Error"),
    ],
)
def test_a_container_that_failed_shows_beside_one_that_completed(
    containers: list[Object], conditions: list[Object], expected: str
) -> None:
    status = {"phase": "Running", "containerStatuses": containers, "conditions": conditions}
    assert cells("", "Pod", {"status": status})["Status"] == expected


@pytest.mark.parametrize(
    ("initialized", "restarts"), [(["False"], "5"), (["True"], "3"), (["False", "True"], "5"), (["True", "False"], "3")]
)
def test_restarts_of_a_pod_that_is_initialized_are_those_of_its_containers_and_sidecars(
    initialized: list[str], restarts: str
) -> None:
    spec = {"initContainers": [{"name": "s", "restartPolicy": "Always"}, {"name": "i"}], "containers": [{"name": "c"}]}
    init = [
        {"name": "s", "restartCount": 2, "started": True, "state": {"running": {}}},
        {"name": "i", "restartCount": 3, "state": {"waiting": {"reason": "CrashLoopBackOff"}}},
    ]
    status = {
        "initContainerStatuses": init,
        "containerStatuses": [{"name": "c", "restartCount": 1, **RUNS}],
        "conditions": [condition("Initialized", each) for each in initialized],
    }
    assert cells("", "Pod", {"spec": spec, "status": status})["Restarts"] == restarts


@pytest.mark.parametrize(
    ("states", "expected"), [([], "0/1"), (["True"], "1/1"), (["False", "True"], "0/1"), (["True", "False"], "1/1")]
)
def test_a_readiness_gate_is_what_the_first_condition_of_its_type_says(states: list[str], expected: str) -> None:
    status = {"conditions": [condition("x/gate", each) for each in states]}
    row = cells("", "Pod", {"spec": {"readinessGates": [{"conditionType": "x/gate"}]}, "status": status})
    assert row["Readiness Gates"] == expected


def test_amounts_of_a_quota_are_limits_where_a_dot_follows_the_word() -> None:
    hard = {"limits": "1", "limits.cpu": "2", "limits-a.b/x": "3", "limitsx/y": "4", "pods": "5"}
    row = cells("", "ResourceQuota", {"status": {"hard": hard, "used": {"limits.cpu": "1"}}})
    assert row["Limit"] == "limits.cpu: 1/2"
    assert row["Request"] == "limits: 0/1, limits-a.b/x: 0/3, limitsx/y: 0/4, pods: 0/5"
