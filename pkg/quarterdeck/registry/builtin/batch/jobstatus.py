"""The status of a job, which others than Kubernetes' own controller may set too.

Many rules hold only where an update changes what they look at: a spec that changed may have made the status wrong.

Source: pkg/apis/batch/validation/validation.go (ValidateJobStatusUpdate), pkg/registry/batch/job/strategy.go
(getStatusValidationOptions), KEP-4368.
"""

from __future__ import annotations

from typing import Final

from quarterdeck.apimachinery import field
from quarterdeck.apimachinery.field import FieldError
from quarterdeck.registry.builtin import checks, written
from quarterdeck.registry.builtin.batch import indexes
from quarterdeck.registry.builtin.batch.jobtimes import TIMES
from quarterdeck.registry.builtin.batch.jobvalidation import INDEXED
from quarterdeck.registry.strategy import Object

_COUNTS: Final = ("active", "succeeded", "failed", "ready", "terminating")
_CONDITIONS: Final = "status.conditions"
# Go's zero time is shown as null, and is not unset.
_UNSET: Final = object()
_TERMINAL: Final = ("Failed", "Complete", "FailureTarget")


def is_true(status: Object, kind: str) -> bool:
    return _has(status, kind, "True")


def _has(status: Object, kind: str, value: str) -> bool:
    return any(each.get("type") == kind and each.get("status") == value for each in status.get("conditions") or ())


def validate_status(new: Object, old: Object) -> list[FieldError]:
    status, before = new.get("status") or {}, old.get("status") or {}
    return (
        _counts(status)
        + _end(status, before)
        + _finished(status, before, new["spec"])
        + _indexes(status, before, new["spec"])
        + _pods(status, before)
        + _criteria(status, new["spec"])
        + _transitions(status, before, new["spec"])
    )


def _refused(detail: str) -> FieldError:
    return field.invalid(_CONDITIONS, field.OMIT_VALUE, detail)


def _is_finished(status: Object) -> bool:
    return is_true(status, "Complete") or is_true(status, "Failed")


def _is_changed(status: Object, before: Object, *kinds: str) -> bool:
    return any(is_true(status, kind) != is_true(before, kind) for kind in kinds)


def _differs(status: Object, before: Object, *names: str) -> bool:
    return any(_is_other(status, before, name) for name in names)


def _is_other(status: Object, before: Object, name: str) -> bool:
    """A zero time that a client writes out (None) is another than all that is stored, a zero one included."""
    if status.get(name) is None and name in status:
        return True
    return status.get(name, _UNSET) != before.get(name, _UNSET) or TIMES.have_fraction(f"status.{name}")


def _counts(status: Object) -> list[FieldError]:
    problems: list[FieldError] = []
    for name in _COUNTS:
        problems += checks.not_negative(f"status.{name}", status.get(name) or 0)
    seen: set[str] = set()
    for member in ("succeeded", "failed"):
        for position, uid in enumerate((status.get("uncountedTerminatedPods") or {}).get(member) or []):
            at = field.index(f"status.uncountedTerminatedPods.{member}", position)
            if not uid:
                problems.append(field.invalid(at, uid, "must not be empty"))
            elif uid in seen:
                problems.append(field.duplicate(at, field.named(uid)))
            seen.add(uid)
    return problems


def _end(status: Object, before: Object) -> list[FieldError]:
    """Conditions that a job ends with, and when that was."""
    problems: list[FieldError] = []
    is_complete, ended, has_ended = (
        is_true(status, "Complete"),
        status.get("completionTime"),
        "completionTime" in status,
    )
    if is_complete and is_true(status, "Failed") and _is_changed(status, before, "Complete", "Failed"):
        problems.append(_refused("cannot set Complete=True and Failed=true conditions"))
    if is_complete and is_true(status, "FailureTarget") and _is_changed(status, before, "Complete", "FailureTarget"):
        problems.append(_refused("cannot set Complete=True and FailureTarget=true conditions"))
    at = "status.completionTime"
    if _is_changed(status, before, "Complete") or _differs(status, before, "completionTime"):
        if has_ended and not is_complete:
            detail = "cannot set completionTime when there is no Complete=True condition"
            problems.append(field.invalid(at, ended, detail))
        if not has_ended and is_complete:
            problems.append(field.required(at, "completionTime is required for Complete jobs"))
    is_early = has_ended and "startTime" in status and _ends_early(status)
    if is_early and _differs(status, before, "startTime", "completionTime"):
        problems.append(field.invalid(at, ended, "must be equal to or after `startTime`"))
    is_failed_new = _is_changed(status, before, "Failed") or _differs(status, before, "failedIndexes")
    if is_true(status, "Failed") and not is_true(status, "FailureTarget") and is_failed_new:
        problems.append(_refused("cannot set Failed=True condition without the FailureTarget=true condition"))
    is_complete_new = _is_changed(status, before, "Complete", "SuccessCriteriaMet")
    if is_complete and not is_true(status, "SuccessCriteriaMet") and is_complete_new:
        problems.append(_refused("cannot set Complete=True condition without the SuccessCriteriaMet=true condition"))
    return problems


def _ends_early(status: Object) -> bool:
    ended, begun = ((status[name] or "", TIMES.fraction(f"status.{name}")) for name in ("completionTime", "startTime"))
    return ended < begun


def _finished(status: Object, before: Object, spec: Object) -> list[FieldError]:
    """What a job that is finished has no more."""
    problems: list[FieldError] = []
    active = status.get("active") or 0
    if _is_finished(status):
        is_new = not _is_finished(before)
        if active > 0 and (is_new or _differs(status, before, "active")):
            problems.append(field.invalid("status.active", active, "active>0 is invalid for finished job"))
        has_begun = not spec.get("suspend") or spec.get("completions") != 0
        if has_begun and "startTime" not in status and (is_new or _differs(status, before, "startTime")):
            problems.append(field.required("status.startTime", "startTime is required for finished job"))
        pods = status.get("uncountedTerminatedPods") or {}
        if (pods.get("succeeded") or pods.get("failed")) and (
            is_new or _differs(status, before, "uncountedTerminatedPods")
        ):
            detail = "must be empty for finished job"
            pods = written.restore(pods, "status", "uncountedTerminatedPods")
            shown = {"Succeeded": pods.get("succeeded"), "Failed": pods.get("failed")}
            text = field.GoText(checks.in_order(shown))
            problems.append(field.invalid("status.uncountedTerminatedPods", text, detail))
    return problems


def _pods(status: Object, before: Object) -> list[FieldError]:
    """Pods that end, and those that are ready."""
    problems: list[FieldError] = []
    terminating, ready = status.get("terminating") or 0, status.get("ready")
    is_changed = _is_finished(status) != _is_finished(before) or _differs(status, before, "terminating")
    if terminating > 0 and _is_finished(status) and is_changed:
        detail = "terminating>0 is invalid for finished job"
        problems.append(field.invalid("status.terminating", terminating, detail))
    if ready is not None and ready > (status.get("active") or 0) and _differs(status, before, "ready", "active"):
        problems.append(field.invalid("status.ready", ready, "cannot set more ready pods than active"))
    return problems


def _indexes(status: Object, before: Object, spec: Object) -> list[FieldError]:
    problems: list[FieldError] = []
    completed, failed = status.get("completedIndexes") or "", status.get("failedIndexes")
    completions, has_limit = spec.get("completions"), spec.get("backoffLimitPerIndex") is not None
    is_completed_new = bool(completed) and _differs(status, before, "completedIndexes")
    is_failed_new = _differs(status, before, "failedIndexes")
    if is_completed_new:
        problems += _readable("completedIndexes", completed, completions, completed)
    if failed is not None and is_failed_new and has_limit:
        problems += _readable("failedIndexes", failed, completions, field.named(failed))
    if is_completed_new and spec.get("completionMode") != INDEXED:
        detail = "cannot set non-empty completedIndexes when non-indexed completion mode"
        problems.append(field.invalid("status.completedIndexes", completed, detail))
    if failed is not None and is_failed_new and not has_limit:
        detail = "cannot set non-null failedIndexes when backoffLimitPerIndex is null"
        problems.append(field.invalid("status.failedIndexes", failed, detail))
    if failed is None:
        return problems
    if completions is not None and _differs(status, before, "failedIndexes", "completedIndexes"):
        both = indexes.find_overlap(completed, failed, completions)
        if both is not None:
            detail = f"failedIndexes and completedIndexes overlap at index: {both}"
            problems.append(field.invalid("status.failedIndexes", failed, detail))
    return problems


def _readable(name: str, text: str, completions: int | None, shown: object) -> list[FieldError]:
    """`shown`: how the text is shown where it cannot be read."""
    if completions is None:
        return []
    try:
        indexes.count(text, completions)
    except indexes.WrongIndexes as error:
        return [field.invalid(f"status.{name}", shown, f"error parsing {name}: {error}")]
    return []


def _criteria(status: Object, spec: Object) -> list[FieldError]:
    problems: list[FieldError] = []
    is_met = is_true(status, "SuccessCriteriaMet")
    if is_met and is_true(status, "Failed"):
        problems.append(_refused("cannot set SuccessCriteriaMet=True and Failed=true conditions"))
    if is_met and is_true(status, "FailureTarget"):
        problems.append(_refused("cannot set SuccessCriteriaMet=True and FailureTarget=true conditions"))
    if spec.get("successPolicy") is not None and not is_met and is_true(status, "Complete"):
        detail = "cannot set Complete=True for Job with SuccessPolicy unless SuccessCriteriaMet=True"
        problems.append(_refused(detail))
    return problems


def _transitions(status: Object, before: Object, spec: Object) -> list[FieldError]:
    problems: list[FieldError] = []
    for kind in _TERMINAL:
        if is_true(before, kind) and not is_true(status, kind):
            problems.append(_refused(f"cannot disable the terminal {kind}=True condition"))
    is_elastic = spec.get("completionMode") == INDEXED and spec.get("completions") == spec.get("parallelism")
    for name in ("failed",) if is_elastic else ("failed", "succeeded"):
        if (number := status.get(name) or 0) < (before.get(name) or 0):
            problems.append(field.invalid(f"status.{name}", number, f"cannot decrease the {name} counter"))
    has_ended = "completionTime" in status and "completionTime" in before
    if has_ended and _differs(status, before, "completionTime"):
        problems.append(field.invalid("status.completionTime", status["completionTime"], checks.IMMUTABLE))
    has_begun = "startTime" in before
    is_resuming = is_true(before, "Suspended") and _has(status, "Suspended", "False")
    if has_begun and _differs(status, before, "startTime") and not spec.get("suspend") and not is_resuming:
        detail = "field is immutable for unsuspended job once set"
        problems.append(field.invalid("status.startTime", status.get("startTime"), detail))
    is_met, was_met = is_true(status, "SuccessCriteriaMet"), is_true(before, "SuccessCriteriaMet")
    if was_met and not is_met:
        problems.append(_refused("cannot disable the SuccessCriteriaMet=True condition"))
    if is_true(before, "Complete") and not was_met and is_met:
        detail = "cannot set SuccessCriteriaMet=True for Job already has Complete=true conditions"
        problems.append(_refused(detail))
    return problems
