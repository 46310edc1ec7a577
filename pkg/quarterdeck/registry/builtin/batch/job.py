"""Jobs as data: nobody runs them.

Source: pkg/registry/batch/job/strategy.go, pkg/api/job/warnings.go.
"""

from __future__ import annotations

from typing import Final

from quarterdeck.apimachinery import field, names
from quarterdeck.apimachinery.field import FieldError
from quarterdeck.registry.builtin import semantic, written
from quarterdeck.registry.builtin.batch.defaults import take_labels
from quarterdeck.registry.builtin.batch.jobstatus import is_true, validate_status
from quarterdeck.registry.builtin.batch.jobtimes import TIMES
from quarterdeck.registry.builtin.batch.jobupdate import validate_update
from quarterdeck.registry.builtin.batch.jobvalidation import validate_job_spec, validate_selected
from quarterdeck.registry.builtin.batch.selectors import (
    CONTROLLER_UID,
    JOB_NAME,
    generate_selector,
    validate_generated,
)
from quarterdeck.registry.builtin.core.poddisabled import PodSpecStrategy
from quarterdeck.registry.builtin.core.podvalidation import warnings
from quarterdeck.registry.strategy import Object

_COMPLETIONS_MANY: Final = 100_000
_PARALLELISM_MANY: Final = 10_000
_TOO_MANY: Final = (
    "In Indexed Jobs with a number of completions higher than 10^5 and a parallelism higher than 10^4, Kubernetes "
    "might not be able to track completedIndexes when a big number of indexes fail"
)


class JobStrategy(PodSpecStrategy):
    # As it was in batch/v1 from the beginning.
    orphans_by_default = True
    validates_changed_metadata = False  # but after all that holds of new jobs

    def default_new(self, obj: Object) -> None:
        obj["metadata"]["generation"] = 1
        obj["status"] = {}
        if not obj["spec"].get("manualSelector"):
            generate_selector(obj)
            if written.is_empty("spec", "template", "metadata", "labels"):
                take_labels(obj)  # it had the empty ones of its pods, which have just been filled

    def is_stored_with_less(self, obj: Object, *, is_new: bool, dry_run: bool) -> bool:
        """A job without labels has those of its pods, whose own are set last, for whoever reads it."""
        is_without = take_labels(obj)
        # Where a new one says that its pods have none, the job has theirs already.
        return is_without and not (is_new and written.is_empty("spec", "template", "metadata", "labels"))

    def keep(self, new: Object, old: Object) -> None:
        new["status"] = old.get("status", {})
        semantic.count_change(new, old, "spec", "batch", "JobSpec", TIMES)

    def check(self, obj: Object) -> list[FieldError]:
        return _validate_job(obj, has_prefixed_labels=True)

    def check_update(self, new: Object, old: Object) -> list[FieldError]:
        before = old["spec"]
        labels = (before["template"].get("metadata") or {}).get("labels") or {}
        problems = self._validate_metadata(new["metadata"])
        problems += _validate_job(new, has_prefixed_labels=JOB_NAME in labels and CONTROLLER_UID in labels)
        problems += self._validate_changed_metadata(new, old)
        problems += _validate_spec(written.restore(new["spec"], "spec"))
        status = old.get("status") or {}
        is_at_rest = not status.get("active") and ("startTime" not in status or is_true(status, "Suspended"))
        return problems + validate_update(new["spec"], before, is_placeable=bool(before.get("suspend")) and is_at_rest)

    def warn(self, obj: Object) -> list[str]:
        return [*warnings.of_name(obj), *warnings_of_spec(obj["spec"], "spec")]

    def warn_of_update(self, new: Object, old: Object) -> list[str]:
        is_changed = new["metadata"].get("generation") != old["metadata"].get("generation")
        return warnings_of_spec(new["spec"], "spec") if is_changed else []


class JobStatusStrategy(JobStrategy):
    validates_changed_metadata = True

    def keep(self, new: Object, old: Object) -> None:
        new["spec"] = old.get("spec", {})

    def check_update(self, new: Object, old: Object) -> list[FieldError]:
        return validate_status(new, old)


def warnings_of_spec(spec: Object, path: str) -> list[str]:
    found: list[str] = []
    if spec.get("completionMode") == "Indexed":
        many = (spec.get("completions") or 0) > _COMPLETIONS_MANY
        if many and (spec.get("parallelism") or 0) > _PARALLELISM_MANY:
            found.append(f"{path}: {_TOO_MANY}")
    return found + warnings.of_template(spec["template"], f"{path}.template")


def _validate_spec(spec: Object) -> list[FieldError]:
    return validate_job_spec(spec, "spec") + validate_selected(spec, "spec")


def _validate_job(obj: Object, *, has_prefixed_labels: bool) -> list[FieldError]:
    """What holds of every job but for its metadata."""
    spec = obj["spec"]
    problems = validate_generated(obj, has_prefixed_labels=has_prefixed_labels)
    problems += _validate_spec(written.restore(spec, "spec"))
    completions = spec.get("completions") or 0
    if spec.get("completionMode") == "Indexed" and completions > 0:
        # The pod of each index is called after it.
        hostname = f"{obj['metadata'].get('name', '')}-{completions - 1}"
        if names.dns1123_label(hostname):
            detail = f"will not able to create pod with invalid DNS label: {hostname}"
            problems.append(field.invalid("metadata.name", obj["metadata"].get("name", ""), detail))
    return problems
