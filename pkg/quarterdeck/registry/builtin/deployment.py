"""Deployments as data: nobody rolls them out.

Source: pkg/registry/apps/deployment/strategy.go, pkg/apis/apps/v1/defaults.go, pkg/apis/apps/validation/validation.go.
"""

from __future__ import annotations

import re
from typing import Final

from quarterdeck.apimachinery import field, labels, names, requirements
from quarterdeck.apimachinery.field import FieldError, GoText
from quarterdeck.registry.builtin.podspec import default_pod_spec
from quarterdeck.registry.builtin.podvalidation import checks, warnings
from quarterdeck.registry.builtin.podvalidation.spec import validate_template
from quarterdeck.registry.builtin.strategy import BuiltinStrategy
from quarterdeck.registry.strategy import Object

_STRATEGIES: Final = ("Recreate", "RollingUpdate")
_COUNTS: Final = (
    "observedGeneration",
    "replicas",
    "updatedReplicas",
    "readyReplicas",
    "availableReplicas",
    "unavailableReplicas",
    "terminatingReplicas",
    "collisionCount",
)
_NAME_WARNING: Final = (
    "metadata.name: this is used in Pod names and hostnames, which can result in surprising behavior; "
    "a DNS label is recommended: "
)

_percent = re.compile(r"([0-9]+)%\Z", re.ASCII).match
_number = re.compile(r"[+-]?[0-9]+\Z", re.ASCII).match


def default_deployment(obj: Object) -> None:
    spec = obj["spec"]
    default_pod_spec(spec["template"]["spec"])
    spec.setdefault("replicas", 1)
    strategy = spec["strategy"]
    strategy.setdefault("type", "RollingUpdate")
    if strategy["type"] == "RollingUpdate":
        rolling = strategy.setdefault("rollingUpdate", {})
        rolling.setdefault("maxUnavailable", "25%")
        rolling.setdefault("maxSurge", "25%")
    spec.setdefault("revisionHistoryLimit", 10)
    spec.setdefault("progressDeadlineSeconds", 600)


class DeploymentStrategy(BuiltinStrategy):
    has_generation = True

    def default_new(self, obj: Object) -> None:
        obj["metadata"]["generation"] = 1
        obj["status"] = {}

    def keep(self, new: Object, old: Object) -> None:
        new["status"] = old.get("status", {})
        # Annotations count too: a rollout may have been noted there.
        before, after = old["metadata"].get("annotations") or {}, new["metadata"].get("annotations") or {}
        if new["spec"] != old.get("spec") or after != before:
            new["metadata"]["generation"] = old["metadata"].get("generation", 0) + 1

    def check(self, obj: Object) -> list[FieldError]:
        return _validate_spec(obj["spec"])

    def check_update(self, new: Object, old: Object) -> list[FieldError]:
        problems = self.check(new)
        if new["spec"].get("selector") != old["spec"].get("selector"):
            problems.append(field.invalid("spec.selector", new["spec"].get("selector"), "field is immutable"))
        return problems

    def validate(self, obj: Object, warnings_: list[str]) -> list[FieldError]:
        problems = super().validate(obj, warnings_)
        if not problems:
            if texts := names.dns1123_label(obj["metadata"]["name"]):
                warnings_.append(f"{_NAME_WARNING}[{' '.join(texts)}]")
            warnings_.extend(warnings.of_template(obj["spec"]["template"], "spec.template"))
        return problems

    def validate_update(self, new: Object, old: Object, warnings_: list[str]) -> list[FieldError]:
        problems = super().validate_update(new, old, warnings_)
        if not problems and new["metadata"].get("generation") != old["metadata"].get("generation"):
            warnings_.extend(warnings.of_template(new["spec"]["template"], "spec.template"))
        return problems


class DeploymentStatusStrategy(DeploymentStrategy):
    def keep(self, new: Object, old: Object) -> None:
        new["spec"] = old.get("spec", {})
        if "labels" in old["metadata"]:
            new["metadata"]["labels"] = old["metadata"]["labels"]
        else:
            new["metadata"].pop("labels", None)

    def check_update(self, new: Object, old: Object) -> list[FieldError]:
        status, before = new["status"], old.get("status") or {}
        problems: list[FieldError] = []
        for name in _COUNTS:
            problems += checks.not_negative(f"status.{name}", status.get(name) or 0)
        total, ready = status.get("replicas", 0), status.get("readyReplicas", 0)
        for name in ("updatedReplicas", "readyReplicas", "availableReplicas"):
            if (count := status.get(name, 0)) > total:
                problems.append(field.invalid(f"status.{name}", count, "cannot be greater than status.replicas"))
        if (available := status.get("availableReplicas", 0)) > ready:
            problems.append(
                field.invalid("status.availableReplicas", available, "cannot be greater than readyReplicas")
            )
        collisions, earlier = status.get("collisionCount"), before.get("collisionCount")
        if earlier is not None and (collisions is None or collisions < earlier):
            problems.append(field.invalid("status.collisionCount", collisions or 0, "cannot be decremented"))
        return problems


def _validate_spec(spec: Object) -> list[FieldError]:
    problems = checks.not_negative("spec.replicas", spec.get("replicas", 0))
    problems += _validate_selector(spec)
    problems += _validate_strategy("spec.strategy", spec["strategy"])
    ready_s = spec.get("minReadySeconds", 0)
    problems += checks.not_negative("spec.minReadySeconds", ready_s)
    problems += checks.not_negative("spec.revisionHistoryLimit", spec.get("revisionHistoryLimit", 0))
    if (deadline := spec.get("progressDeadlineSeconds")) is not None:
        problems += checks.not_negative("spec.progressDeadlineSeconds", deadline)
        if deadline <= ready_s:
            detail = "must be greater than minReadySeconds"
            problems.append(field.invalid("spec.progressDeadlineSeconds", deadline, detail))
    return problems


def _validate_selector(spec: Object) -> list[FieldError]:
    """The selector, and the template that it selects the pods of."""
    selector, problems = spec.get("selector"), []
    if selector is None:
        problems.append(field.required("spec.selector"))
    else:
        problems += checks.label_selector("spec.selector", selector)
        if not selector:
            problems.append(field.invalid("spec.selector", {}, "empty selector is invalid for deployment"))
    template_labels = (spec["template"].get("metadata") or {}).get("labels")
    try:
        compiled = labels.from_label_selector(selector)
    except requirements.SelectorError:
        return [*problems, field.invalid("spec.selector", selector, "invalid label selector")]
    if (selector is None or selector) and not compiled.matches(template_labels or {}):
        detail = "`selector` does not match template `labels`"
        problems.append(field.invalid("spec.template.metadata.labels", template_labels, detail))
    return problems + _validate_template(spec)


def _validate_template(spec: Object) -> list[FieldError]:
    """A template whose pods are replaced."""
    problems = validate_template(spec["template"], "spec.template")
    pod_spec = spec["template"]["spec"]
    if spec.get("replicas", 0) > 1:
        for position, volume in enumerate(pod_spec.get("volumes") or []):
            disk = volume.get("gcePersistentDisk")
            if disk is not None and not disk.get("readOnly"):
                at = field.index("spec.template.spec.volumes", position)
                detail = (
                    "must be true for replicated pods > 1; GCE PD can only be mounted on multiple machines if it is "
                    "read-only"
                )
                problems.append(field.invalid(f"{at}.gcePersistentDisk.readOnly", False, detail))
    problems += checks.one_of("spec.template.spec.restartPolicy", pod_spec.get("restartPolicy", ""), ("Always",))
    if pod_spec.get("activeDeadlineSeconds") is not None:
        detail = "activeDeadlineSeconds in ReplicaSet is not Supported"
        problems.append(field.forbidden("spec.template.spec.activeDeadlineSeconds", detail))
    return problems


def _validate_strategy(path: str, strategy: Object) -> list[FieldError]:
    kind, rolling = strategy.get("type", ""), strategy.get("rollingUpdate")
    if kind not in _STRATEGIES:
        return [field.not_supported(path, _shown_strategy(kind, rolling), list(_STRATEGIES))]
    if kind == "Recreate":
        if rolling is None:
            return []
        detail = "may not be specified when strategy `type` is 'Recreate'"
        return [field.forbidden(f"{path}.rollingUpdate", detail)]
    if rolling is None:
        return [field.required(f"{path}.rollingUpdate", "this should be defaulted and never be nil")]
    unavailable, surge = rolling.get("maxUnavailable", 0), rolling.get("maxSurge", 0)
    problems = _count_or_percent(f"{path}.rollingUpdate.maxUnavailable", unavailable)
    problems += _count_or_percent(f"{path}.rollingUpdate.maxSurge", surge)
    if not _amount(unavailable) and not _amount(surge):
        detail = "may not be 0 when `maxSurge` is 0"
        problems.append(field.invalid(f"{path}.rollingUpdate.maxUnavailable", unavailable, detail))
    if isinstance(unavailable, str) and _percent(unavailable) and _amount(unavailable) > 100:
        detail = "must not be greater than 100%"
        problems.append(field.invalid(f"{path}.rollingUpdate.maxUnavailable", unavailable, detail))
    return problems


def _shown_strategy(kind: str, rolling: Object | None) -> GoText:
    """As Go prints the type that upstream works with inside."""
    shown = None
    if rolling is not None:
        shown = {"MaxUnavailable": rolling.get("maxUnavailable", 0), "MaxSurge": rolling.get("maxSurge", 0)}
    return GoText(checks.in_order({"Type": kind, "RollingUpdate": shown}))


def _count_or_percent(path: str, value: int | str) -> list[FieldError]:
    if isinstance(value, int):
        return checks.not_negative(path, value)
    if _percent(value):
        return []
    text = "a valid percent string must be a numeric string followed by an ending '%'"
    return [field.invalid(path, value, names.regex_text(text, "[0-9]+%", "1%", "93%"))]


def _amount(value: int | str) -> int:
    """What counts of a number or a percentage."""
    if isinstance(value, int):
        return value
    if match := _percent(value):
        return int(match[1][:20])
    return int(value[:20]) if _number(value) else 0
