"""Conditions of a CustomResourceDefinition's status. Source: apiextensions/helpers.go."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from quarterdeck.apimachinery import clock

ESTABLISHED: Final = "Established"
NAMES_ACCEPTED: Final = "NamesAccepted"
NON_STRUCTURAL_SCHEMA: Final = "NonStructuralSchema"
TERMINATING: Final = "Terminating"
KUBERNETES_API_APPROVAL: Final = "KubernetesAPIApprovalPolicyConformant"

Condition = dict[str, Any]


def find(definition: Mapping[str, Any], kind: str) -> Condition | None:
    conditions = (definition.get("status") or {}).get("conditions") or []
    return next((condition for condition in conditions if condition.get("type") == kind), None)


def is_true(definition: dict[str, Any], kind: str) -> bool:
    condition = find(definition, kind)
    return condition is not None and condition.get("status") == "True"


def build(kind: str, status: str, reason: str, message: str) -> Condition:
    return {"type": kind, "status": status, "lastTransitionTime": clock.now(), "reason": reason, "message": message}


def with_condition(conditions: list[Condition] | None, wanted: Condition) -> list[Condition]:
    """A new list in which the condition of this type says what `wanted` says; its transition time moves only when its
    status does, or where it had none."""
    result = list(conditions or [])
    for position, existing in enumerate(result):
        if existing.get("type") == wanted["type"]:
            changed = {**existing, **{name: wanted[name] for name in ("status", "reason", "message")}}
            if existing.get("status") != wanted["status"] or not existing.get("lastTransitionTime"):
                changed["lastTransitionTime"] = wanted["lastTransitionTime"]
            result[position] = changed
            return result
    result.append(wanted)
    return result


def without_condition(conditions: list[Condition] | None, kind: str) -> list[Condition]:
    return [condition for condition in conditions or [] if condition.get("type") != kind]


def says_the_same(condition: Condition | None, wanted: Condition | None) -> bool:
    """Apart from the transition time."""
    if condition is None or wanted is None:
        return condition is wanted
    return all((condition.get(name) or "") == wanted[name] for name in ("status", "reason", "message"))
