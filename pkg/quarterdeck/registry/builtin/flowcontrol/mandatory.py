"""The objects that every server has, and that nobody may give another spec.

Source: pkg/apis/flowcontrol/bootstrap/default.go, pkg/apis/flowcontrol/internalbootstrap/default-internal.go.
"""

from __future__ import annotations

from typing import Any, Final

_EVERYTHING: Final = {
    "resourceRules": [
        {"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"], "clusterScope": True, "namespaces": ["*"]}
    ],
    "nonResourceRules": [{"verbs": ["*"], "nonResourceURLs": ["*"]}],
}


def group(name: str) -> dict[str, Any]:
    return {"kind": "Group", "group": {"name": name}}


def build_schema(level: str, precedence: int, method: str, *subjects: dict[str, Any], **rules: Any) -> dict[str, Any]:
    """The spec of a flow schema, for everything that its subjects ask where `rules` say no more."""
    spec: dict[str, Any] = {"priorityLevelConfiguration": {"name": level}, "matchingPrecedence": precedence}
    if method:
        spec["distinguisherMethod"] = {"type": method}
    spec["rules"] = [{"subjects": list(subjects), **(rules or _EVERYTHING)}]
    return spec


ANYBODY: Final = (group("system:unauthenticated"), group("system:authenticated"))
SCHEMAS: Final = {
    "exempt": build_schema("exempt", 1, "", group("system:masters")),
    "catch-all": build_schema("catch-all", 10000, "ByUser", *ANYBODY),
}
LEVELS: Final[dict[str, dict[str, Any]]] = {
    "exempt": {"type": "Exempt", "exempt": {"nominalConcurrencyShares": 0, "lendablePercent": 0}},
    "catch-all": {
        "type": "Limited",
        "limited": {"nominalConcurrencyShares": 5, "limitResponse": {"type": "Reject"}, "lendablePercent": 0},
    },
}
