"""What a request has written down empty."""

from __future__ import annotations

from typing import Any

import pytest

from quarterdeck.registry.builtin import written
from quarterdeck.registry.builtin.batch import resources as batch
from quarterdeck.registry.builtin.codec import BuiltinCodec
from quarterdeck.registry.builtin.core import resources as core
from quarterdeck.registry.builtin.core.podtemplate import default_pod_template
from quarterdeck.registry.builtin.core.podvalidation.spec import validate_template
from quarterdeck.registry.strategy import copy_value
from quarterdeck.schema import gotypes
from support.builtin_kind import BuiltinKind

KINDS = {each.resource.kind: BuiltinKind(each) for each in (*core.definitions(), *batch.definitions())}


def test_empty_members_come_back_where_they_were_sent() -> None:
    written.note({"spec": {"a": [], "b": {}, "c": [{"d": []}], "e": 1, "f": None}})
    assert written.restore({"c": [{}], "e": 1}, "spec") == {"a": [], "b": {}, "c": [{"d": []}], "e": 1}
    assert written.is_empty("spec", "a")
    assert written.is_empty("spec", "b")
    assert not written.is_empty("spec", "c")


@pytest.mark.parametrize(
    ("member", "expected"),
    [
        (
            {"resources": {"claims": [], "limits": {}}},
            "t.spec.resources.claims: Forbidden: claims may not be set for Resources at pod-level",
        ),
        (
            {"os": {"name": "windows"}, "securityContext": {"supplementalGroups": [], "sysctls": []}},
            "t.spec.securityContext.supplementalGroups: Forbidden: cannot be set for a windows pod",
        ),
        (
            {"volumes": [{"name": "v", "ephemeral": {"volumeClaimTemplate": {"metadata": {"finalizers": []}, "spec": {
                "accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}},
            }}}}]},
            "t.spec.volumes[0].ephemeral.volumeClaimTemplate.metadata.finalizers: Forbidden: cannot be set",
        ),
    ],
)  # fmt: skip
def test_lists_that_may_not_be_set_may_not_be_empty_either(member: dict[str, Any], expected: str) -> None:
    spec = {"containers": [{"name": "c", "image": "i"}], **member}
    body: dict[str, Any] = {"apiVersion": "v1", "kind": "PodTemplate", "t": {"spec": spec}}
    written.note({"t": copy_value(body["t"])})
    decoded = {"template": body["t"]}
    BuiltinCodec("v1", "PodTemplate", lambda: gotypes.struct_of("v1", "PodTemplate"), default_pod_template).normalize(
        decoded, report_unknown=False
    )
    assert [str(problem) for problem in validate_template(decoded["template"], "t")] == [expected]


POD: dict[str, Any] = {"containers": [{"name": "c", "image": "i"}]}
ONCE: dict[str, Any] = {"spec": {**POD, "restartPolicy": "Never"}}


@pytest.mark.parametrize(
    ("kind", "spec", "expected"),
    [
        (
            "ReplicationController",
            {"selector": {"a": "b"}, "template": {"metadata": {"labels": {}}, "spec": POD}},
            "spec.template.metadata.labels: Invalid value: {}: `selector` does not match template `labels`",
        ),
        (
            "Job",
            {"template": ONCE, "successPolicy": {"rules": []}},
            'spec.successPolicy: Invalid value: {"Rules":[]}: requires indexed completion mode',
        ),
        (
            "Job",
            {
                "template": ONCE,
                "podFailurePolicy": {"rules": [{"action": "FailJob", "onExitCodes": {"operator": "In", "values": []}}]},
            },
            "spec.podFailurePolicy.rules[0].onExitCodes.values: Invalid value: []: at least one value is required",
        ),
    ],
)
def test_errors_show_what_is_empty_as_it_was_sent(kind: str, spec: dict[str, Any], expected: str) -> None:
    assert KINDS[kind].refusals({"spec": spec}) == [expected]


@pytest.mark.parametrize(("kind", "member"), [("ConfigMap", "binaryData"), ("Secret", "data")])
def test_nothing_empty_comes_to_what_is_frozen(kind: str, member: str) -> None:
    frozen = {"immutable": True}
    assert KINDS[kind].refusals_of_update(frozen, frozen) == []
    expected = f"{member}: Forbidden: field is immutable when `immutable` is set"
    assert KINDS[kind].refusals_of_update({**frozen, member: {}}, frozen) == [expected]


def test_data_of_a_config_map_is_empty_by_default() -> None:
    frozen = {"immutable": True}
    assert KINDS["ConfigMap"].refusals_of_update({**frozen, "data": {}}, frozen) == []


@pytest.mark.parametrize(("scopes", "shown"), [([], "[]"), (None, "null")])
def test_scopes_that_are_gone_are_shown_as_they_were_sent(scopes: list[str] | None, shown: str) -> None:
    told = KINDS["ResourceQuota"].refusals_of_update({"spec": {"scopes": scopes}}, {"spec": {"scopes": ["BestEffort"]}})
    assert told == [f"spec.scopes: Invalid value: {shown}: field is immutable"]


def test_a_selector_of_scopes_is_shown_as_it_was_sent() -> None:
    expression = {"scopeName": "BestEffort", "operator": "Exists", "values": []}
    spec = {"hard": {"cpu": "1"}, "scopeSelector": {"matchExpressions": [expression]}}
    shown = '{"MatchExpressions":[{"ScopeName":"BestEffort","Operator":"Exists","Values":[]}]}'
    expected = f"spec.scopeSelector.matchExpressions: Invalid value: {shown}: unsupported scope applied to resource"
    assert KINDS["ResourceQuota"].refusals({"spec": spec}) == [expected]


def test_a_changed_job_is_shown_as_it_was_sent() -> None:
    before = {"spec": {"template": ONCE, "selector": {"matchLabels": {"a": "b"}}}}
    changed = {"containers": [{"name": "c", "image": "j", "env": []}], "restartPolicy": "Never", "volumes": []}
    told = KINDS["Job"].refusals_of_update({"spec": {**before["spec"], "template": {"spec": changed}}}, before)
    shown = next(each for each in told if "field is immutable" in each)
    assert shown.startswith('spec.template: Invalid value: {"Spec":{"Volumes":[],"InitContainers":null,')
    assert '"EnvFrom":null,"Env":[],' in shown


def test_nothing_is_kept_of_an_object_without_empty_members() -> None:
    written.note({"spec": {"a": []}})
    written.note({"spec": {"a": [1]}})
    assert not written.is_empty("spec", "a")
    assert written.restore({}, "spec") == {}


def test_what_is_printed_at_a_field() -> None:
    written.note({"spec": {"a": [], "b": [{"c": {}}, {}]}})
    assert written.shown("spec.a", []) == []
    assert written.shown("spec.b[0].c", None) == {}
    assert written.shown("spec.b[1].c", None) is None
    assert written.shown("spec.b[7].c", None) is None
    assert written.shown("spec.other", ["x"]) == ["x"]
