"""Selectors and labels by which a job knows its pods.

Source: pkg/registry/batch/job/strategy.go (generateSelector), pkg/apis/batch/validation (validateGeneratedSelector).
"""

from __future__ import annotations

from typing import Final

from quarterdeck.apimachinery import field, labels, requirements
from quarterdeck.apimachinery.field import FieldError
from quarterdeck.registry.builtin import checks
from quarterdeck.registry.strategy import Object

CONTROLLER_UID: Final = "batch.kubernetes.io/controller-uid"
JOB_NAME: Final = "batch.kubernetes.io/job-name"
_LEGACY_CONTROLLER_UID: Final = "controller-uid"
_LEGACY_JOB_NAME: Final = "job-name"


def generate_selector(obj: Object) -> None:
    """What the client has set stays; whether it may be so is seen when the job is validated."""
    metadata, spec = obj["metadata"], obj["spec"]
    template = spec["template"]
    described = template.setdefault("metadata", {})
    known = described.setdefault("labels", {})
    for name in (_LEGACY_JOB_NAME, JOB_NAME):
        known.setdefault(name, metadata.get("name", ""))
    for name in (_LEGACY_CONTROLLER_UID, CONTROLLER_UID):
        known.setdefault(name, metadata["uid"])
    selector = {**(spec.get("selector") or {})}
    selector["matchLabels"] = {CONTROLLER_UID: metadata["uid"], **(selector.get("matchLabels") or {})}
    spec["selector"] = selector


def validate_generated(obj: Object, *, has_prefixed_labels: bool) -> list[FieldError]:
    metadata, spec = obj["metadata"], obj["spec"]
    if spec.get("manualSelector") or spec.get("selector") is None:
        return []
    expected = {_LEGACY_CONTROLLER_UID: metadata["uid"], _LEGACY_JOB_NAME: metadata.get("name", "")}
    if has_prefixed_labels:
        expected |= {CONTROLLER_UID: metadata["uid"], JOB_NAME: metadata.get("name", "")}
    found = (spec["template"].get("metadata") or {}).get("labels") or {}
    problems: list[FieldError] = []
    for name, value in expected.items():
        at, detail = field.key("spec.template.metadata.labels", name), f"must be '{value}'"
        if name not in found:
            problems.append(field.required(at, detail))
        elif found[name] != value:
            problems.append(field.invalid(at, found, detail))
    if matches(spec["selector"], expected) is False:
        shown = checks.show_selector(spec["selector"])
        problems.append(field.invalid("spec.selector", shown, "`selector` not auto-generated"))
    return problems


def matches(selector: Object | None, found: dict[str, str]) -> bool | None:
    """None: what is no selector selects nothing to speak of."""
    try:
        return labels.from_label_selector(selector).matches(found)
    except requirements.SelectorError:
        return None
