"""Conditions of a CustomResourceDefinition's status. Source: apiextensions/helpers.go."""

from __future__ import annotations

from typing import Any, Final

from quarterdeck.apimachinery import clock

ESTABLISHED: Final = "Established"
NAMES_ACCEPTED: Final = "NamesAccepted"
NON_STRUCTURAL_SCHEMA: Final = "NonStructuralSchema"
TERMINATING: Final = "Terminating"
KUBERNETES_API_APPROVAL: Final = "KubernetesAPIApprovalPolicyConformant"

Condition = dict[str, Any]


def find(definition: dict[str, Any], kind: str) -> Condition | None:
    conditions = (definition.get("status") or {}).get("conditions") or []
    return next((condition for condition in conditions if condition.get("type") == kind), None)


def is_true(definition: dict[str, Any], kind: str) -> bool:
    condition = find(definition, kind)
    return condition is not None and condition.get("status") == "True"


def build(kind: str, status: str, reason: str, message: str) -> Condition:
    return {"type": kind, "status": status, "lastTransitionTime": clock.now(), "reason": reason, "message": message}


def with_condition(conditions: list[Condition] | None, wanted: Condition) -> list[Condition]:
    """A new list in which `wanted` stands in the place of the one of its type; the transition time moves only when
    the status does."""
    result = list(conditions or [])
    for position, existing in enumerate(result):
        if existing["type"] == wanted["type"]:
            kept = dict(wanted)
            if existing["status"] == wanted["status"]:
                kept["lastTransitionTime"] = existing.get("lastTransitionTime")
            result[position] = kept
            return result
    result.append(wanted)
    return result


def without_condition(conditions: list[Condition] | None, kind: str) -> list[Condition]:
    return [condition for condition in conditions or [] if condition["type"] != kind]
