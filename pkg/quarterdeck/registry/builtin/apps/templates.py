"""Pods that are made from a template, and the selector that finds them again.

Source: pkg/apis/apps/validation/validation.go (ValidateReplicaSetSpec, ValidatePodTemplateSpecForReplicaSet).
"""

from __future__ import annotations

from typing import Final

from quarterdeck.apimachinery import field, labels, requirements
from quarterdeck.apimachinery.field import FieldError
from quarterdeck.registry.builtin import checks, written
from quarterdeck.registry.builtin.core.podvalidation import warnings
from quarterdeck.registry.builtin.core.podvalidation.spec import validate_template
from quarterdeck.registry.strategy import Object

_TEMPLATE: Final = "spec.template"
_NOT_MATCHED: Final = "`selector` does not match template `labels`"


def validate_selector(
    spec: Object, empty_text: str, unreadable_text: str = "invalid label selector"
) -> list[FieldError]:
    """The selector, and whether it finds the pods of the template."""
    selector, problems = spec.get("selector"), []
    if selector is None:
        problems.append(field.required("spec.selector"))
    else:
        problems += checks.label_selector("spec.selector", selector)
        if is_empty(selector):
            problems.append(field.invalid("spec.selector", checks.show_selector(selector), empty_text))
    try:
        compiled = labels.from_label_selector(selector)
    except requirements.SelectorError:
        return [*problems, field.invalid("spec.selector", checks.show_selector(selector or {}), unreadable_text)]
    if selector is None or not is_empty(selector):
        problems += validate_match(spec, compiled)
    return problems


def is_empty(selector: Object) -> bool:
    return not selector.get("matchLabels") and not selector.get("matchExpressions")


def validate_match(spec: Object, compiled: labels.Selector) -> list[FieldError]:
    found = (spec["template"].get("metadata") or {}).get("labels")
    if compiled.matches(found or {}):
        return []
    shown = {} if found is None and written.is_empty("spec", "template", "metadata", "labels") else found
    return [field.invalid(f"{_TEMPLATE}.metadata.labels", shown, _NOT_MATCHED)]


def is_readable(selector: Object | None) -> bool:
    try:
        labels.from_label_selector(selector)
    except requirements.SelectorError:
        return False
    return True


def validate_lasting(spec: Object, kind: str) -> list[FieldError]:
    """A template whose pods are replaced when they end."""
    pod_spec = spec["template"]["spec"]
    problems = checks.one_of(f"{_TEMPLATE}.spec.restartPolicy", pod_spec.get("restartPolicy", ""), ("Always",))
    if pod_spec.get("activeDeadlineSeconds") is not None:
        detail = f"activeDeadlineSeconds in {kind} is not Supported"
        problems.append(field.forbidden(f"{_TEMPLATE}.spec.activeDeadlineSeconds", detail))
    return problems


def validate_replicated(spec: Object) -> list[FieldError]:
    """The template of a replica set."""
    return validate_template(spec["template"], _TEMPLATE) + validate_lasting(spec, "ReplicaSet")


def keep_selector(new: Object, old: Object) -> list[FieldError]:
    selector = new["spec"].get("selector")
    if selector == old["spec"].get("selector"):
        return []
    shown = None if selector is None else checks.show_selector(selector)
    return [field.invalid("spec.selector", shown, "field is immutable")]


def warn_of_template(obj: Object) -> list[str]:
    return warnings.of_template(obj["spec"]["template"], _TEMPLATE)


def warn_of_new_template(new: Object, old: Object) -> list[str]:
    """Of an update that has changed the spec."""
    is_changed = new["metadata"].get("generation") != old["metadata"].get("generation")
    return warn_of_template(new) if is_changed else []


def not_decremented(path: str, count: int | None, earlier: int | None) -> list[FieldError]:
    if earlier is not None and (count is None or count < earlier):
        return [field.invalid(path, count or 0, "cannot be decremented")]
    return []


def counts_within(status: Object, names_of_counts: tuple[str, ...]) -> list[FieldError]:
    """Of pods that are a part of `status.replicas`."""
    total = status.get("replicas", 0)
    return [
        field.invalid(f"status.{name}", status.get(name, 0), "cannot be greater than status.replicas")
        for name in names_of_counts
        if status.get(name, 0) > total
    ]
