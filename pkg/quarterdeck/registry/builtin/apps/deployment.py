"""Deployments as data: nobody rolls them out.

Source: pkg/registry/apps/deployment/strategy.go, pkg/apis/apps/v1/{defaults,conversion}.go,
pkg/apis/apps/validation/validation.go.
"""

from __future__ import annotations

from contextvars import ContextVar
from typing import Final

from quarterdeck.apimachinery import field, strconv
from quarterdeck.apimachinery.field import FieldError, GoText
from quarterdeck.registry.builtin import checks, rolling, semantic
from quarterdeck.registry.builtin.apps import templates
from quarterdeck.registry.builtin.apps.names import ROLLBACK
from quarterdeck.registry.builtin.core.poddisabled import PodSpecStrategy
from quarterdeck.registry.builtin.core.podspec import default_template
from quarterdeck.registry.builtin.core.podvalidation import warnings
from quarterdeck.registry.builtin.senttimes import SentTimes
from quarterdeck.registry.strategy import Object
from quarterdeck.schema.goscalar import DecodeError

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
TIMES: Final = SentTimes(metadata=("spec.template.metadata",))
# Whether the object that was decoded last in this task had that annotation, and empty: it says nothing and is not kept,
# yet the annotations differ.
_has_empty_rollback: ContextVar[bool] = ContextVar("a deployment with an empty rollback", default=False)


def default_deployment(obj: Object) -> None:
    spec = obj["spec"]
    default_template(spec["template"])
    spec.setdefault("replicas", 1)
    strategy = spec["strategy"]
    strategy.setdefault("type", "RollingUpdate")
    if strategy["type"] == "RollingUpdate":
        rolling = strategy.setdefault("rollingUpdate", {})
        rolling.setdefault("maxUnavailable", "25%")
        rolling.setdefault("maxSurge", "25%")
    spec.setdefault("revisionHistoryLimit", 10)
    spec.setdefault("progressDeadlineSeconds", 600)
    _has_empty_rollback.set((obj["metadata"].get("annotations") or {}).get(ROLLBACK) == "")
    _show_rollback(obj, _rollback_of(obj))


class DeploymentStrategy(PodSpecStrategy):
    """The revision to roll back to is a field of the spec inside upstream, which v1 shows as an annotation."""

    def default_new(self, obj: Object) -> None:
        obj["metadata"]["generation"] = 1
        obj["status"] = {}

    def keep(self, new: Object, old: Object) -> None:
        new["status"] = old.get("status", {})
        # Annotations count too: a rollout may have been noted there.
        before, after = old["metadata"].get("annotations") or {}, new["metadata"].get("annotations") or {}
        if after != before or _has_empty_rollback.get():
            new["metadata"]["generation"] = old["metadata"].get("generation", 0) + 1
        else:
            semantic.count_change(new, old, "spec", "apps", "DeploymentSpec", TIMES)

    def check(self, obj: Object) -> list[FieldError]:
        return _validate_spec(obj["spec"], _rollback_of(obj))

    def check_update(self, new: Object, old: Object) -> list[FieldError]:
        return self.check(new) + templates.keep_selector(new, old)

    def warn(self, obj: Object) -> list[str]:
        return [*warnings.of_name(obj), *templates.warn_of_template(obj)]

    def warn_of_update(self, new: Object, old: Object) -> list[str]:
        return templates.warn_of_new_template(new, old)


class DeploymentStatusStrategy(DeploymentStrategy):
    def keep(self, new: Object, old: Object) -> None:
        new["spec"] = old.get("spec", {})
        if "labels" in old["metadata"]:
            new["metadata"]["labels"] = old["metadata"]["labels"]
        else:
            new["metadata"].pop("labels", None)
        _show_rollback(new, _rollback_of(old))

    def check_update(self, new: Object, old: Object) -> list[FieldError]:
        status, before = new["status"], old.get("status") or {}
        problems: list[FieldError] = []
        for name in _COUNTS:
            problems += checks.not_negative(f"status.{name}", status.get(name) or 0)
        problems += templates.counts_within(status, ("updatedReplicas", "readyReplicas", "availableReplicas"))
        if (available := status.get("availableReplicas", 0)) > status.get("readyReplicas", 0):
            problems.append(
                field.invalid("status.availableReplicas", available, "cannot be greater than readyReplicas")
            )
        earlier = before.get("collisionCount")
        return problems + templates.not_decremented("status.collisionCount", status.get("collisionCount"), earlier)


def _rollback_of(obj: Object) -> int | None:
    """Raises DecodeError."""
    text = (obj["metadata"].get("annotations") or {}).get(ROLLBACK)
    if not text:
        return None
    try:
        return strconv.parse_int(text)
    except strconv.NumError as error:
        raise DecodeError(f"failed to parse annotation[{ROLLBACK}]={text} as int64: {error}") from error


def _show_rollback(obj: Object, revision: int | None) -> None:
    metadata = obj["metadata"]
    annotations = dict(metadata.get("annotations") or {})
    annotations.pop(ROLLBACK, None)
    if revision is not None:
        annotations[ROLLBACK] = str(revision)
    if annotations:
        metadata["annotations"] = annotations
    else:
        metadata.pop("annotations", None)


def _validate_spec(spec: Object, rollback: int | None) -> list[FieldError]:
    problems = checks.not_negative("spec.replicas", spec.get("replicas", 0))
    problems += templates.validate_selector(spec, "empty selector is invalid for deployment")
    if templates.is_readable(spec.get("selector")):
        problems += templates.validate_replicated(spec)
    problems += _validate_strategy("spec.strategy", spec["strategy"])
    ready_s = spec.get("minReadySeconds", 0)
    problems += checks.not_negative("spec.minReadySeconds", ready_s)
    problems += checks.not_negative("spec.revisionHistoryLimit", spec.get("revisionHistoryLimit", 0))
    if rollback is not None:
        problems += checks.not_negative("spec.rollback.version", rollback)
    if (deadline := spec.get("progressDeadlineSeconds")) is not None:
        problems += checks.not_negative("spec.progressDeadlineSeconds", deadline)
        if deadline <= ready_s:
            detail = "must be greater than minReadySeconds"
            problems.append(field.invalid("spec.progressDeadlineSeconds", deadline, detail))
    return problems


def _validate_strategy(path: str, strategy: Object) -> list[FieldError]:
    kind, update = strategy.get("type", ""), strategy.get("rollingUpdate")
    if kind not in _STRATEGIES:
        return [field.not_supported(path, _shown_strategy(kind, update), list(_STRATEGIES))]
    if kind == "Recreate":
        if update is None:
            return []
        detail = "may not be specified when strategy `type` is 'Recreate'"
        return [field.forbidden(f"{path}.rollingUpdate", detail)]
    if update is None:
        return [field.required(f"{path}.rollingUpdate", "this should be defaulted and never be nil")]
    unavailable, surge = update.get("maxUnavailable", 0), update.get("maxSurge", 0)
    at = f"{path}.rollingUpdate"
    problems = rolling.count_or_percent(f"{at}.maxUnavailable", unavailable)
    problems += rolling.count_or_percent(f"{at}.maxSurge", surge)
    if not rolling.amount(unavailable) and not rolling.amount(surge):
        problems.append(field.invalid(f"{at}.maxUnavailable", unavailable, "may not be 0 when `maxSurge` is 0"))
    return problems + rolling.not_more_than_all(f"{at}.maxUnavailable", unavailable)


def _shown_strategy(kind: str, rolling: Object | None) -> GoText:
    """As Go prints the type that upstream works with inside."""
    shown = None
    if rolling is not None:
        shown = {"MaxUnavailable": rolling.get("maxUnavailable", 0), "MaxSurge": rolling.get("maxSurge", 0)}
    return GoText(checks.in_order({"Type": kind, "RollingUpdate": shown}))
