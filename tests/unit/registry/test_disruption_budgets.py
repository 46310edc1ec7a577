"""Pod disruption budgets: what is refused."""

from __future__ import annotations

import pytest

from quarterdeck.registry.builtin.policy import resources
from support.builtin_kind import BuiltinKind, Object

BUDGET = BuiltinKind(resources.definitions()[0])


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ({}, []),
        ({"minAvailable": "50%"}, []),
        ({"minAvailable": -1}, ["spec.minAvailable: Invalid value: -1: must be greater than or equal to 0"]),
        ({"maxUnavailable": "101%"}, ['spec.maxUnavailable: Invalid value: "101%": must not be greater than 100%']),
        (
            {"minAvailable": 1, "maxUnavailable": "1%"},
            [
                'spec: Invalid value: {"MinAvailable":1,"Selector":null,"MaxUnavailable":"1%",'
                '"UnhealthyPodEvictionPolicy":null}: minAvailable and maxUnavailable cannot be both set'
            ],
        ),
        (
            {"unhealthyPodEvictionPolicy": "Odd"},
            [
                'spec.unhealthyPodEvictionPolicy: Unsupported value: "Odd": supported values: "AlwaysAllow", '
                '"IfHealthyBudget"'
            ],
        ),
    ],
)
def test_what_is_refused(spec: Object, expected: list[str]) -> None:
    assert BUDGET.refusals({"spec": spec}) == expected


def test_any_path_segment_is_a_name() -> None:
    assert BUDGET.refusals({"metadata": {"name": "A b", "finalizers": ["plain"]}, "spec": {}}) == []


def test_metadata_is_looked_at_where_the_spec_is_right() -> None:
    metadata = {"name": "a/b"}
    assert BUDGET.refusals({"metadata": metadata, "spec": {}}) == [
        "metadata.name: Invalid value: \"a/b\": may not contain '/'"
    ]
    assert BUDGET.refusals({"metadata": metadata, "spec": {"minAvailable": -1}}) == [
        "spec.minAvailable: Invalid value: -1: must be greater than or equal to 0"
    ]


def test_conditions_of_a_status() -> None:
    condition = {"type": "", "status": "Odd", "observedGeneration": -1, "reason": "x y", "lastTransitionTime": None}
    found = BUDGET.refusals_of_update({"spec": {}, "status": {"conditions": [condition]}}, {"spec": {}}, "status")
    assert [each.partition(": a condition")[0].removeprefix("status.conditions[0].") for each in found] == [
        'type: Invalid value: "": name part must be non-empty',
        "type: Invalid value: \"\": name part must consist of alphanumeric characters, '-', '_' or '.', and must "
        "start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for "
        "validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
        'status: Unsupported value: "Odd": supported values: "False", "True", "Unknown"',
        "observedGeneration: Invalid value: -1: must be greater than or equal to zero",
        "lastTransitionTime: Required value",
        'reason: Invalid value: "x y"',
    ]


def test_counts_of_a_status() -> None:
    assert BUDGET.refusals_of_update({"spec": {}, "status": {"expectedPods": -1}}, {"spec": {}}, "status") == [
        "status.expectedPods: Invalid value: -1: must be greater than or equal to 0"
    ]


LABEL = "pdb.kubernetes.io/deprecated-v1beta1-empty-selector-match"


def requirement(operator: str, key: str = LABEL, **more: list[str]) -> Object:
    return {"key": key, "operator": operator, **more}


@pytest.mark.parametrize(
    ("selector", "shown"),
    [
        ({}, {}),
        ({"matchExpressions": [requirement("Exists")]}, {"matchExpressions": [requirement("Exists")]}),
        ({"matchExpressions": [requirement("DoesNotExist")]}, {}),
        ({"matchExpressions": [requirement("Odd")]}, {}),
        ({"matchExpressions": [requirement("Exists", values=["a"])]}, {}),
        ({"matchLabels": {"a": "b"}, "matchExpressions": [requirement("Exists")]}, {"matchLabels": {"a": "b"}}),
        (
            {"matchExpressions": [requirement("Exists"), requirement("Exists", "k")]},
            {"matchExpressions": [requirement("Exists", "k")]},
        ),
    ],
)
def test_what_old_versions_told_apart_selectors_by_is_dropped(selector: Object, shown: Object) -> None:
    """But for the selector that it makes select nothing."""
    assert BUDGET.create({"spec": {"selector": selector}})["spec"]["selector"] == shown
    assert BUDGET.refusals({"spec": {"selector": selector}}) == []
