"""What is told of a namespace that is being emptied: its conditions.

Source: pkg/controller/namespace/deletion/status_condition_utils.go.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from quarterdeck.apimachinery import clock

_DONE: Final = (
    ("NamespaceDeletionDiscoveryFailure", "ResourcesDiscovered", "All resources successfully discovered"),
    ("NamespaceDeletionGroupVersionParsingFailure", "ParsedGroupVersions", "All legacy kube types successfully parsed"),
    (
        "NamespaceDeletionContentFailure",
        "ContentDeleted",
        "All content successfully deleted, may be waiting on finalization",
    ),
    ("NamespaceContentRemaining", "ContentRemoved", "All content successfully removed"),
    ("NamespaceFinalizersRemaining", "ContentHasNoFinalizers", "All content-preserving finalizers finished"),
)


@dataclass(slots=True)
class NamespaceContent:
    """What is left of a namespace: objects by resource, their finalizers, and why some could not be deleted.
    `undiscovered`: versions of other servers that do not tell what they serve, with why. `unexpected`: resources
    of which objects are left though nothing holds them. `waits_for_pods`: nothing but pods was looked at."""

    remaining: Counter[str] = field(default_factory=Counter)
    finalizers: Counter[str] = field(default_factory=Counter)
    failures: list[str] = field(default_factory=list)
    unexpected: list[str] = field(default_factory=list)
    undiscovered: Sequence[str] = ()
    waits_for_pods: bool = False


def describe_left(namespace: str, group: str, version: str, resource: str) -> str:
    """Of objects that nothing holds."""
    shown = f"{group}/{version}, Resource={resource}"
    return f"unexpected items still remain in namespace: {namespace} for gvr: {shown}"


def build_conditions(existing: list[dict[str, Any]], content: NamespaceContent) -> list[dict[str, Any]]:
    """The five conditions, each where it stands already, the others behind all that is there. A transition time moves
    only with its status."""
    problems = _describe(content)
    conditions = [dict(condition) for condition in existing]
    for kind, reason, message in _DONE:
        status = "False"
        if kind in problems:
            status = "True"
            reason, message = problems[kind]
        found = next((condition for condition in conditions if condition.get("type") == kind), None)
        if found is None:
            found = {"type": kind, "status": status, "lastTransitionTime": clock.now()}
            conditions.append(found)
        elif found.get("status") != status:
            found["status"], found["lastTransitionTime"] = status, clock.now()
        found["reason"], found["message"] = reason, message
    return conditions


def _describe(content: NamespaceContent) -> dict[str, tuple[str, str]]:
    """Reason and message of each condition that does not hold."""
    problems = {}
    if content.undiscovered:
        texts = ", ".join(content.undiscovered)
        message = (
            f"Discovery failed for some groups, {len(content.undiscovered)} failing: "
            f"unable to retrieve the complete list of server APIs: {texts}"
        )
        problems["NamespaceDeletionDiscoveryFailure"] = ("DiscoveryFailed", message)
    if failures := [*content.failures, *content.unexpected]:
        message = f"Failed to delete all resource types, {len(failures)} remaining: {', '.join(sorted(failures))}"
        problems["NamespaceDeletionContentFailure"] = ("ContentDeletionFailed", message)
    if content.waits_for_pods:
        return problems  # upstream tells of what remains only once pods are gone (kubernetes/kubernetes#138208)
    if content.remaining:
        texts = ", ".join(sorted(f"{one} has {count} resource instances" for one, count in content.remaining.items()))
        problems["NamespaceContentRemaining"] = ("SomeResourcesRemain", f"Some resources are remaining: {texts}")
    if content.finalizers:
        texts = ", ".join(sorted(f"{one} in {count} resource instances" for one, count in content.finalizers.items()))
        message = f"Some content in the namespace has finalizers remaining: {texts}"
        problems["NamespaceFinalizersRemaining"] = ("SomeFinalizersRemain", message)
    return problems
