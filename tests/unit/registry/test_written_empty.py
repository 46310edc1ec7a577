"""What a request has written down empty."""

from __future__ import annotations

from typing import Any

import pytest

from quarterdeck.registry.builtin import written
from quarterdeck.registry.builtin.apps import resources as apps
from quarterdeck.registry.builtin.batch import resources as batch
from quarterdeck.registry.builtin.codec import BuiltinCodec
from quarterdeck.registry.builtin.core import resources as core
from quarterdeck.registry.builtin.core.podtemplate import default_pod_template
from quarterdeck.registry.builtin.core.podvalidation.spec import validate_template
from quarterdeck.registry.builtin.networking import resources as networking
from quarterdeck.registry.strategy import Object, copy_value
from quarterdeck.schema import gotypes
from support.builtin_kind import BuiltinKind

KINDS = {
    each.resource.kind: BuiltinKind(each) for each in (*core.definitions(), *apps.definitions(), *batch.definitions())
}


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


@pytest.mark.parametrize("texts", [5, {"z": "t"}])
def test_a_config_map_has_no_texts_beside_its_bytes(texts: object) -> None:
    body = {"immutable": True, "binaryData": {"z": None}, "stringData": texts}
    known = {"immutable": True, "binaryData": {"z": ""}}
    expected = "binaryData: Forbidden: field is immutable when `immutable` is set"
    assert KINDS["ConfigMap"].refusals_of_update(body, known) == [expected]


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


def test_the_metadata_of_a_changed_template_is_shown_without_what_is_empty_in_it() -> None:
    before = {"spec": {"template": ONCE, "selector": {"matchLabels": {"a": "b"}}}}
    metadata = {"name": "t", "labels": {}, "annotations": {}, "finalizers": [], "managedFields": []}
    told = KINDS["Job"].refusals_of_update(
        {"spec": {**before["spec"], "template": {**ONCE, "metadata": metadata}}}, before
    )
    shown = next(each for each in told if "field is immutable" in each)
    assert shown.startswith('spec.template: Invalid value: {"name":"t","Spec":{')


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


@pytest.mark.parametrize("name", ["odd", "sleep"])
def test_what_a_kind_does_not_declare_does_not_come_back(name: str) -> None:
    spec = {"containers": [{"name": "c", "image": "i", "livenessProbe": {name: {}, "exec": {"command": []}}}]}
    made = KINDS["PodTemplate"].create({"template": {"spec": spec}})["template"]["spec"]
    (container,) = written.restore(made, "template", "spec")["containers"]
    assert container["livenessProbe"]["exec"] == {"command": []}
    assert name not in container["livenessProbe"]


@pytest.mark.parametrize(("hook", "probe"), [({"sleep": {}}, {"grpc": {"port": 1}}), ({"grpc": {}}, {"sleep": {}})])
def test_hooks_and_probes_have_their_own_actions(hook: Object, probe: Object) -> None:
    container = {"name": "c", "image": "i", "lifecycle": {"preStop": hook}, "livenessProbe": probe}
    told = KINDS["PodTemplate"].refusals({"template": {"spec": {"containers": [container]}}})
    wrong = [f"template.spec.containers[0].{name}" for name in ("lifecycle.preStop", "livenessProbe")]
    is_right = "sleep" in hook
    assert told == ([] if is_right else [f"{at}: Required value: must specify a handler type" for at in wrong])


def test_a_template_that_ends_its_pods_at_once_has_no_time_to_sleep() -> None:
    container = {"name": "c", "image": "i", "lifecycle": {"preStop": {"sleep": {"seconds": 1}}}}
    spec = {"containers": [container], "terminationGracePeriodSeconds": -5}
    (told,) = KINDS["PodTemplate"].refusals({"template": {"spec": spec}})
    assert told.endswith("must be non-negative and less than terminationGracePeriodSeconds (-5)")
    assert KINDS["Pod"].refusals({"spec": spec}) == []  # of a pod it is one second


def test_terms_of_nodes_are_shown_with_what_is_empty_in_them() -> None:
    def gated(term: Object) -> Object:
        terms = {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [term]}}
        return {"spec": {**POD, "schedulingGates": [{"name": "g"}], "affinity": {"nodeAffinity": terms}}}

    expression = {"key": "k", "operator": "Exists"}
    old, new = gated({"matchExpressions": [expression]}), gated({"matchExpressions": [], "matchFields": []})
    told = KINDS["Pod"].refusals_of_update(new, old)
    assert any('Invalid value: {"MatchExpressions":[],"MatchFields":[]}: only additions' in each for each in told)


@pytest.mark.parametrize(
    ("member", "is_new"), [({"ingress": []}, True), ({"ingress": [{"odd": {}}]}, False), ({"ingress": [{}]}, False)]
)
def test_empty_lists_make_a_new_generation_of_a_network_policy(member: Object, is_new: bool) -> None:
    policy = BuiltinKind(next(each for each in networking.definitions() if each.resource.kind == "NetworkPolicy"))
    kept = {} if is_new else {"ingress": [{}]}
    before = {"metadata": {"generation": 1}, "spec": {"podSelector": {}, **kept}}
    changed = policy.update({"metadata": {"generation": 1}, "spec": {"podSelector": {}, **member}}, before)
    assert changed["metadata"]["generation"] == (2 if is_new else 1)


def test_amounts_of_claims_in_a_stateful_set_are_rounded() -> None:
    status = {"capacity": {"storage": "0.5m"}, "allocatedResources": {"storage": "0.5m"}}
    claim = {"metadata": {"name": "d"}, "spec": {}, "status": status}
    made = KINDS["StatefulSet"].create({"spec": {"template": {"spec": POD}, "volumeClaimTemplates": [claim]}})
    (found,) = made["spec"]["volumeClaimTemplates"]
    assert found["status"] == {
        "phase": "Pending", "capacity": {"storage": "1m"}, "allocatedResources": {"storage": "1m"},
    }  # fmt: skip


def test_what_a_request_has_written_down_empty_was_not_wrong_before() -> None:
    def members(**container: Any) -> Object:
        template = {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [{**POD["containers"][0], **container}]}}
        return {"spec": {"selector": {"matchLabels": {"a": "b"}}, "template": template}}

    told = KINDS["StatefulSet"].refusals_of_update(members(readinessProbe={"exec": {}}), members())
    at = "spec.template.spec.containers[0].readinessProbe"
    assert told == [f"{at}.exec.command: Required value"]
    told = KINDS["StatefulSet"].refusals_of_update(members(readinessProbe={}), members())
    assert told == [f"{at}: Required value: must specify a handler type"]


def test_a_changed_pod_is_shown_without_what_is_dropped_of_it() -> None:
    (told,) = KINDS["Pod"].refusals_of_update({"spec": {**POD, "schedulingGroup": {}, "hostname": "h"}}, {"spec": POD})
    assert '+ "Hostname": "h"' in told
    assert "PodGroupName" not in told


def test_a_changed_template_of_a_job_is_shown_without_what_is_dropped_of_it() -> None:
    pod = {**POD, "restartPolicy": "Never"}
    old = {"spec": {"template": {"spec": pod}}}
    new = {"spec": {"template": {"spec": {**pod, "schedulingGroup": {}, "hostname": "h"}}}}
    told = KINDS["Job"].refusals_of_update(new, old)
    assert any(each.startswith("spec.template: ") and '"SchedulingGroup":null' in each for each in told)


def test_the_difference_of_an_ephemeral_container_has_what_was_sent_empty() -> None:
    container = {"name": "c", "image": "i"}
    debugger = {"name": "e", "image": "i"}
    before = {"spec": {"containers": [container], "ephemeralContainers": [debugger]}}
    changed = debugger | {"image": "j", "args": [], "ports": []}
    after = {"spec": {"containers": [container], "ephemeralContainers": [{"name": "f", "image": "i"}, changed]}}
    told = "".join(KINDS["Pod"].refusals_of_update(after, before, "ephemeralcontainers"))
    assert '- "Args": null,' in told
    assert '+ "Args": [],' in told
    assert '+ "Ports": [],' in told
    assert '"Command": [],' not in told
