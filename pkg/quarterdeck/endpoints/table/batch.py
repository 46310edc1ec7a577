"""Tables of batch. Source: kubernetes/pkg/printers/internalversion/printers.go."""

from __future__ import annotations

from typing import Final

from quarterdeck.apimachinery import meta, time
from quarterdeck.endpoints.table.cells import (
    AGE,
    NAME,
    NONE,
    Column,
    dig,
    of_containers,
    selector,
    since,
    text,
)
from quarterdeck.endpoints.table.columns import Object

_CONTAINERS: Final = ("spec", "template", "spec", "containers")
_OF_TEMPLATE: Final = ("spec", "jobTemplate")
# The first true condition is the status of the job. Of several of one type the first counts.
_ENDS: Final = ("Complete", "Failed")
_ON_THE_WAY: Final = ("Suspended", "FailureTarget", "SuccessCriteriaMet")


def _status(obj: Object) -> str:
    first: dict[str, str] = {}
    for each in dig(obj, ("status", "conditions")) or ():
        first.setdefault(each.get("type", ""), each.get("status", ""))
    true = {kind for kind, status in first.items() if status == "True"}
    for kind in _ENDS:
        if kind in true:
            return kind
    if meta.deletion_timestamp(obj):
        return "Terminating"
    return next((kind for kind in _ON_THE_WAY if kind in true), "Running")


def _completions(obj: Object) -> str:
    done = dig(obj, ("status", "succeeded")) or 0
    wanted, parallelism = dig(obj, ("spec", "completions")), dig(obj, ("spec", "parallelism")) or 0
    if wanted is not None:
        return f"{done}/{wanted}"
    return f"{done}/1 of {parallelism}" if parallelism > 1 else f"{done}/1"


def _duration(obj: Object, now_s: float) -> str:
    status = obj.get("status") or {}
    if "startTime" not in status:
        return ""
    end_s: float | None = now_s
    if "completionTime" in status:
        # Go's zero time, which is shown as null, is set.
        end_s = time.parse_rfc3339(status["completionTime"] or time.ZERO)
    begun, end_s = status["startTime"], now_s if end_s is None else end_s
    return time.human_duration(end_s - time.ZERO_S) if begun is None else since(begun, end_s)


def _time_zone(obj: Object) -> str:
    zone = dig(obj, ("spec", "timeZone"))
    return NONE if zone is None else zone


def _suspend(obj: Object) -> str:
    suspended = dig(obj, ("spec", "suspend"))
    return "<unset>" if suspended is None else str(bool(suspended))


def _last_schedule(obj: Object, now_s: float) -> str:
    status = obj.get("status") or {}
    return since(status["lastScheduleTime"], now_s) if "lastScheduleTime" in status else NONE


_JOB: Final = (
    NAME,
    Column("Status", lambda obj, now_s: _status(obj), "Status of the job."),
    Column(
        "Completions",
        lambda obj, now_s: _completions(obj),
        "The number of pods which reached phase Succeeded. The value increases monotonically for a given spec."
        " However, it may decrease in reaction to scale down of elastic indexed jobs.",
    ),
    Column("Duration", _duration, "Time required to complete the job."),
    AGE,
    Column("Containers", of_containers("name", *_CONTAINERS), "Names of each container in the template.", priority=1),
    Column(
        "Images",
        of_containers("image", *_CONTAINERS),
        "Images referenced by each container in the template.",
        priority=1,
    ),
    Column(
        "Selector",
        selector("spec", "selector"),
        "A label query over pods that should match the pod count. Normally, the system sets this field for you. More"
        " info: https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#label-selectors",
        priority=1,
    ),
)

_CRON_JOB: Final = (
    NAME,
    Column(
        "Schedule", text("spec", "schedule"), "The schedule in Cron format, see https://en.wikipedia.org/wiki/Cron."
    ),
    Column(
        "Timezone",
        lambda obj, now_s: _time_zone(obj),
        "The time zone name for the given schedule, see https://en.wikipedia.org/wiki/List_of_tz_database_time_zones."
        " If not specified, this will default to the time zone of the kube-controller-manager process. The set of"
        " valid time zone names and the time zone offset is loaded from the system-wide time zone database by the API"
        " server during CronJob validation and the controller manager during execution. If no system-wide time zone"
        " database can be found a bundled version of the database is used instead. If the time zone name becomes"
        " invalid during the lifetime of a CronJob or due to a change in host configuration, the controller will stop"
        " creating new new Jobs and will create a system event with the reason UnknownTimeZone. More information can"
        " be found in https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/#time-zones",
    ),
    Column(
        "Suspend",
        lambda obj, now_s: _suspend(obj),
        "This flag tells the controller to suspend subsequent executions, it does not apply to already started"
        " executions.  Defaults to false.",
        type="boolean",
    ),
    Column(
        "Active",
        lambda obj, now_s: len(dig(obj, ("status", "active")) or ()),
        "A list of pointers to currently running jobs.",
        type="integer",
    ),
    Column("Last Schedule", _last_schedule, "Information when was the last time the job was successfully scheduled."),
    AGE,
    Column(
        "Containers",
        of_containers("name", *_OF_TEMPLATE, *_CONTAINERS),
        "Names of each container in the template.",
        priority=1,
    ),
    Column(
        "Images",
        of_containers("image", *_OF_TEMPLATE, *_CONTAINERS),
        "Images referenced by each container in the template.",
        priority=1,
    ),
    Column(
        "Selector",
        selector(*_OF_TEMPLATE, "spec", "selector"),
        "A label query over pods that should match the pod count. Normally, the system sets this field for you. More"
        " info: https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#label-selectors",
        priority=1,
    ),
)

PRINTERS: Final = {("batch", "CronJob"): _CRON_JOB, ("batch", "Job"): _JOB}
