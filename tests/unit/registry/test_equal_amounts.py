"""An amount that is written otherwise is no change: it is not refused, and there is no new generation."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from quarterdeck.registry.builtin.apps import resources as apps
from quarterdeck.registry.builtin.batch import resources as batch
from quarterdeck.registry.builtin.core import resources as core
from quarterdeck.registry.builtin.resource import resources as resource
from quarterdeck.storage.cacher import Cacher
from support.builtin_kind import BuiltinKind
from support.memory_store import MemoryStore

Object = dict[str, Any]


def _kinds() -> dict[str, BuiltinKind]:
    cacher = Cacher(MemoryStore())
    found = [*core.definitions(), *apps.definitions(), *batch.definitions(), *resource.definitions(cacher)]
    return {each.resource.kind: BuiltinKind(each) for each in found}


KINDS = _kinds()


def pods(amount: str) -> Object:
    container = {"name": "c", "image": "i", "resources": {"limits": {"memory": amount}}}
    return {"containers": [container], "restartPolicy": "Always"}


def template(amount: str) -> Object:
    return {"metadata": {"labels": {"a": "b"}}, "spec": pods(amount)}


def workload(amount: str) -> Object:
    return {"selector": {"matchLabels": {"a": "b"}}, "template": template(amount)}


def claim(amount: str) -> Object:
    wanted = {"deviceClassName": "c", "allocationMode": "ExactCount", "capacity": {"requests": {"m": amount}}}
    return {"devices": {"requests": [{"name": "r", "exactly": wanted}]}}


def members(kind: str, amount: str) -> Object:
    pods_of_job = {**template(amount), "spec": {**pods(amount), "restartPolicy": "Never"}}
    job = {"template": pods_of_job}
    selected = {"manualSelector": True, "selector": {"matchLabels": {"a": "b"}}, **job}
    volume = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": amount}}}
    made: dict[str, Object] = {
        "Pod": {"spec": pods(amount)},
        "PodTemplate": {"template": template(amount)},
        "ReplicationController": {"spec": {"selector": {"a": "b"}, "template": template(amount)}},
        "StatefulSet": {
            "spec": {**workload(amount), "volumeClaimTemplates": [{"metadata": {"name": "v"}, "spec": volume}]}
        },
        "Job": {"spec": selected},
        "CronJob": {"spec": {"schedule": "@daily", "jobTemplate": {"spec": job}}},
        "ResourceClaim": {"spec": claim(amount)},
        "ResourceClaimTemplate": {"spec": {"spec": claim(amount)}},
        "ResourceSlice": {
            "spec": {
                "driver": "d",
                "nodeName": "n",
                "pool": {"name": "p", "resourceSliceCount": 1},
                "devices": [{"name": "d", "capacity": {"m": {"value": amount}}}],
            }
        },
    }
    return made.get(kind, {"spec": workload(amount)})


@pytest.mark.parametrize(
    "kind",
    [
        "Pod",
        "PodTemplate",
        "ReplicationController",
        "Deployment",
        "ReplicaSet",
        "StatefulSet",
        "DaemonSet",
        "Job",
        "CronJob",
        "ResourceClaim",
        "ResourceClaimTemplate",
        "ResourceSlice",
    ],
)
def test_an_equal_amount_is_no_change(kind: str) -> None:
    metadata = {"metadata": {"generation": 1}}
    old, new, other = ({**members(kind, amount), **metadata} for amount in ("1Gi", "1073741824", "2Gi"))
    assert KINDS[kind].decode(copy.deepcopy(new)) != KINDS[kind].decode(copy.deepcopy(old))
    assert KINDS[kind].update(new, old)["metadata"]["generation"] == 1
    assert KINDS[kind].refusals_of_update(new, old) == []
    changed = KINDS[kind].update(other, old)["metadata"]["generation"]
    assert changed == 2 or KINDS[kind].refusals_of_update(other, old)
