"""Templates of pods as objects of their own.

Source: pkg/registry/core/podtemplate/strategy.go, pkg/apis/core/validation/validation.go (ValidatePodTemplate*).
"""

from __future__ import annotations

from typing import Final

from quarterdeck.apimachinery.field import FieldError
from quarterdeck.registry.builtin import semantic
from quarterdeck.registry.builtin.core.poddisabled import PodSpecStrategy
from quarterdeck.registry.builtin.core.podspec import default_template
from quarterdeck.registry.builtin.core.podvalidation import warnings
from quarterdeck.registry.builtin.core.podvalidation.spec import validate_template
from quarterdeck.registry.builtin.senttimes import SentTimes
from quarterdeck.registry.strategy import Object

TIMES: Final = SentTimes(metadata=("template.metadata",))


def default_pod_template(obj: Object) -> None:
    default_template(obj["template"])


class PodTemplateStrategy(PodSpecStrategy):
    pod_spec = ("template", "spec")

    def default_new(self, obj: Object) -> None:
        obj["metadata"]["generation"] = 1

    def keep(self, new: Object, old: Object) -> None:
        semantic.count_change(new, old, "template", "core", "PodTemplateSpec", TIMES)

    def check(self, obj: Object) -> list[FieldError]:
        return validate_template(obj["template"], "template")

    def validate(self, obj: Object, warnings_: list[str]) -> list[FieldError]:
        problems = super().validate(obj, warnings_)
        if not problems:
            warnings_.extend(warnings.of_template(obj["template"], "template"))
        return problems

    def validate_update(self, new: Object, old: Object, warnings_: list[str]) -> list[FieldError]:
        problems = super().validate_update(new, old, warnings_)
        if not problems and new["metadata"].get("generation") != old["metadata"].get("generation"):
            warnings_.extend(warnings.of_template(new["template"], "template"))
        return problems
