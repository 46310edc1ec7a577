"""The spec of a job, alone or in a cron job.

Source: pkg/apis/batch/validation/validation.go (validateJobSpec, ValidateJobSpec, ValidateJobTemplateSpec).
"""

from __future__ import annotations

from typing import Final

from quarterdeck.apimachinery import domainpath, field
from quarterdeck.apimachinery.field import FieldError
from quarterdeck.registry.builtin import checks
from quarterdeck.registry.builtin.batch import jobpolicies, selectors
from quarterdeck.registry.builtin.core.podvalidation import gonames
from quarterdeck.registry.builtin.core.podvalidation.spec import validate_template
from quarterdeck.registry.strategy import Object

INDEXED: Final = "Indexed"
NON_INDEXED: Final = "NonIndexed"
_COUNTS: Final = (
    "parallelism",
    "completions",
    "activeDeadlineSeconds",
    "backoffLimit",
    "ttlSecondsAfterFinished",
    "backoffLimitPerIndex",
    "maxFailedIndexes",
)
_PARALLELISM_MAX: Final = 100_000
_FAILED_MAX: Final = 100_000
_COMPLETIONS_MANY: Final = 100_000
_MANY_MAX: Final = 10_000
_MANAGED_BY_BYTES_MAX: Final = 63
_REPLACEMENTS: Final = ("Failed", "TerminatingOrFailed")


def validate_selected(spec: Object, path: str) -> list[FieldError]:
    """A job's selector, and that it selects the job's own pods."""
    selector = spec.get("selector")
    if selector is None:
        problems = [field.required(f"{path}.selector")]
    else:
        problems = checks.label_selector(f"{path}.selector", selector)
    labels = (spec["template"].get("metadata") or {}).get("labels")
    if selectors.matches(selector, labels or {}) is False:
        detail = "`selector` does not match template `labels`"
        problems.append(field.invalid(f"{path}.template.metadata.labels", labels, detail))
    return problems


def validate_job_template(template: Object, path: str) -> list[FieldError]:
    """What a cron job makes jobs of."""
    spec, at = template["spec"], f"{path}.spec"
    problems = validate_job_spec(spec, at)
    if (selector := spec.get("selector")) is not None:
        shown = checks.show_selector(selector)
        problems.append(field.invalid(f"{at}.selector", shown, "`selector` will be auto-generated"))
    if spec.get("manualSelector"):
        problems.append(field.not_supported(f"{at}.manualSelector", True, ["nil", "false"]))
    return problems


def validate_job_spec(spec: Object, path: str) -> list[FieldError]:
    """All but the selector."""
    problems: list[FieldError] = []
    for name in _COUNTS:
        problems += checks.not_negative(f"{path}.{name}", spec.get(name) or 0)
    if spec.get("maxFailedIndexes") is not None and spec.get("backoffLimitPerIndex") is None:
        problems.append(field.required(f"{path}.backoffLimitPerIndex", "when maxFailedIndexes is specified"))
    if (manager := spec.get("managedBy")) is not None:
        problems += domainpath.validate(f"{path}.managedBy", manager)
        if len(manager.encode()) > _MANAGED_BY_BYTES_MAX:
            problems.append(field.too_long(f"{path}.managedBy", _MANAGED_BY_BYTES_MAX))
    problems += _completion_mode(spec, path)
    if spec.get("podFailurePolicy") is not None:
        problems += jobpolicies.validate_failure_policy(spec, f"{path}.podFailurePolicy")
    if (policy := spec.get("successPolicy")) is not None:
        at = f"{path}.successPolicy"
        if spec.get("completionMode", NON_INDEXED) != INDEXED:
            shown = gonames.show("SuccessPolicy", policy, "batch")
            problems.append(field.invalid(at, shown, "requires indexed completion mode"))
        else:
            problems += jobpolicies.validate_success_policy(spec, at)
    if (replacement := spec.get("podReplacementPolicy")) is not None:
        supported = _REPLACEMENTS[:1] if spec.get("podFailurePolicy") is not None else _REPLACEMENTS
        problems += checks.one_of(f"{path}.podReplacementPolicy", replacement, supported)
    problems += validate_template(spec["template"], f"{path}.template")
    return problems + _restart_policy(spec, f"{path}.template.spec.restartPolicy")


def _completion_mode(spec: Object, path: str) -> list[FieldError]:
    mode, problems = spec.get("completionMode"), []
    if mode is not None and mode not in (NON_INDEXED, INDEXED):
        problems.append(field.not_among(f"{path}.completionMode", mode, [NON_INDEXED, INDEXED]))
    if mode == INDEXED:
        problems += _indexed(spec, path)
    if mode in (None, NON_INDEXED):
        for name in ("backoffLimitPerIndex", "maxFailedIndexes"):
            if (value := spec.get(name)) is not None:
                problems.append(field.invalid(f"{path}.{name}", value, "requires indexed completion mode"))
    return problems


def _indexed(spec: Object, path: str) -> list[FieldError]:
    completions, parallelism = spec.get("completions"), spec.get("parallelism") or 0
    failed = spec.get("maxFailedIndexes")
    problems: list[FieldError] = []
    if completions is None:
        problems.append(field.required(f"{path}.completions", f"when completion mode is {INDEXED}"))
    if parallelism > _PARALLELISM_MAX:
        detail = f"must be less than or equal to {_PARALLELISM_MAX} when completion mode is {INDEXED}"
        problems.append(field.invalid(f"{path}.parallelism", parallelism, detail))
    at = f"{path}.maxFailedIndexes"
    if completions is not None and failed is not None and failed > completions:
        problems.append(field.invalid(at, failed, "must be less than or equal to completions"))
    if failed is not None and failed > _FAILED_MAX:
        problems.append(field.invalid(at, failed, f"must be less than or equal to {_FAILED_MAX}"))
    if (completions or 0) > _COMPLETIONS_MANY and spec.get("backoffLimitPerIndex") is not None:
        if failed is None:
            problems.append(field.required(at, f"must be specified when completions is above {_COMPLETIONS_MANY}"))
        detail = (
            f"must be less than or equal to {_MANY_MAX} when completions are above {_COMPLETIONS_MANY} and used with "
            "backoff limit per index"
        )
        if parallelism > _MANY_MAX:
            problems.append(field.invalid(f"{path}.parallelism", parallelism, detail))
        if (failed or 0) > _MANY_MAX:
            problems.append(field.invalid(at, failed, detail))
    return problems


def _restart_policy(spec: Object, path: str) -> list[FieldError]:
    policy = spec["template"]["spec"].get("restartPolicy", "")
    if policy in ("", "Always"):
        return [field.required(path, 'valid values: "OnFailure", "Never"')]
    if policy not in ("OnFailure", "Never"):
        return [field.not_among(path, policy, ["OnFailure", "Never"])]
    if spec.get("podFailurePolicy") is not None and policy != "Never":
        return [field.invalid(path, policy, 'only "Never" is supported when podFailurePolicy is specified')]
    return []
