"""Replica sets as data.

Source: pkg/registry/apps/replicaset/strategy.go, pkg/apis/apps/v1/defaults.go, pkg/apis/apps/validation/validation.go.
"""

from __future__ import annotations

from typing import Final

from quarterdeck.apimachinery import field
from quarterdeck.apimachinery.field import FieldError
from quarterdeck.registry.builtin import checks, semantic
from quarterdeck.registry.builtin.apps import templates
from quarterdeck.registry.builtin.core.poddisabled import PodSpecStrategy
from quarterdeck.registry.builtin.core.podspec import default_template
from quarterdeck.registry.builtin.core.podvalidation import warnings
from quarterdeck.registry.builtin.senttimes import SentTimes
from quarterdeck.registry.strategy import Object

_PARTS: Final = ("fullyLabeledReplicas", "readyReplicas", "availableReplicas")
_COUNTS: Final = ("replicas", *_PARTS, "observedGeneration", "terminatingReplicas")
TIMES: Final = SentTimes(metadata=("spec.template.metadata",))


def default_replica_set(obj: Object) -> None:
    default_template(obj["spec"]["template"])
    obj["spec"].setdefault("replicas", 1)


class ReplicaSetStrategy(PodSpecStrategy):
    def default_new(self, obj: Object) -> None:
        obj["metadata"]["generation"] = 1
        obj["status"] = {"replicas": 0}

    def keep(self, new: Object, old: Object) -> None:
        new["status"] = old.get("status", {})
        semantic.count_change(new, old, "spec", "apps", "ReplicaSetSpec", TIMES)

    def check(self, obj: Object) -> list[FieldError]:
        spec = obj["spec"]
        problems = checks.not_negative("spec.replicas", spec.get("replicas", 0))
        problems += checks.not_negative("spec.minReadySeconds", spec.get("minReadySeconds", 0))
        problems += templates.validate_selector(spec, "empty selector is invalid for deployment")
        if templates.is_readable(spec.get("selector")):
            problems += templates.validate_replicated(spec)
        return problems

    def check_update(self, new: Object, old: Object) -> list[FieldError]:
        return self.check(new) + templates.keep_selector(new, old)

    def warn(self, obj: Object) -> list[str]:
        return [*warnings.of_name(obj), *templates.warn_of_template(obj)]

    def warn_of_update(self, new: Object, old: Object) -> list[str]:
        return templates.warn_of_new_template(new, old)


class ReplicaSetStatusStrategy(ReplicaSetStrategy):
    def keep(self, new: Object, old: Object) -> None:
        new["spec"] = old.get("spec", {})

    def check_update(self, new: Object, old: Object) -> list[FieldError]:
        status = new["status"]
        problems: list[FieldError] = []
        for name in _COUNTS:
            problems += checks.not_negative(f"status.{name}", status.get(name) or 0)
        problems += templates.counts_within(status, _PARTS)
        if (available := status.get("availableReplicas", 0)) > status.get("readyReplicas", 0):
            detail = "cannot be greater than readyReplicas"
            problems.append(field.invalid("status.availableReplicas", available, detail))
        return problems
