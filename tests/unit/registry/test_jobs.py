"""Jobs and cron jobs: what is defaulted, generated, refused, and kept."""

from __future__ import annotations

from typing import Any

import pytest

from quarterdeck.registry.builtin import written
from quarterdeck.registry.builtin.batch import durations, indexes, jobpolicies, jobstatus, jobupdate, schedules
from quarterdeck.registry.builtin.batch.cronjob import CronJobStrategy, default_cron_job
from quarterdeck.registry.builtin.batch.defaults import default_job
from quarterdeck.registry.builtin.batch.job import JobStatusStrategy, JobStrategy
from quarterdeck.registry.builtin.batch.jobvalidation import validate_job_spec
from quarterdeck.registry.builtin.core.podvalidation import gonames
from quarterdeck.registry.deletion import Options

INDEXED = {"completionMode": "Indexed", "completions": 4}
RULE = {"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget"}]}


def build_job(**spec: Any) -> dict[str, Any]:
    pod = {"containers": [{"name": "c", "image": "i"}], "restartPolicy": "Never"}
    obj: dict[str, Any] = {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": "a", "namespace": "ns", "uid": "u", "resourceVersion": "1"},
        "spec": {"template": {"spec": pod}, **spec},
        "status": {},
    }
    default_job(obj)
    return obj


def told(problems: list[Any]) -> list[str]:
    return [f"{one.path}: {one.body()}" for one in problems]


def test_defaults_depend_on_each_other() -> None:
    plain = build_job()["spec"]
    assert (plain["completions"], plain["parallelism"], plain["backoffLimit"]) == (1, 1, 6)
    assert "completions" not in build_job(parallelism=2)["spec"]
    policy = build_job(backoffLimitPerIndex=1, podFailurePolicy={"rules": [RULE]})["spec"]
    assert (policy["backoffLimit"], policy["podReplacementPolicy"]) == (2**31 - 1, "Failed")
    assert policy["podFailurePolicy"]["rules"][0]["onPodConditions"][0]["status"] == "True"


def test_a_job_gets_labels_and_a_selector_of_its_own() -> None:
    job = build_job(template={"metadata": {"labels": {"x": "y"}}, "spec": {"containers": [], "restartPolicy": "Never"}})
    JobStrategy(namespaced=True).prepare_for_create(job)
    generated = {"job-name": "a", "batch.kubernetes.io/job-name": "a", "controller-uid": "u"}
    expected = {"x": "y", **generated, "batch.kubernetes.io/controller-uid": "u"}
    assert job["spec"]["template"]["metadata"]["labels"] == expected == job["metadata"]["labels"]
    assert job["spec"]["selector"] == {"matchLabels": {"batch.kubernetes.io/controller-uid": "u"}}


@pytest.mark.parametrize(
    ("labels", "of_pods", "is_less"), [({}, {}, True), ({"own": "label"}, {}, False), ({}, {"x": "y"}, False)]
)
def test_labels_that_nobody_named_are_set_when_the_job_is_read(
    labels: dict[str, str], of_pods: dict[str, str], is_less: bool
) -> None:
    job = build_job()
    job["metadata"]["labels"], job["spec"]["template"]["metadata"] = labels, {"labels": of_pods}
    default_job(job)
    strategy = JobStrategy(namespaced=True)
    strategy.prepare_for_create(job)
    assert not strategy.validate(job, [])
    assert strategy.is_stored_with_less(job, is_new=True, dry_run=False) is is_less


def test_a_status_without_labels_takes_those_of_the_pods() -> None:
    old = build_job()
    JobStrategy(namespaced=True).default_new(old)
    assert not JobStrategy(namespaced=True).validate(old, [])
    new = {**old, "metadata": {"name": "a", "uid": "u"}, "spec": {"template": {}}, "status": {"active": 1}}
    strategy = JobStatusStrategy(namespaced=True)
    strategy.keep(new, old)
    assert strategy.is_stored_with_less(new, is_new=False, dry_run=False)
    assert new["metadata"]["labels"] == old["spec"]["template"]["metadata"]["labels"]
    assert not strategy.is_stored_with_less(new, is_new=False, dry_run=False)


def test_labels_that_a_job_takes_from_its_pods_are_not_checked_as_its_own() -> None:
    job, strategy = build_job(), JobStrategy(namespaced=True)
    job["metadata"]["name"] = "a" * 64
    strategy.prepare_for_create(job)
    assert {one.path for one in strategy.validate(job, [])} == {"spec.template.labels"}


def test_empty_labels_that_a_job_takes_from_its_pods_are_checked_as_its_own() -> None:
    job, strategy = build_job(), JobStrategy(namespaced=True)
    job["metadata"]["name"] = "a" * 64
    written.note({"spec": {"template": {"metadata": {"labels": {}}}}})
    strategy.prepare_for_create(job)
    assert {one.path for one in strategy.validate(job, [])} == {"metadata.labels", "spec.template.labels"}
    assert job["metadata"]["labels"] == job["spec"]["template"]["metadata"]["labels"]


def test_labels_of_its_own_stay() -> None:
    job = build_job()
    job["metadata"]["labels"] = {"own": "label"}
    JobStrategy(namespaced=True).prepare_for_create(job)
    assert job["metadata"]["labels"] == {"own": "label"}


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ({"parallelism": -1}, "spec.parallelism: Invalid value: -1: must be greater than or equal to 0"),
        (
            {"maxFailedIndexes": 1, **INDEXED},
            "backoffLimitPerIndex: Required value: when maxFailedIndexes is specified",
        ),
        ({"backoffLimitPerIndex": 1}, "spec.backoffLimitPerIndex: Invalid value: 1: requires indexed completion mode"),
        (
            {"completionMode": "Indexed", "parallelism": 1},
            "completions: Required value: when completion mode is Indexed",
        ),
        ({"completionMode": "Odd"}, 'Unsupported value: "Odd": supported values: "NonIndexed", "Indexed"'),
        ({"managedBy": "a"}, 'must be a domain-prefixed path (such as "acme.io/foo")'),
        ({"managedBy": "a/é"}, 'spec.managedBy: Invalid value: "é": Invalid path (regex used for validation is'),
        ({"successPolicy": {"rules": []}}, 'spec.successPolicy: Invalid value: {"Rules":[]}: requires indexed'),
        (
            {"podReplacementPolicy": "TerminatingOrFailed", "podFailurePolicy": {"rules": []}},
            'supported values: "Failed"',
        ),
    ],
)
def test_refused_specs(spec: dict[str, Any], expected: str) -> None:
    assert any(expected in one for one in told(validate_job_spec(build_job(**spec)["spec"], "spec")))


def test_the_restart_policy_of_a_job_is_said() -> None:
    spec = build_job()["spec"]
    spec["template"]["spec"]["restartPolicy"] = "Always"
    (one,) = told(validate_job_spec(spec, "spec"))
    assert one == 'spec.template.spec.restartPolicy: Required value: valid values: "OnFailure", "Never"'


def test_rules_of_failure() -> None:
    rule = {"action": "Odd", "onExitCodes": {"containerName": "x", "operator": "In", "values": [2, 0, 2]}}
    spec = build_job(podFailurePolicy={"rules": [rule, {"action": ""}]})["spec"]
    assert told(jobpolicies.validate_failure_policy(spec, "p")) == [
        'p.rules[0].action: Unsupported value: "Odd": supported values: "Count", "FailIndex", "FailJob", "Ignore"',
        'p.rules[0].onExitCodes.containerName: Invalid value: "x": must be one of the container or initContainer names '
        "in the pod template",
        "p.rules[0].onExitCodes.values[1]: Invalid value: 0: must not be 0 for the In operator",
        "p.rules[0].onExitCodes.values[2]: Duplicate value: 2",
        "p.rules[0].onExitCodes.values: Invalid value: [2,0,2]: must be ordered",
        'p.rules[1].action: Required value: valid values: ["Count" "FailIndex" "FailJob" "Ignore"]',
        "p.rules[1]: Invalid value: specifying one of OnExitCodes and OnPodConditions is required",
    ]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", ""),
        ("0,2-3", ""),
        ("0-9", 'too large index: "9"'),
        ("1,1", "non-increasing order, previous: 1, current: 1"),
        ("2-1", "non-increasing order, previous: 2, current: 1"),
        ("x", 'cannot convert string to integer for index: "x"'),
        ("9" * 5000, "cannot convert string to integer for index: "),
        ("1-2-3", "violates the requirement that an index interval can have at most two parts"),
    ],
)
def test_indexes_that_cannot_be_counted_are_told(text: str, problem: str) -> None:
    try:
        indexes.count(text, 4)
    except indexes.WrongIndexes as error:
        assert problem and problem in str(error)
    else:
        assert not problem


def test_overlapping_indexes() -> None:
    assert indexes.find_overlap("0-2,x,5", "3,5-6", 9) == 5
    assert indexes.find_overlap("0-2", "3", 9) is None


def test_what_may_change() -> None:
    old = build_job(**INDEXED, suspend=True)["spec"]
    new = build_job(**{**INDEXED, "completions": 5}, suspend=True)["spec"]
    new["template"]["spec"]["nodeSelector"] = {"a": "b"}
    new["template"]["spec"]["containers"][0]["resources"] = {"limits": {"cpu": "1"}}
    (one,) = told(jobupdate.validate_update(new, old, is_placeable=True))
    assert one == "spec.completions: Invalid value: 5: can only be modified in tandem with spec.parallelism"
    assert [one.path for one in jobupdate.validate_update(new, old, is_placeable=False)][1:] == ["spec.template"]
    new["template"]["spec"]["containers"][0]["image"] = "other"
    assert [one.path for one in jobupdate.validate_update(new, old, is_placeable=True)][1:] == ["spec.template.spec"]


@pytest.mark.parametrize(
    ("status", "is_placeable"),
    [
        ({}, True),
        ({"startTime": "2024-01-01T00:00:00Z"}, False),
        ({"startTime": None}, False),  # Go's zero time
        ({"startTime": "2024-01-01T00:00:00Z", "conditions": [{"type": "Suspended", "status": "True"}]}, True),
        ({"active": 1}, False),
    ],
)
def test_the_pods_of_a_job_at_rest_may_be_placed_elsewhere(status: dict[str, Any], is_placeable: bool) -> None:
    strategy, old, new = JobStrategy(namespaced=True), build_job(suspend=True), build_job(suspend=True)
    for job in (old, new):
        strategy.prepare_for_create(job)
    old["status"] = status
    new["spec"]["template"]["spec"]["nodeSelector"] = {"a": "b"}
    found = [one.path for one in strategy.check_update(new, old)]
    assert found == ([] if is_placeable else ["spec.template"])


def test_a_finished_job_that_never_began_has_no_pods() -> None:
    new, old = build_job(suspend=True, completions=0), build_job()
    new["status"] = {"conditions": [{"type": "Complete", "status": "True"}]}
    assert all("startTime" not in one for one in told(jobstatus.validate_status(new, old)))


BEGIN, END = "2024-01-01T00:00:00Z", "2024-01-02T00:00:00Z"
TARGET, FAILED = {"type": "FailureTarget", "status": "True"}, {"type": "Failed", "status": "True"}
RESUMED, WAITING = ([{"type": "Suspended", "status": status}] for status in ("False", "True"))
FIXED = f'status.startTime: Invalid value: "{END}": field is immutable for unsuspended job once set'
NO_LIMIT = (
    'status.failedIndexes: Invalid value: "0": cannot set non-null failedIndexes when backoffLimitPerIndex is null'
)
COMPLETE = {"conditions": [{"type": "Complete", "status": "True"}]}


@pytest.mark.parametrize(
    ("status", "before", "expected"),
    [
        ({"active": 1, "ready": 2}, {}, ["status.ready: Invalid value: 2: cannot set more ready pods than active"]),
        ({"ready": 2}, {"ready": 2}, []),
        ({"active": -1}, {}, ["status.active: Invalid value: -1: must be greater than or equal to 0"]),
        ({"failed": 1}, {"failed": 2}, ["status.failed: Invalid value: 1: cannot decrease the failed counter"]),
        (
            COMPLETE,
            {},
            [
                "status.completionTime: Required value: completionTime is required for Complete jobs",
                "status.conditions: Invalid value: cannot set Complete=True condition without the "
                "SuccessCriteriaMet=true condition",
                "status.startTime: Required value: startTime is required for finished job",
            ],
        ),
        (COMPLETE, COMPLETE, []),
        ({}, COMPLETE, ["status.conditions: Invalid value: cannot disable the terminal Complete=True condition"]),
        (
            {**COMPLETE, "startTime": END, "completionTime": BEGIN},
            {**COMPLETE, "startTime": END, "completionTime": END},
            [
                f'status.completionTime: Invalid value: "{BEGIN}": must be equal to or after `startTime`',
                f'status.completionTime: Invalid value: "{BEGIN}": field is immutable',
            ],
        ),
        (
            {**COMPLETE, "uncountedTerminatedPods": {"failed": ["a"], "succeeded": []}, "terminating": 1},
            COMPLETE,
            [
                'status.uncountedTerminatedPods: Invalid value: {"Succeeded":[],"Failed":["a"]}: must be empty for '
                "finished job",
                "status.terminating: Invalid value: 1: terminating>0 is invalid for finished job",
            ],
        ),
        ({"conditions": [TARGET], "failedIndexes": "0"}, {"conditions": [TARGET]}, [NO_LIMIT]),
        (
            {"conditions": [FAILED], "failedIndexes": "0"},
            {"conditions": [FAILED]},
            [
                "status.conditions: Invalid value: cannot set Failed=True condition without the FailureTarget=true "
                "condition",
                NO_LIMIT,
            ],
        ),
        ({"startTime": END}, {"startTime": BEGIN}, [FIXED]),
        ({"startTime": END, "conditions": RESUMED}, {"startTime": BEGIN, "conditions": WAITING}, []),
        ({"startTime": END}, {"startTime": None}, [FIXED]),
        ({}, {"startTime": None}, [FIXED.replace(f'"{END}"', "null")]),
        ({"startTime": None}, {"startTime": None}, [FIXED.replace(f'"{END}"', "null")]),
        (
            {"startTime": BEGIN, "completionTime": None},
            {"startTime": BEGIN},
            [
                "status.completionTime: Invalid value: null: cannot set completionTime when there is no "
                "Complete=True condition",
                "status.completionTime: Invalid value: null: must be equal to or after `startTime`",
            ],
        ),
    ],
)
def test_the_status_of_a_job(status: dict[str, Any], before: dict[str, Any], expected: list[str]) -> None:
    new, old = build_job(), build_job()
    new["status"], old["status"] = status, before
    assert told(jobstatus.validate_status(new, old)) == expected


def test_who_deletes_a_job_without_a_word_keeps_its_pods() -> None:
    strategy, job = JobStrategy(namespaced=True), build_job()
    marked = strategy.mark(job, Options())
    assert marked is not None
    assert marked["metadata"]["finalizers"] == ["orphan"]
    assert strategy.mark(job, Options(propagation_policy="Background")) is None
    job["metadata"]["finalizers"] = ["foregroundDeletion"]
    kept = strategy.mark(job, Options())
    assert kept is not None
    assert kept["metadata"]["finalizers"] == ["foregroundDeletion"]


@pytest.mark.parametrize(
    ("schedule", "problem"),
    [
        ("0 3 * * 1-5", ""),
        ("*/5 1,2 ? jan-mar sun", ""),
        ("@every 1h", ""),
        ("@daily", ""),
        ("a", "expected exactly 5 fields, found 1: [a]"),
        ("60 * * * *", "end of range (60) above maximum (59): 60"),
        ("* * 0 * *", "beginning of range (0) below minimum (1): 0"),
        ("5-1 * * * *", "beginning of range (5) beyond end of range (1): 5-1"),
        ("1-2-3 * * * *", "too many hyphens: 1-2-3"),
        ("1/2/3 * * * *", "too many slashes: 1/2/3"),
        ("*/0 * * * *", "step of range should be a positive number: */0"),
        ("x * * * *", 'failed to parse int from x: strconv.Atoi: parsing "x": invalid syntax'),
        ("@odd", "unrecognized descriptor: @odd"),
        ("@every 1", 'failed to parse duration @every 1: time: missing unit in duration "1"'),
        ("TZ=Odd/Zone * * * * *", "provided bad location Odd/Zone: unknown time zone Odd/Zone"),
        ("TZ=Asia * * * * *", "provided bad location Asia: is a directory"),
        ("TZ=zone.tab * * * * *", "provided bad location zone.tab: malformed time zone information"),
        ("TZ=UTC/x * * * * *", "provided bad location UTC/x: not a directory"),
        ("TZ=Europe//Berlin * * * * *", ""),
        ("TZ=a\0 * * * * *", "provided bad location a\0: invalid argument"),
        ("TZ=../x * * * * *", "provided bad location ../x: time: invalid location name"),
        ("TZ=UTC", "invalid schedule format: runtime error: slice bounds out of range [:-1]"),
        ("TZ=UTC ", "expected exactly 5 fields, found 0: []"),
        ("* * * * fr\u0130", ""),
        ("* *\x1c* * *", "expected exactly 5 fields, found 4: [* *\x1c* * *]"),
        ("TZ=UTC \x1c@daily", "expected exactly 5 fields, found 1: [\x1c@daily]"),
    ],
)
def test_a_schedule_that_is_none_is_told(schedule: str, problem: str) -> None:
    try:
        schedules.check(schedule)
    except schedules.WrongSchedule as error:
        assert str(error) == problem
    else:
        assert problem == ""


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("1h2m3.5s", ""),
        ("-1.5h", ""),
        ("", 'time: invalid duration ""'),
        ("1x", 'time: unknown unit "x" in duration "1x"'),
        (".s", 'time: invalid duration ".s"'),
        ("9999999h", 'time: invalid duration "9999999h"'),
    ],
)
def test_a_duration_that_is_none_is_told(text: str, problem: str) -> None:
    assert durations.find_problem(text) == problem


def test_a_cron_job_is_defaulted_and_checked() -> None:
    job = build_job()["spec"]
    obj: dict[str, Any] = {
        "metadata": {"name": "x" * 53, "namespace": "ns"},
        "spec": {"schedule": "TZ=UTC 1 2 3 4 5", "timeZone": "local", "jobTemplate": {"spec": job}},
    }
    default_cron_job(obj)
    assert (obj["spec"]["concurrencyPolicy"], obj["spec"]["failedJobsHistoryLimit"]) == ("Allow", 1)
    job |= {"selector": {}, "manualSelector": True}
    strategy = CronJobStrategy(namespaced=True)
    assert told(strategy.check(obj)) == [
        'spec.schedule: Invalid value: "TZ=UTC 1 2 3 4 5": cannot use TZ or CRON_TZ in schedule, use timeZone field '
        "instead",
        'spec.timeZone: Invalid value: "local": timeZone must be an explicit time zone as defined in '
        "https://www.iana.org/time-zones",
        'spec.timeZone: Invalid value: "local": unknown time zone local',
        "spec.jobTemplate.spec.selector: Invalid value: {}: `selector` will be auto-generated",
        'spec.jobTemplate.spec.manualSelector: Unsupported value: true: supported values: "nil", "false"',
        f'metadata.name: Invalid value: "{"x" * 53}": must be no more than 52 characters',
    ]
    assert [one.path for one in strategy.check_update(obj, obj)] == [
        "spec.schedule",
        "spec.jobTemplate.spec.selector",
        "spec.jobTemplate.spec.manualSelector",
    ]


def test_a_template_is_shown_without_metadata_that_is_written_down_empty() -> None:
    template = {"metadata": {"annotations": {}, "finalizers": [], "labels": {"a": "b"}}, "spec": {"nodeSelector": {}}}
    shown = gonames.to_go("PodTemplateSpec", template)
    assert (list(shown), shown["Spec"]["NodeSelector"]) == (["labels", "Spec"], {})
