"""What of a job may change.

Source: pkg/apis/batch/validation/validation.go (ValidateJobSpecUpdate), KEP-2926, KEP-3715, KEP-5440.
"""

from __future__ import annotations

from typing import Any, Final

from quarterdeck.apimachinery import field
from quarterdeck.apimachinery.field import FieldError
from quarterdeck.registry.builtin import checks, semantic, written
from quarterdeck.registry.builtin.batch.jobtimes import TIMES
from quarterdeck.registry.builtin.batch.jobvalidation import INDEXED
from quarterdeck.registry.builtin.core.poddropped import restore_spec
from quarterdeck.registry.builtin.core.podvalidation import gonames
from quarterdeck.registry.strategy import Object

_POD: Final = ("spec", "template", "spec")
_STRUCTS: Final = {"podFailurePolicy": "PodFailurePolicy", "successPolicy": "SuccessPolicy"}
_IMMUTABLE: Final = ("completionMode", "podFailurePolicy", "backoffLimitPerIndex", "managedBy", "successPolicy")
# Where the pods of a job that waits may be placed.
_PLACING: Final = ("nodeSelector", "tolerations", "schedulingGates")


def validate_update(new: Object, old: Object, *, is_placeable: bool) -> list[FieldError]:
    """`is_placeable`: the job waits, and what its pods ask for and where they run may change."""
    problems = _completions(new, old)
    if new.get("selector") != old.get("selector"):
        selector = new.get("selector")
        shown = None if selector is None else checks.show_selector(selector)
        problems.append(field.invalid("spec.selector", shown, checks.IMMUTABLE))
    problems += _template(new["template"], old["template"], is_placeable=is_placeable)
    for name in _IMMUTABLE:
        value = new.get(name)
        if value != old.get(name):
            if value is not None and name in _STRUCTS:
                value = gonames.show(_STRUCTS[name], written.restore(value, "spec", name), "batch")
            elif isinstance(value, str):
                value = field.named(value)
            problems.append(field.invalid(f"spec.{name}", value, checks.IMMUTABLE))
    return problems


def _completions(new: Object, old: Object) -> list[FieldError]:
    completions = new.get("completions")
    if completions == old.get("completions"):
        return []
    if new.get("completionMode") != INDEXED:
        return [field.invalid("spec.completions", completions, checks.IMMUTABLE)]
    if completions is None or completions == new.get("parallelism"):
        return []
    return [field.invalid("spec.completions", completions, "can only be modified in tandem with spec.parallelism")]


def _template(new: Object, old: Object, *, is_placeable: bool) -> list[FieldError]:
    if not is_placeable:
        if semantic.same(new, old, "core", "PodTemplateSpec") and not TIMES.have_fraction("spec.template"):
            return []
        restored = written.restore(new, "spec", "template")
        shown = gonames.show("PodTemplateSpec", {**restored, "spec": restore_spec(new["spec"], *_POD)})
        return [field.invalid("spec.template", shown, checks.IMMUTABLE)]
    if semantic.same(_placed(new["spec"], new["spec"]), _placed(old["spec"], new["spec"]), "core", "PodSpec"):
        return []
    shown = gonames.show("PodSpec", restore_spec(new["spec"], *_POD))
    return [field.invalid("spec.template.spec", shown, checks.IMMUTABLE)]


def _placed(spec: Object, new: Object) -> Object:
    """`spec` with what may change as it is in `new`."""
    made = {**spec}
    for name in _PLACING:
        made[name] = new.get(name)
    affinity = {name: value for name, value in (spec.get("affinity") or {}).items() if name != "nodeAffinity"}
    made["affinity"] = affinity or None
    for member in ("containers", "initContainers"):
        known = {each.get("name"): each.get("resources") for each in new.get(member) or []}
        made[member] = [_with_resources(each, known) for each in spec.get(member) or []]
    return made


def _with_resources(container: Object, known: dict[Any, Any]) -> Object:
    return {**container, "resources": known.get(container.get("name"), container.get("resources"))}
