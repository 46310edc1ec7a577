"""Replication controllers as data: nobody keeps their pods.

Source: pkg/registry/core/replicationcontroller/strategy.go, pkg/apis/core/v1/defaults.go,
pkg/apis/core/validation/validation.go (ValidateReplicationController*).
"""

from __future__ import annotations

from typing import Final

from quarterdeck.apimachinery import field, names
from quarterdeck.apimachinery.field import FieldError
from quarterdeck.registry.builtin import checks, semantic, written
from quarterdeck.registry.builtin.core.poddisabled import PodSpecStrategy
from quarterdeck.registry.builtin.core.podspec import default_template
from quarterdeck.registry.builtin.core.podvalidation import warnings
from quarterdeck.registry.builtin.core.podvalidation.spec import validate_template
from quarterdeck.registry.builtin.senttimes import SentTimes
from quarterdeck.registry.builtin.strategy import BuiltinStrategy
from quarterdeck.registry.strategy import Object

_COUNTS: Final = ("replicas", "fullyLabeledReplicas", "readyReplicas", "availableReplicas", "observedGeneration")
_NON_CONVERTIBLE: Final = "non-convertible.kubernetes.io"
_NAME_WARNING: Final = (
    "metadata.name: this is used in Pod names and hostnames, which can result in surprising behavior; "
    "a DNS label is recommended: "
)
TIMES: Final = SentTimes(metadata=("spec.template.metadata",))


def default_controller(obj: Object) -> None:
    """The labels of the template are those of the pods to look for, and of the controller itself."""
    spec = obj["spec"]
    spec.setdefault("replicas", 1)
    template = spec.get("template")
    if template is None:
        return
    default_template(template)
    labels = (template.get("metadata") or {}).get("labels")
    if labels and not spec.get("selector"):
        spec["selector"] = dict(labels)
    _take_labels(obj)


def _take_labels(obj: Object) -> bool:
    """A controller without labels has those of its pods; whether it had none."""
    labels = ((obj["spec"].get("template") or {}).get("metadata") or {}).get("labels")
    if not labels or obj["metadata"].get("labels"):
        return False
    obj["metadata"]["labels"] = dict(labels)
    return True


def select_controller_fields(obj: Object) -> dict[str, str]:
    return {"status.replicas": str((obj.get("status") or {}).get("replicas", 0))}


class ReplicationControllerStrategy(PodSpecStrategy):
    orphans_by_default = True

    def default_new(self, obj: Object) -> None:
        obj["metadata"]["generation"] = 1
        obj["status"] = {"replicas": 0}

    def keep(self, new: Object, old: Object) -> None:
        new["status"] = old["status"]
        semantic.count_change(new, old, "spec", "core", "ReplicationControllerSpec", TIMES)

    def check(self, obj: Object) -> list[FieldError]:
        return _validate_spec(written.restore(obj["spec"], "spec"))

    def check_update(self, new: Object, old: Object) -> list[FieldError]:
        return self.check(new) + _validate_convertible(new, old)

    def validate(self, obj: Object, warnings_: list[str]) -> list[FieldError]:
        problems = super().validate(obj, warnings_)
        if not problems:
            if texts := names.dns1123_label(obj["metadata"]["name"]):
                warnings_.append(f"{_NAME_WARNING}[{' '.join(texts)}]")
            if (template := obj["spec"].get("template")) is not None:
                warnings_.extend(warnings.of_template(template, "spec.template"))
        return problems

    def warn_of_update(self, new: Object, old: Object) -> list[str]:
        """Upstream confuses the two here: it warns of what was."""
        template = old["spec"].get("template")
        is_changed = new["metadata"].get("generation") != old["metadata"].get("generation")
        return warnings.of_template(template, "spec.template") if is_changed and template is not None else []


class ReplicationControllerStatusStrategy(BuiltinStrategy):
    def keep(self, new: Object, old: Object) -> None:
        new["spec"] = old["spec"]

    def is_stored_with_less(self, obj: Object, *, is_new: bool, dry_run: bool) -> bool:
        """The labels are those of the template to whoever reads it: the request may have had another one."""
        return _take_labels(obj)

    def check_update(self, new: Object, old: Object) -> list[FieldError]:
        status = new["status"]
        problems: list[FieldError] = []
        for name in _COUNTS:
            problems += checks.not_negative(f"status.{name}", status.get(name, 0))
        total, available = status.get("replicas", 0), status.get("availableReplicas", 0)
        for name in ("fullyLabeledReplicas", "readyReplicas", "availableReplicas"):
            if (count := status.get(name, 0)) > total:
                problems.append(field.invalid(f"status.{name}", count, "cannot be greater than status.replicas"))
        if available > status.get("readyReplicas", 0):
            detail = "cannot be greater than readyReplicas"
            problems.append(field.invalid("status.availableReplicas", available, detail))
        return problems


def _validate_convertible(new: Object, old: Object) -> list[FieldError]:
    """Annotations say which fields cannot be converted to other versions, and so have to stay."""
    problems: list[FieldError] = []
    for key, value in sorted((old["metadata"].get("annotations") or {}).items()):
        prefix, *name = key.split("/")
        if not prefix.startswith(_NON_CONVERTIBLE) or len(name) != 1:
            continue
        selector = new["spec"].get("selector")
        if "selector" not in name[0]:
            problems.append(FieldError(field.NOT_FOUND, name[0], value, "unknown non-convertible field"))
        elif selector != old["spec"].get("selector"):
            detail = "cannot update non-convertible selector"
            problems.append(field.invalid("spec.selector", selector, detail))
    return problems


def _validate_spec(spec: Object) -> list[FieldError]:
    problems = checks.not_negative("spec.minReadySeconds", spec.get("minReadySeconds", 0))
    selector = spec.get("selector") or {}
    if not selector:
        problems.append(field.required("spec.selector"))
    if (replicas := spec.get("replicas")) is None:
        problems.append(field.required("spec.replicas"))
    else:
        problems += checks.not_negative("spec.replicas", replicas)
    if (template := spec.get("template")) is None:
        return [*problems, field.required("spec.template")]
    return problems + _validate_template(template, selector)


def _validate_template(template: Object, selector: dict[str, str]) -> list[FieldError]:
    problems: list[FieldError] = []
    labels, spec = (template.get("metadata") or {}).get("labels"), template["spec"]
    if any((labels or {}).get(key) != value for key, value in selector.items()):
        detail = "`selector` does not match template `labels`"
        problems.append(field.invalid("spec.template.metadata.labels", labels, detail))
    problems += validate_template(template, "spec.template")
    problems += checks.one_of("spec.template.spec.restartPolicy", spec.get("restartPolicy", ""), ("Always",))
    if spec.get("activeDeadlineSeconds") is not None:
        detail = "activeDeadlineSeconds in ReplicationController is not Supported"
        problems.append(field.forbidden("spec.template.spec.activeDeadlineSeconds", detail))
    return problems
