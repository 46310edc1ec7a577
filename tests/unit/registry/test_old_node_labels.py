"""Old names of nodes' labels, and what an update tells of metadata once more."""

from __future__ import annotations

from typing import Any

import pytest

from quarterdeck.registry.builtin import resources
from quarterdeck.storage.cacher import Cacher
from support.builtin_kind import BuiltinKind, Object
from support.memory_store import MemoryStore

KINDS = {each.resource.kind: BuiltinKind(each) for each in resources.definitions(Cacher(MemoryStore()))}
OLD, OLDER = "beta.kubernetes.io/arch", "beta.kubernetes.io/os"
ARCH = 'deprecated since v1.14; use "kubernetes.io/arch" instead'
SYSTEM = 'deprecated since v1.14; use "kubernetes.io/os" instead'
TERM: Object = {"matchLabelExpressions": [{"key": "a", "values": ["b"]}, {"key": OLD, "values": ["b"]}]}
TOPOLOGY: Object = {"matchLabels": {OLDER: "x", "a": "b"}, "matchExpressions": [{"key": OLD, "operator": "Exists"}]}


@pytest.mark.parametrize(
    ("kind", "members", "expected"),
    [
        (
            "StorageClass",
            {"provisioner": "a.dev/p", "allowedTopologies": [TERM]},
            [f"allowedTopologies[0].matchLabelExpressions[1].key: {ARCH}"],
        ),
        (
            "CSIStorageCapacity",
            {"storageClassName": "c", "nodeTopology": TOPOLOGY},
            [
                f"nodeTopology.matchExpressions[0].key: {OLD} is {ARCH}",
                f"nodeTopology.matchLabels.{OLDER}: {SYSTEM}",
            ],
        ),
        (
            "RuntimeClass",
            {"handler": "h", "scheduling": {"nodeSelector": {OLDER: "x", OLD: "y", "a": "b"}}},
            [f"scheduling.nodeSelector: {ARCH}", f"scheduling.nodeSelector: {SYSTEM}"],
        ),
    ],
)
def test_old_labels_are_warned_of(kind: str, members: dict[str, Any], expected: list[str]) -> None:
    assert KINDS[kind].warnings(members) == expected
    assert KINDS[kind].warnings_of_update(members, members) == expected


def test_tolerations_that_differ_in_how_long_they_last_are_alike() -> None:
    one = {"key": "t", "operator": "Exists", "effect": "NoExecute"}
    found = KINDS["RuntimeClass"].refusals(
        {
            "handler": "h",
            "scheduling": {"tolerations": [one, {**one, "tolerationSeconds": 5}, {**one, "effect": "NoSchedule"}]},
        }
    )
    assert found == [
        'scheduling.tolerations[1]: Duplicate value: {"Key":"t","Operator":"Exists","Value":"","Effect":"NoExecute",'
        '"TolerationSeconds":5}'
    ]


@pytest.mark.parametrize(
    ("kind", "members", "times"),
    [
        ("RuntimeClass", {"handler": "h"}, 4),
        ("Role", {}, 4),
        ("ClusterRoleBinding", {"roleRef": {"kind": "ClusterRole", "name": "r"}}, 4),
        ("PriorityClass", {}, 3),
        ("PodDisruptionBudget", {"spec": {}}, 2),
    ],
)
def test_a_wrong_label_is_told_as_often_as_upstream_looks(kind: str, members: dict[str, Any], times: int) -> None:
    found = KINDS[kind].refusals_of_update({**members, "metadata": {"labels": {"a b": "c"}}}, members)
    assert [each.partition(":")[0] for each in found] == ["metadata.labels"] * times
