"""A time that is sent with a part of a second is another than the one that is stored, until it is stored itself."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from support import in_process
from support.in_process import InProcess

MERGE = "application/merge-patch+json"
WHOLE, HALF, SAME = "2020-01-01T00:00:00Z", "2020-01-01T00:00:00.5Z", "2020-01-01T01:00:00.0000000001+01:00"
POD = {"restartPolicy": "Always", "containers": [{"name": "c", "image": "i"}]}
JOB = {"template": {"spec": {**POD, "restartPolicy": "Never"}}}
SELECTED = {"selector": {"matchLabels": {"a": "b"}}, "template": {"metadata": {"labels": {"a": "b"}}, "spec": POD}}
CLAIM = {
    "metadata": {"name": "v"},
    "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": 1}}},
}
REQUESTED = {"devices": {"requests": [{"name": "r", "exactly": {"deviceClassName": "c"}}]}}


async def send(server: InProcess, method: str, path: str, body: Any, kind: str = MERGE) -> dict[str, Any]:
    answer = await server.call(method, path, body, kind if method == "PATCH" else "application/json")
    assert isinstance(answer.body, bytes)
    found: dict[str, Any] = json.loads(answer.body)
    return found


def within(place: str, value: Any) -> dict[str, Any]:
    """An object with the value at that place."""
    for name in reversed(place.split(".")):
        value = {name: value}
    assert isinstance(value, dict)
    return value


COUNTED = [
    ("apps/v1", "deployments", {"spec": SELECTED}, "spec.template.metadata"),
    ("apps/v1", "replicasets", {"spec": SELECTED}, "spec.template.metadata"),
    ("apps/v1", "daemonsets", {"spec": SELECTED}, "spec.template.metadata"),
    ("apps/v1", "statefulsets", {"spec": {**SELECTED, "serviceName": "s"}}, "spec.template.metadata"),
    ("v1", "replicationcontrollers", {"spec": {**SELECTED, "selector": {"a": "b"}}}, "spec.template.metadata"),
    ("v1", "podtemplates", {"template": SELECTED["template"]}, "template.metadata"),
    (
        "batch/v1",
        "cronjobs",
        {"spec": {"schedule": "@daily", "jobTemplate": {"spec": JOB}}},
        "spec.jobTemplate.metadata",
    ),
    (
        "batch/v1",
        "cronjobs",
        {"spec": {"schedule": "@daily", "jobTemplate": {"spec": JOB}}},
        "spec.jobTemplate.spec.template.metadata",
    ),
]


@pytest.mark.parametrize(("api_version", "resource", "body", "place"), COUNTED)
async def test_an_update_counts_it_as_a_change(
    tmp_path: Path, api_version: str, resource: str, body: dict[str, Any], place: str
) -> None:
    prefix = "/api/" if api_version == "v1" else "/apis/"
    path = f"{prefix}{api_version}/namespaces/default/{resource}"
    async with in_process.running(tmp_path) as server:
        await send(server, "POST", path, {"metadata": {"name": "a"}, **body})
        sent = [
            {name: value if name != "managedFields" else [{"time": value}]}
            for name in ("creationTimestamp", "deletionTimestamp", "managedFields")
            for value in (WHOLE, SAME, HALF, HALF)
        ]
        answers = [await send(server, "PATCH", f"{path}/a", within(place, each)) for each in sent]
        counts = [each["metadata"]["generation"] for each in answers]
        assert counts == [2, 2, 3, 4, 5, 5, 6, 7, 8, 8, 9, 10]
        if resource == "daemonsets":
            assert answers[-1]["metadata"]["annotations"]["deprecated.daemonset.template.generation"] == "10"


async def refuse(server: InProcess, path: str, place: str, *, taken: tuple[str, ...] = (WHOLE, SAME)) -> str:
    for value in taken:
        found = await send(server, "PATCH", path, within(place, value))
        assert found["kind"] != "Status", found
    message: str = (await send(server, "PATCH", path, within(place, HALF)))["message"]
    return message


async def test_a_job_keeps_its_template_and_its_begin(tmp_path: Path) -> None:
    async with in_process.running(tmp_path) as server:
        jobs = "/apis/batch/v1/namespaces/default/jobs"
        await send(server, "POST", jobs, {"metadata": {"name": "a"}, "spec": JOB})
        told = await refuse(server, f"{jobs}/a", "spec.template.metadata.creationTimestamp", taken=())
        assert "spec.template: Invalid value: " in told
        told = await refuse(server, f"{jobs}/a/status", "status.startTime")
        assert told.endswith("field is immutable for unsuspended job once set")


async def test_the_end_of_a_job_is_compared_with_its_begin_and_stays(tmp_path: Path) -> None:
    async with in_process.running(tmp_path) as server:
        path = "/apis/batch/v1/namespaces/default/jobs"
        await send(server, "POST", path, {"metadata": {"name": "a"}, "spec": JOB})
        conditions = [{"type": each, "status": "True"} for each in ("Complete", "SuccessCriteriaMet")]
        ended = {"conditions": conditions, "startTime": HALF, "completionTime": WHOLE}
        told = await send(server, "PATCH", f"{path}/a/status", {"status": ended})
        assert "must be equal to or after `startTime`" in told["message"]
        done = await send(server, "PATCH", f"{path}/a/status", {"status": {**ended, "completionTime": HALF}})
        assert done["status"]["completionTime"] == WHOLE
        assert "status.completionTime" in await refuse(server, f"{path}/a/status", "status.completionTime")


async def test_claims_of_a_set_stay_as_they_are(tmp_path: Path) -> None:
    async with in_process.running(tmp_path) as server:
        path = "/apis/apps/v1/namespaces/default/statefulsets"
        conditions = [{"type": "a", "status": "True", "lastProbeTime": WHOLE, "lastTransitionTime": WHOLE}]
        claim = {**CLAIM, "status": {"conditions": conditions}}
        spec = {**SELECTED, "serviceName": "s", "volumeClaimTemplates": [claim]}
        obj = {"metadata": {"name": "a"}, "spec": spec}
        await send(server, "POST", path, obj)
        for name in ("lastProbeTime", "lastTransitionTime"):
            conditions[0][name] = HALF
            assert "Forbidden" in (await send(server, "PUT", f"{path}/a", obj))["message"]
            conditions[0][name] = SAME
        assert (await send(server, "PUT", f"{path}/a", obj))["kind"] == "StatefulSet"
        claim["metadata"] = {"name": "v", "creationTimestamp": HALF}
        assert "Forbidden" in (await send(server, "PUT", f"{path}/a", obj))["message"]


async def test_an_allocation_stays_as_it_is(tmp_path: Path) -> None:
    async with in_process.running(tmp_path) as server:
        path = "/apis/resource.k8s.io/v1/namespaces/default/resourceclaims"
        await send(server, "POST", path, {"metadata": {"name": "a"}, "spec": REQUESTED})
        results = [{"request": "r", "driver": "d.e", "pool": "p", "device": "x"}]
        allocation = {"allocationTimestamp": WHOLE, "devices": {"results": results}}
        await send(server, "PATCH", f"{path}/a/status", {"status": {"allocation": allocation}})
        told = await refuse(server, f"{path}/a/status", "status.allocation.allocationTimestamp")
        assert told.endswith("field is immutable")


@pytest.mark.parametrize("name", ["firstTimestamp", "lastTimestamp"])
async def test_times_of_an_old_event_stay_as_they_are(tmp_path: Path, name: str) -> None:
    async with in_process.running(tmp_path) as server:
        about = {"kind": "Pod", "namespace": "default", "name": "x"}
        event = {"metadata": {"name": "a"}, "involvedObject": about, "firstTimestamp": WHOLE, "lastTimestamp": WHOLE}
        await send(server, "POST", "/api/v1/namespaces/default/events", event)
        path = "/apis/events.k8s.io/v1/namespaces/default/events/a"
        told = await refuse(server, path, f"deprecated{name[0].upper()}{name[1:]}")
        assert told.endswith("field is immutable")
        assert (await send(server, "PATCH", path, {"metadata": {"labels": {"a": "b"}}}))["kind"] == "Event"
