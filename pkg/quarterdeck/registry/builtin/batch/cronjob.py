"""Cron jobs as data: nobody starts their jobs.

Source: pkg/registry/batch/cronjob/strategy.go, pkg/apis/batch/validation/validation.go (validateCronJobSpec).
"""

from __future__ import annotations

import re
from typing import Final

from quarterdeck.apimachinery import field
from quarterdeck.apimachinery.field import FieldError
from quarterdeck.registry.builtin import checks, semantic, written
from quarterdeck.registry.builtin.batch import schedules
from quarterdeck.registry.builtin.batch.defaults import default_template
from quarterdeck.registry.builtin.batch.job import warnings_of_spec
from quarterdeck.registry.builtin.batch.jobvalidation import validate_job_template
from quarterdeck.registry.builtin.core.poddisabled import PodSpecStrategy
from quarterdeck.registry.builtin.core.podvalidation import warnings
from quarterdeck.registry.builtin.senttimes import SentTimes
from quarterdeck.registry.builtin.strategy import BuiltinStrategy
from quarterdeck.registry.strategy import Object

_CONCURRENCIES: Final = ("Allow", "Forbid", "Replace")
_NAME_BYTES_MAX: Final = 52  # a job's name has eleven more
_TEMPLATE: Final = "spec.jobTemplate.spec"

_zone_part = re.compile(r"[A-Za-z._0-9+-]{1,14}\Z", re.ASCII).match
TIMES: Final = SentTimes(metadata=("spec.jobTemplate.metadata", "spec.jobTemplate.spec.template.metadata"))


def default_cron_job(obj: Object) -> None:
    spec = obj["spec"]
    default_template(spec["jobTemplate"]["spec"])
    if not spec.get("concurrencyPolicy"):
        spec["concurrencyPolicy"] = "Allow"
    spec.setdefault("suspend", False)
    spec.setdefault("successfulJobsHistoryLimit", 3)
    spec.setdefault("failedJobsHistoryLimit", 1)


class CronJobStrategy(PodSpecStrategy):
    pod_spec = ("spec", "jobTemplate", "spec", "template", "spec")

    def default_new(self, obj: Object) -> None:
        obj["metadata"]["generation"] = 1
        obj["status"] = {}

    def keep(self, new: Object, old: Object) -> None:
        new["status"] = old.get("status", {})
        semantic.count_change(new, old, "spec", "batch", "CronJobSpec", TIMES)

    def check(self, obj: Object) -> list[FieldError]:
        problems = _validate_spec(written.restore(obj["spec"], "spec"), None)
        name = obj["metadata"].get("name", "")
        if len(name.encode()) > _NAME_BYTES_MAX:
            detail = f"must be no more than {_NAME_BYTES_MAX} characters"
            problems.append(field.invalid("metadata.name", name, detail))
        return problems

    def check_update(self, new: Object, old: Object) -> list[FieldError]:
        return _validate_spec(written.restore(new["spec"], "spec"), old["spec"])

    def warn(self, obj: Object) -> list[str]:
        return [*warnings.of_name(obj), *warnings_of_spec(obj["spec"]["jobTemplate"]["spec"], _TEMPLATE)]

    def warn_of_update(self, new: Object, old: Object) -> list[str]:
        found: list[str] = []
        if new["metadata"].get("generation") != old["metadata"].get("generation"):
            found += warnings_of_spec(new["spec"]["jobTemplate"]["spec"], _TEMPLATE)
        if "TZ" in new["spec"].get("schedule", ""):
            found.append(
                "cannot use TZ or CRON_TZ in spec.spec.schedule, use timeZone instead, see "
                "https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details"
            )
        return found


class CronJobStatusStrategy(BuiltinStrategy):
    # Upstream's strategy checks nothing of it.
    validates_changed_metadata = False

    def keep(self, new: Object, old: Object) -> None:
        new["spec"] = old.get("spec", {})


def _validate_spec(spec: Object, old: Object | None) -> list[FieldError]:
    schedule, zone = spec.get("schedule", ""), spec.get("timeZone")
    if schedule:
        had_zone = old is not None and "TZ" in old.get("schedule", "")
        problems = _schedule("spec.schedule", schedule, zone, had_zone=had_zone)
    else:
        problems = [field.required("spec.schedule")]
    problems += checks.not_negative("spec.startingDeadlineSeconds", spec.get("startingDeadlineSeconds") or 0)
    if zone is not None and (old is None or old.get("timeZone") != zone):
        problems += _time_zone("spec.timeZone", zone)
    policy = spec.get("concurrencyPolicy", "")
    problems += checks.required_one_of("spec.concurrencyPolicy", policy, _CONCURRENCIES)
    problems += validate_job_template(spec["jobTemplate"], "spec.jobTemplate")
    for name in ("successfulJobsHistoryLimit", "failedJobsHistoryLimit"):
        problems += checks.not_negative(f"spec.{name}", spec.get(name) or 0)
    return problems


def _schedule(path: str, schedule: str, zone: str | None, *, had_zone: bool) -> list[FieldError]:
    problems: list[FieldError] = []
    try:
        schedules.check(schedule)
    except schedules.WrongSchedule as error:
        problems.append(field.invalid(path, schedule, str(error)))
    if "TZ" in schedule:
        if not had_zone:
            detail = "cannot use TZ or CRON_TZ in schedule, use timeZone field instead"
            problems.append(field.invalid(path, schedule, detail))
        elif zone is not None:
            detail = "cannot use both timeZone field and TZ or CRON_TZ in schedule"
            problems.append(field.invalid(path, schedule, detail))
    return problems


def _time_zone(path: str, zone: str) -> list[FieldError]:
    if not zone:
        return [field.invalid(path, field.named(zone), "timeZone must be nil or non-empty string")]
    unknown = field.invalid(path, field.named(zone), f"unknown time zone {zone}")
    for part in zone.split("/"):
        if part in (".", "..") or part.startswith("-") or not _zone_part(part):
            return [unknown]
    problems: list[FieldError] = []
    if zone.lower() == "local":
        detail = "timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones"
        problems.append(field.invalid(path, field.named(zone), detail))
    return problems + checks.all_of(path, field.named(zone), filter(None, [schedules.find_zone_problem(zone)]))
