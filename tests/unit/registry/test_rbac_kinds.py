"""What roles and bindings are refused for, and how their members are filled in."""

from __future__ import annotations

from typing import Any

import pytest

from quarterdeck.registry.builtin.rbac.bindings import (
    ClusterRoleBindingStrategy,
    RoleBindingStrategy,
    default_binding,
)
from quarterdeck.registry.builtin.rbac.roles import ClusterRoleStrategy, RoleStrategy

GROUP = "rbac.authorization.k8s.io"
REF = {"apiGroup": GROUP, "kind": "ClusterRole", "name": "r"}
METADATA = {"name": "a b:c"}


def told(problems: list[Any]) -> list[str]:
    return [str(problem) for problem in problems]


@pytest.mark.parametrize(
    ("rule", "texts"),
    [
        ({"verbs": ["get"], "apiGroups": [""], "resources": ["x"]}, []),
        ({"verbs": ["get"], "nonResourceURLs": ["/x"]}, []),
        (
            {},
            [
                "rules[0].verbs: Required value: verbs must contain at least one value",
                "rules[0].apiGroups: Required value: resource rules must supply at least one api group",
                "rules[0].resources: Required value: resource rules must supply at least one resource",
            ],
        ),
        (
            {"verbs": ["get"], "nonResourceURLs": ["/x"], "resourceNames": ["n"]},
            [
                'rules[0].nonResourceURLs: Invalid value: ["/x"]: rules cannot apply to both regular resources and'
                " non-resource URLs"
            ],
        ),
    ],
)
def test_what_is_wrong_with_a_rule_is_told(rule: dict[str, Any], texts: list[str]) -> None:
    assert told(ClusterRoleStrategy().check({"metadata": METADATA, "rules": [rule]})) == texts


@pytest.mark.parametrize("strategy", [RoleStrategy(namespaced=True), ClusterRoleStrategy()])
def test_admission_sees_an_empty_list_of_rules_that_is_stored_as_none(strategy: RoleStrategy) -> None:
    role: dict[str, Any] = {"metadata": {"name": "r"}, "rules": []}
    strategy.prepare_for_create(role)
    assert role["rules"] == []
    strategy.prepare_for_update(role, {**role, "rules": None})
    assert role["rules"] == []
    assert not strategy.is_stored_with_less(role, is_new=True, dry_run=False)
    assert role["rules"] is None


def test_rules_of_a_namespace_have_no_paths() -> None:
    (text,) = told(RoleStrategy(namespaced=True).check({"rules": [{"verbs": ["get"], "nonResourceURLs": ["/x"]}]}))
    assert text.endswith('["/x"]: namespaced rules cannot apply to non-resource URLs')


def test_an_aggregation_selects_something_that_can_be_read() -> None:
    strategy = ClusterRoleStrategy()
    assert told(strategy.check({"aggregationRule": {}})) == [
        "aggregationRule.clusterRoleSelectors: Required value: at least one clusterRoleSelector required if"
        " aggregationRule is non-nil"
    ]
    texts = told(strategy.check({"aggregationRule": {"clusterRoleSelectors": [{"matchLabels": {"a b": "c"}}]}}))
    assert texts[1] == "aggregationRule.clusterRoleSelectors[0]: Invalid value: null: invalid label selector."


@pytest.mark.parametrize(
    ("subject", "texts"),
    [
        ({"kind": "User", "apiGroup": GROUP, "name": "u"}, []),
        ({"kind": "User", "apiGroup": GROUP}, ["subjects[0].name: Required value"]),
        ({"kind": "ServiceAccount", "name": "s", "namespace": "n"}, []),
        ({"kind": "ServiceAccount", "name": "s"}, ["subjects[0].namespace: Required value"]),
        (
            {"kind": "ServiceAccount", "name": "s", "namespace": "n", "apiGroup": "g"},
            ['subjects[0].apiGroup: Unsupported value: "g": supported values: ""'],
        ),
        (
            {"kind": "Group", "apiGroup": "g", "name": "n"},
            [f'subjects[0].apiGroup: Unsupported value: "g": supported values: "{GROUP}"'],
        ),
        (
            {"kind": "X", "name": "n"},
            ['subjects[0].kind: Unsupported value: "X": supported values: "ServiceAccount", "User", "Group"'],
        ),
    ],
)
def test_what_is_wrong_with_a_subject_is_told(subject: dict[str, str], texts: list[str]) -> None:
    assert told(ClusterRoleBindingStrategy().check({"roleRef": REF, "subjects": [subject]})) == texts


def test_a_binding_keeps_its_role() -> None:
    metadata = {**METADATA, "resourceVersion": "1"}
    old = {"metadata": metadata, "roleRef": REF}
    new = {"metadata": metadata, "roleRef": {**REF, "kind": "Role"}}
    assert told(RoleBindingStrategy(namespaced=True).check_update(new, old)) == [
        f'roleRef: Invalid value: {{"APIGroup":"{GROUP}","Kind":"Role","Name":"r"}}: cannot change roleRef'
    ]
    assert told(ClusterRoleBindingStrategy().check({"roleRef": {"kind": "Role"}})) == [
        f'roleRef.apiGroup: Unsupported value: "": supported values: "{GROUP}"',
        'roleRef.kind: Unsupported value: "Role": supported values: "ClusterRole"',
        "roleRef.name: Required value",
    ]


def test_groups_are_filled_in() -> None:
    obj: dict[str, Any] = {"roleRef": {"kind": "Role", "name": "r"}}
    obj["subjects"] = [{"kind": kind, "name": "n"} for kind in ("User", "Group", "ServiceAccount")]
    default_binding(obj)
    assert [obj["roleRef"]["apiGroup"], *(each.get("apiGroup", "") for each in obj["subjects"])] == [GROUP] * 3 + [""]
