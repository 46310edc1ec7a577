"""Deployments as data: nobody rolls them out.

Source: pkg/registry/apps/deployment/strategy.go, pkg/apis/apps/v1/defaults.go, pkg/apis/apps/validation/validation.go.
"""

from __future__ import annotations

from typing import Any, Final

from quarterdeck.apimachinery import field, labels
from quarterdeck.apimachinery.field import FieldError
from quarterdeck.registry.builtin.podspec import default_pod_spec, validate_pod_spec
from quarterdeck.registry.builtin.strategy import BuiltinStrategy
from quarterdeck.registry.strategy import Object

_COUNTS: Final = ("replicas", "updatedReplicas", "readyReplicas", "availableReplicas", "unavailableReplicas")
_NOT_NEGATIVE: Final = "must be greater than or equal to 0"


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
            # Shown first: upstream puts the immutable fields before the rest.
            problems.insert(0, field.invalid("spec.selector", new["spec"].get("selector"), "field is immutable"))
        return problems


class DeploymentStatusStrategy(DeploymentStrategy):
    def keep(self, new: Object, old: Object) -> None:
        new["spec"] = old.get("spec", {})
        if "labels" in old["metadata"]:
            new["metadata"]["labels"] = old["metadata"]["labels"]
        else:
            new["metadata"].pop("labels", None)

    def check_update(self, new: Object, old: Object) -> list[FieldError]:
        status = new["status"]
        problems = [
            field.invalid(f"status.{name}", status[name], _NOT_NEGATIVE) for name in _COUNTS if status.get(name, 0) < 0
        ]
        total, ready = status.get("replicas", 0), status.get("readyReplicas", 0)
        for name in ("updatedReplicas", "readyReplicas", "availableReplicas"):
            if status.get(name, 0) > total:
                detail = "cannot be greater than status.replicas"
                problems.append(field.invalid(f"status.{name}", status[name], detail))
        if status.get("availableReplicas", 0) > ready:
            detail = "cannot be greater than readyReplicas"
            problems.append(field.invalid("status.availableReplicas", status["availableReplicas"], detail))
        return problems


def _validate_spec(spec: Object) -> list[FieldError]:
    problems = [
        field.invalid(f"spec.{name}", spec[name], _NOT_NEGATIVE)
        for name in ("replicas", "minReadySeconds", "revisionHistoryLimit", "progressDeadlineSeconds")
        if spec.get(name, 0) < 0
    ]
    problems += _validate_selector(spec)
    problems += validate_pod_spec(spec["template"]["spec"], "spec.template.spec")
    policy = spec["template"]["spec"].get("restartPolicy", "")
    if policy in ("Never", "OnFailure"):
        problems.append(field.not_supported("spec.template.spec.restartPolicy", policy, ["Always"]))
    problems += _validate_strategy(spec["strategy"])
    deadline = spec.get("progressDeadlineSeconds", 600)
    if 0 <= deadline <= spec.get("minReadySeconds", 0):
        detail = "must be greater than minReadySeconds"
        problems.append(field.invalid("spec.progressDeadlineSeconds", deadline, detail))
    return problems


def _validate_selector(spec: Object) -> list[FieldError]:
    selector = spec.get("selector")
    if selector is None:
        return [field.required("spec.selector")]
    if not selector:
        return [field.invalid("spec.selector", selector, "empty selector is invalid for deployment")]
    template_labels: dict[str, str] = (spec["template"].get("metadata") or {}).get("labels") or {}
    try:
        matches = labels.from_label_selector(selector).matches(template_labels)
    except labels.SelectorError:
        return [field.invalid("spec.selector", selector, "invalid label selector")]
    if matches:
        return []
    detail = "`selector` does not match template `labels`"
    return [field.invalid("spec.template.metadata.labels", template_labels, detail)]


def _validate_strategy(strategy: dict[str, Any]) -> list[FieldError]:
    kind = strategy.get("type", "")
    if kind == "Recreate":
        if "rollingUpdate" in strategy:
            detail = "may not be specified when strategy `type` is 'Recreate'"
            return [field.forbidden("spec.strategy.rollingUpdate", detail)]
        return []
    if kind != "RollingUpdate":
        return [field.not_supported("spec.strategy.type", kind, ["Recreate", "RollingUpdate"])]
    rolling = strategy.get("rollingUpdate") or {}
    if all(str(rolling.get(name, 0)).removesuffix("%") == "0" for name in ("maxUnavailable", "maxSurge")):
        detail = "may not be 0 when `maxSurge` is 0"
        return [field.invalid("spec.strategy.rollingUpdate.maxUnavailable", rolling.get("maxUnavailable"), detail)]
    return []
