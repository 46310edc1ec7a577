"""The resources of batch. They are data: stored, defaulted and checked, run by nobody."""

from __future__ import annotations

from typing import Final

from quarterdeck.registry.builtin.definition import Behaviour, Definition, describe, later
from quarterdeck.registry.strategy import Object

_ORPHAN_WARNING: Final = (
    "child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set "
    "propagationPolicy=Orphan to suppress this warning"
)


def definitions() -> list[Definition]:
    return [
        later(
            describe("batch", "cronjobs", "CronJob", has_status=True, short_names=("cj",), categories=("all",)),
            _load_cron_job,
        ),
        later(
            describe("batch", "jobs", "Job", has_status=True, categories=("all",)),
            _load_job,
            selectable=("status.successful",),
            orphan_warning=_ORPHAN_WARNING,
        ),
    ]


def _select_job_fields(obj: Object) -> dict[str, str]:
    return {"status.successful": str((obj.get("status") or {}).get("succeeded") or 0)}


def _load_cron_job() -> Behaviour:
    from quarterdeck.registry.builtin.batch.cronjob import (
        TIMES,
        CronJobStatusStrategy,
        CronJobStrategy,
        default_cron_job,
    )

    return Behaviour(
        CronJobStrategy(namespaced=True),
        {"status": CronJobStatusStrategy(namespaced=True)},
        default=default_cron_job,
        note=TIMES.note_written,
    )


def _load_job() -> Behaviour:
    from quarterdeck.registry.builtin.batch.defaults import default_job
    from quarterdeck.registry.builtin.batch.job import JobStatusStrategy, JobStrategy
    from quarterdeck.registry.builtin.batch.jobtimes import TIMES

    return Behaviour(
        JobStrategy(namespaced=True),
        {"status": JobStatusStrategy(namespaced=True)},
        default=default_job,
        select_fields=_select_job_fields,
        note=TIMES.note_written,
    )
