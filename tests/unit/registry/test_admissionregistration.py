"""Webhook configurations, admission policies and bindings: what is set, what is refused, what makes a generation."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from quarterdeck.registry.builtin.admissionregistration import resources
from quarterdeck.registry.builtin.definition import Definition
from quarterdeck.registry.strategy import Object
from support.builtin_kind import BuiltinKind

RULE = {"apiGroups": ["a.dev"], "apiVersions": ["v1"], "resources": ["things"], "operations": ["CREATE"]}
MATCH = {"resourceRules": [RULE]}
WEBHOOK = {
    "name": "a.b.c",
    "clientConfig": {"url": "https://a.dev/x"},
    "sideEffects": "None",
    "admissionReviewVersions": ["v1"],
    "rules": [RULE],
}
SPECS: dict[str, Object] = {
    "validatingadmissionpolicies": {"matchConstraints": MATCH, "validations": [{"expression": "true"}]},
    "mutatingadmissionpolicies": {
        "matchConstraints": MATCH,
        "reinvocationPolicy": "Never",
        "mutations": [{"patchType": "JSONPatch", "jsonPatch": {"expression": "[JSONPatch{op: 'remove', path: '/a'}]"}}],
    },
    "validatingadmissionpolicybindings": {"policyName": "p", "validationActions": ["Deny"]},
    "mutatingadmissionpolicybindings": {"policyName": "p"},
}
OF_WEBHOOKS = ("mutatingwebhookconfigurations", "validatingwebhookconfigurations")
DEFINITIONS = {each.resource.name: each for each in resources.definitions()}


def make(name: str, /, **changes: Any) -> Object:
    obj: Object = {"metadata": {"name": "x", "uid": "u"}}
    if name in OF_WEBHOOKS:
        obj["webhooks"] = [copy.deepcopy({**WEBHOOK, **changes})]
    else:
        obj["spec"] = copy.deepcopy({**SPECS[name], **changes})
    return obj


def definition_and(name: str, /, **changes: Any) -> tuple[Definition, Object]:
    definition, obj = DEFINITIONS[name], make(name, **changes)
    assert definition.default is not None
    definition.default(obj)
    return definition, obj


def refused(name: str, /, **changes: Any) -> list[str]:
    definition, obj = definition_and(name, **changes)
    definition.strategy.prepare_for_create(obj)
    found = definition.strategy.validate(obj, [])
    assert isinstance(found, list)
    return [f"{each.path}: {each.body().splitlines()[0]}" for each in found]


@pytest.mark.parametrize("name", [*SPECS, *OF_WEBHOOKS])
def test_good_ones_are_taken(name: str) -> None:
    assert refused(name) == []


@pytest.mark.parametrize("name", [*SPECS, *OF_WEBHOOKS])
def test_changes_of_what_counts_make_a_generation(name: str) -> None:
    definition, old = definition_and(name)
    definition.strategy.prepare_for_create(old)
    assert old["metadata"]["generation"] == 1
    labelled = copy.deepcopy(old)
    labelled["metadata"]["labels"] = {"a": "b"}
    definition.strategy.prepare_for_update(labelled, old)
    assert labelled["metadata"]["generation"] == 1
    changed = copy.deepcopy(old)
    if name in OF_WEBHOOKS:
        changed["webhooks"] = []
    else:
        changed["spec"]["paramRef"] = {"name": "other"}
    definition.strategy.prepare_for_update(changed, old)
    assert changed["metadata"]["generation"] == 2


def test_webhooks_are_defaulted() -> None:
    _, obj = definition_and("mutatingwebhookconfigurations", clientConfig={"service": {"namespace": "n", "name": "s"}})
    webhook = obj["webhooks"][0]
    assert webhook["clientConfig"]["service"]["port"] == 443
    assert webhook["rules"][0]["scope"] == "*"
    assert {
        name: webhook[name] for name in ("failurePolicy", "matchPolicy", "timeoutSeconds", "reinvocationPolicy")
    } == {
        "failurePolicy": "Fail",
        "matchPolicy": "Equivalent",
        "timeoutSeconds": 10,
        "reinvocationPolicy": "Never",
    }
    assert webhook["namespaceSelector"] == webhook["objectSelector"] == {}


@pytest.mark.parametrize(
    ("name", "changes", "expected"),
    [
        (
            "validatingwebhookconfigurations",
            {"name": "a.b"},
            'webhooks[0].name: Invalid value: "a.b": should be a domain',
        ),
        (
            "validatingwebhookconfigurations",
            {"sideEffects": None},
            "webhooks[0].sideEffects: Required value: must specify",
        ),
        ("validatingwebhookconfigurations", {"timeoutSeconds": 31}, "webhooks[0].timeoutSeconds: Invalid value: 31"),
        (
            "validatingwebhookconfigurations",
            {"clientConfig": {}},
            "webhooks[0].clientConfig: Required value: exactly one",
        ),
        (
            "validatingwebhookconfigurations",
            {"clientConfig": {"service": {"name": "s"}}},
            "webhooks[0].clientConfig.service.name: Required value",  # upstream names the other one
        ),
        (
            "validatingwebhookconfigurations",
            {"rules": [{**RULE, "resources": ["*/*", "a"]}]},
            'webhooks[0].rules[0].resources: Invalid value: ["*/*","a"]: if \'*/*\' is present',
        ),
        (
            "validatingwebhookconfigurations",
            {"matchConditions": [{"name": "c", "expression": "variables.x"}]},
            'webhooks[0].matchConditions[0].expression: Invalid value: "variables.x": compilation failed: ERROR: '
            "<input>:1:1: undeclared reference to 'variables'",
        ),
        (
            "validatingadmissionpolicies",
            {"validations": [{"expression": "params.x == 1"}]},
            'spec.validations[0].expression: Invalid value: "params.x == 1": compilation failed: ERROR: <input>:1:1: '
            "undeclared reference to 'params'",
        ),
        (
            "validatingadmissionpolicies",
            {"validations": [{"expression": "true", "messageExpression": "1"}]},
            'spec.validations[0].messageExpression: Invalid value: "1": must evaluate to string but got int',
        ),
        (
            "validatingadmissionpolicies",
            {"auditAnnotations": [{"key": "k", "valueExpression": "object.x"}]},
            'spec.auditAnnotations[0].valueExpression: Invalid value: "object.x": must evaluate to one of '
            "[string null_type] but got dyn",
        ),
        (
            "mutatingadmissionpolicies",
            {"matchConstraints": {"resourceRules": [{**RULE, "operations": ["DELETE"]}]}},
            'spec.matchConstraints.resourceRules.operations: Unsupported value: "DELETE"',
        ),
        (
            "mutatingadmissionpolicybindings",
            {"matchResources": {"resourceRules": [{**RULE, "operations": ["DELETE"]}]}},
            'spec.matchResources.resourceRules.operations: Unsupported value: "DELETE"',
        ),
        (
            "mutatingadmissionpolicies",
            {"mutations": [{"patchType": "ApplyConfiguration", "applyConfiguration": {"expression": "1"}}]},
            'spec.mutations[0].applyConfiguration.expression: Invalid value: "1": must evaluate to Object but got int',
        ),
        ("mutatingadmissionpolicies", {"reinvocationPolicy": ""}, "spec.reinvocationPolicy: Required value"),
        (
            "validatingadmissionpolicybindings",
            {"paramRef": {"name": "a", "selector": {}, "parameterNotFoundAction": "Deny"}},
            "spec.paramRef.name: Forbidden: name and selector are mutually exclusive",
        ),
        (
            "mutatingadmissionpolicybindings",
            {"matchResources": {"resourceRules": [{**RULE, "operations": ["DELETE"]}]}},
            'spec.matchResources.resourceRules.operations: Unsupported value: "DELETE"',
        ),
        (
            "validatingadmissionpolicybindings",
            {"validationActions": ["Deny", "Warn"]},
            'spec.validationActions: Invalid value: ["Deny","Warn"]: must not contain both Deny and Warn',
        ),
    ],
)
def test_faults_are_told(name: str, changes: dict[str, Any], expected: str) -> None:
    found = refused(name, **changes)
    assert found, "nothing refused"
    assert found[0].startswith(expected)


@pytest.mark.parametrize("name", [*SPECS, *OF_WEBHOOKS])
def test_names_for_static_configurations_are_warned_of(name: str) -> None:
    definition, obj = definition_and(name)
    told: list[str] = []
    obj["metadata"]["name"] = "x.static.k8s.io"
    assert definition.strategy.validate(obj, told) == []
    obj["metadata"]["resourceVersion"] = "1"
    assert definition.strategy.validate_update(obj, obj, told) == []
    assert [each.partition(" are reserved")[0] for each in told] == [
        'metadata.name: names ending with ".static.k8s.io"'
    ] * 2


def test_faults_of_a_webhooks_name_are_one() -> None:
    (found,) = refused("validatingwebhookconfigurations", name="X" * 254)
    assert "must be no more than 253" in found and ",a lowercase RFC 1123 subdomain" in found


def test_too_many_annotations_are_shown_as_go_has_them() -> None:
    annotations = [{"key": f"k{number}", "valueExpression": "'x'"} for number in range(20)]
    found = refused("validatingadmissionpolicies", auditAnnotations=[*annotations, {"key": "a"}])
    assert found[0].endswith('{"Key":"a","ValueExpression":""}]: must not have more than 20 auditAnnotations')


@pytest.mark.parametrize(
    ("reference", "refusal"),
    [
        ("spec.validations[0].expression", ""),
        (" ", "Required value"),
        ("spec.validations[", 'Invalid value: "spec.validations[": invalid JSONPath: unterminated array'),
        ("#", "Invalid value: \"#\": invalid JSONPath: unrecognized character in action: U+0023 '#'"),
        ("'\\z'", "Invalid value: \"'\\\\z'\": invalid JSONPath: unquote string '\\z' error invalid syntax"),
    ],
)
def test_warnings_of_a_status_refer_to_fields(reference: str, refusal: str) -> None:
    definition, obj = definition_and("validatingadmissionpolicies")
    obj["metadata"]["resourceVersion"] = "1"
    warning = {"warning": "w", "fieldRef": reference}
    new = {**copy.deepcopy(obj), "status": {"typeChecking": {"expressionWarnings": [warning]}}}
    found = definition.subresources["status"].validate_update(new, obj, [])
    assert isinstance(found, list)
    assert [each.body() for each in found] == ([refusal] if refusal else [])


def test_variables_may_name_those_before_them() -> None:
    variables = [{"name": "a", "expression": "1"}, {"name": "b", "expression": "variables.a + 1"}]
    good = {"variables": variables, "validations": [{"expression": "variables.b == 2"}]}
    assert refused("validatingadmissionpolicies", **good) == []
    turned = {**good, "variables": variables[::-1]}
    assert refused("validatingadmissionpolicies", **turned)[0].endswith("undefined field 'a'")


def test_an_update_is_forgiven_what_is_there() -> None:
    definition, old = definition_and("validatingwebhookconfigurations", sideEffects="Some")
    new = copy.deepcopy(old)
    for obj in (old, new):
        obj["metadata"]["resourceVersion"] = "1"
    assert definition.strategy.validate_update(new, old, []) == []
    assert definition.strategy.validate(new, []) != []


@pytest.mark.parametrize(
    ("changes", "is_new"),
    [
        ({}, False),
        ({"matchConditions": []}, True),
        ({"namespaceSelector": {"matchLabels": {}}}, True),
        ({"namespaceSelector": {}}, False),
    ],
)
def test_lists_that_are_written_down_empty_make_a_new_generation_of_webhooks(
    changes: dict[str, Any], is_new: bool
) -> None:
    kind = BuiltinKind(DEFINITIONS["validatingwebhookconfigurations"])
    old = {"webhooks": [WEBHOOK]}
    made = kind.update({"webhooks": [{**WEBHOOK, **changes}]}, old)
    assert ("generation" in made["metadata"]) is is_new


def test_expressions_of_mutations_are_taken_without_blanks_around_them() -> None:
    mutation = {"patchType": "JSONPatch", "jsonPatch": {"expression": "\n  1 "}}
    (found,) = refused("mutatingadmissionpolicies", mutations=[mutation])
    assert 'Invalid value: "1": must evaluate to list(JSONPatch)' in found


def test_fields_that_patches_do_not_have_are_without_a_type() -> None:
    mutation = {"patchType": "JSONPatch", "jsonPatch": {"expression": "[JSONPatch{foo: 'a'}]"}}
    (found,) = refused("mutatingadmissionpolicies", mutations=[mutation])
    assert "expected type of field 'foo' is '' but provided type is 'string'" in found
