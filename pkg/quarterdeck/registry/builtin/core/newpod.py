"""What the server writes into a new pod: a condition for its gates, selectors from label keys, AppArmor profiles.

Source: pkg/registry/core/pod/strategy.go (PrepareForCreate).
"""

from __future__ import annotations

from typing import Any, Final

from quarterdeck.apimachinery import clock, field
from quarterdeck.registry.builtin.core.podamounts import default_amounts, quality_of_service
from quarterdeck.registry.builtin.core.podspec import containers_of, round_up
from quarterdeck.registry.builtin.core.podvalidation import podannotations, security
from quarterdeck.registry.strategy import Object

_TERMS: Final = ("podAffinity", "podAntiAffinity")


def prepare(obj: Object) -> None:
    spec = obj["spec"]
    obj["metadata"]["generation"] = 1
    quality = (obj.get("status") or {}).get("qosClass") or quality_of_service(spec)  # what is told is believed
    obj["status"] = {"phase": "Pending", "qosClass": quality}
    if spec.get("schedulingGates"):
        obj["status"]["conditions"] = [_gated_condition()]
    _apply_label_keys(obj)
    # Whoever reads a stored pod defaults it: what admission gave its containers counts for the whole, and the overhead
    # of its runtime class, which is kept as it was written there, comes in thousandths.
    default_amounts(spec)
    round_up(spec.get("overhead"))


def _gated_condition() -> Object:
    return {
        "type": "PodScheduled",
        "status": "False",
        "lastProbeTime": None,
        "lastTransitionTime": clock.now(),
        "reason": "SchedulingGated",
        "message": "Scheduling is blocked due to non-empty scheduling gates",
    }


def _apply_label_keys(obj: Object) -> None:
    """Selectors that name keys get the values which the pod's labels have there."""
    spec, labels = obj["spec"], obj["metadata"].get("labels") or {}
    affinity = spec.get("affinity")
    for name in _TERMS if affinity else ():
        of_pods = affinity.get(name) or {}
        for weighted in of_pods.get("preferredDuringSchedulingIgnoredDuringExecution") or []:
            _extend_term(weighted.get("podAffinityTerm") or {}, labels)
        for term in of_pods.get("requiredDuringSchedulingIgnoredDuringExecution") or []:
            _extend_term(term, labels)
    for constraint in spec.get("topologySpreadConstraints") or []:
        _extend(constraint, "matchLabelKeys", "In", labels)


def _extend_term(term: Object, labels: dict[str, str]) -> None:
    _extend(term, "matchLabelKeys", "In", labels)
    _extend(term, "mismatchLabelKeys", "NotIn", labels)


def _extend(holder: Object, keys: str, operator: str, labels: dict[str, str]) -> None:
    selector = holder.get("labelSelector")
    if selector is None:  # which selects nothing
        return
    added: list[dict[str, Any]] = [
        {"key": key, "operator": operator, "values": [labels[key]]} for key in holder.get(keys) or [] if key in labels
    ]
    if added:
        selector["matchExpressions"] = [*(selector.get("matchExpressions") or []), *added]


def apply_app_armor(obj: Object) -> list[str]:
    """Profiles that annotations name become fields; the warnings of it."""
    spec, found = obj["spec"], obj["metadata"].get("annotations")
    if not found or (spec.get("os") or {}).get("name") == "windows":
        return []
    of_pod = (spec.get("securityContext") or {}).get("appArmorProfile")
    warnings: list[str] = []
    for container in containers_of(spec):
        key = f"{podannotations.APP_ARMOR}{container.get('name', '')}"
        if key not in found or (container.get("securityContext") or {}).get("appArmorProfile") is not None:
            continue
        profile = podannotations.app_armor_profile(found[key])
        if profile is not None and security.validate_app_armor("", profile):
            profile = None
        if profile is not None and profile != of_pod:
            container["securityContext"] = {**(container.get("securityContext") or {}), "appArmorProfile": profile}
        if profile is None or profile != of_pod:
            at = field.key("metadata.annotations", key)
            warnings.append(f'{at}: deprecated since v1.30; use the "appArmorProfile" field instead')
    return warnings
