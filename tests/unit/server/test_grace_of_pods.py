"""How long a pod that runs somewhere is given to end."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from quarterdeck.apimachinery.time import as_duration_s, parse_rfc3339
from support import in_process

PODS = "/api/v1/namespaces/default/pods"
INT64_MAX = 2**63 - 1
POD = {"metadata": {"name": "p"}, "spec": {"nodeName": "n", "containers": [{"name": "c", "image": "i"}]}}


@pytest.mark.parametrize(
    ("seconds", "duration_s"),
    [(0, 0), (30, 30), (INT64_MAX // 10**9, INT64_MAX // 10**9), (INT64_MAX, -1), (-INT64_MAX - 1, 0)],
)
def test_seconds_become_a_duration_of_nanoseconds_that_wraps(seconds: int, duration_s: float) -> None:
    assert as_duration_s(seconds) == duration_s


@pytest.mark.parametrize("first", [INT64_MAX, INT64_MAX // 10**9 + 1, 10**12])
async def test_any_number_of_seconds_is_taken(tmp_path: Path, first: int) -> None:
    async with in_process.running(tmp_path) as server:
        assert (await server.call("POST", PODS, POD)).status == 201
        for grace_s in (first, first - 1):
            answer = await server.call("DELETE", f"{PODS}/p", {"gracePeriodSeconds": grace_s})
            assert isinstance(answer.body, bytes)
            assert answer.status == 200, answer.body
            metadata = json.loads(answer.body)["metadata"]
            assert parse_rfc3339(metadata["deletionTimestamp"]) is not None
            assert metadata["deletionGracePeriodSeconds"] in (grace_s, 1)


@pytest.mark.parametrize(("condition", "status"), [("!has", 422), ("true || has", 200)])
async def test_a_pod_without_time_to_end_is_admitted_again_as_it_goes(
    tmp_path: Path, condition: str, status: int
) -> None:
    rule = {"apiGroups": [""], "apiVersions": ["v1"], "operations": ["DELETE"], "resources": ["pods"]}
    policy = {
        "metadata": {"name": "once"},
        "spec": {
            "matchConstraints": {"resourceRules": [rule]},
            "validations": [{"expression": f"{condition}(oldObject.metadata.deletionTimestamp)"}],
        },
    }
    binding = {"metadata": {"name": "once"}, "spec": {"policyName": "once", "validationActions": ["Deny"]}}
    registration = "/apis/admissionregistration.k8s.io/v1"
    async with in_process.running(tmp_path) as server:
        assert (await server.call("POST", f"{registration}/validatingadmissionpolicies", policy)).status == 201
        assert (await server.call("POST", f"{registration}/validatingadmissionpolicybindings", binding)).status == 201
        assert (await server.call("POST", PODS, POD)).status == 201
        assert (await server.call("DELETE", f"{PODS}/p?gracePeriodSeconds=0&dryRun=All")).status == 200
        assert (await server.call("DELETE", f"{PODS}/p?gracePeriodSeconds=0")).status == status
        left = await server.call("GET", f"{PODS}/p")
        assert left.status == (200 if status == 422 else 404)
        if left.status == 200:
            assert isinstance(left.body, bytes)
            assert json.loads(left.body)["metadata"]["deletionGracePeriodSeconds"] == 0
