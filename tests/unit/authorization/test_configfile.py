"""The file of --authorization-config: what it comes to, and what is said of wrong ones."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from quarterdeck.authorization import configfile
from quarterdeck.authorization.configuration import AuthorizerConfiguration, Webhook
from quarterdeck.authorization.webhook import conditions
from quarterdeck.authorization.webhook.conditions import Verdict
from quarterdeck.schema.configfile import BadFile

Object = dict[str, Any]
HERE = __file__
SETTINGS: Object = {
    "timeout": "3s",
    "subjectAccessReviewVersion": "v1",
    "matchConditionSubjectAccessReviewVersion": "v1",
    "failurePolicy": "NoOpinion",
    "connectionInfo": {"type": "KubeConfigFile", "kubeConfigFile": HERE},
}


def webhook(name: str = "a", **changed: Any) -> Object:
    settings = {key: value for key, value in {**SETTINGS, **changed}.items() if value is not None}
    return {"type": "Webhook", "name": name, "webhook": settings}


def encode(*authorizers: Object, version: str = "v1", **members: Any) -> bytes:
    api_version = f"apiserver.config.k8s.io/{version}"
    obj = {"apiVersion": api_version, "kind": "AuthorizationConfiguration", "authorizers": authorizers, **members}
    return json.dumps(obj).encode()


@pytest.mark.parametrize("version", ["v1", "v1beta1", "v1alpha1"])
def test_what_a_file_comes_to(version: str) -> None:
    first = webhook(
        "a.example",
        failurePolicy="Deny",
        authorizedTTL="1m30s",
        cacheUnauthorizedRequests=False,
        matchConditions=[{"expression": "request.user != 'x'"}],
    )
    found = configfile.load(encode(first, webhook("b"), {"type": "RBAC", "name": "rbac"}, version=version))
    assert found.authorizers == (
        AuthorizerConfiguration(
            "Webhook",
            "a.example",
            Webhook(Path(HERE), "v1", 3.0, 90.0, 0.0, is_denied_on_failure=True, conditions=("request.user != 'x'",)),
        ),
        AuthorizerConfiguration("Webhook", "b", Webhook(Path(HERE), "v1", 3.0, 300.0, 30.0)),
        AuthorizerConfiguration("RBAC", "rbac"),
    )
    assert [each.expression for each in found.conditions["a.example"]] == ["request.user != 'x'"]


TIMEOUT = "authorizers[0].timeout"
EXPRESSION = "authorizers[0].matchConditions[0].expression"
CONNECTION = "authorizers[0].connectionInfo"


@pytest.mark.parametrize(
    ("authorizers", "text"),
    [
        ([], "authorizers: Required value: at least one authorization mode must be defined"),
        ([{"name": "a"}], "authorizers[0].type: Required value"),
        (
            [{"type": "X", "name": "x"}],
            'authorizers[0].type: Unsupported value: "X": supported values: "ABAC", "AlwaysAllow", "AlwaysDeny", '
            '"Node", "RBAC", "Webhook"',
        ),
        ([{"type": "RBAC", "name": "rbac"}] * 2, 'authorizers[1].type: Duplicate value: "RBAC"'),
        ([{"type": "RBAC"}], "authorizers[0].name: Required value"),
        ([{"type": "RBAC", "name": "other"}], "expected name rbac for authorizer RBAC instead of other"),
        ([webhook(), webhook()], 'authorizers[1].name: Duplicate value: "a"'),
        (
            [webhook("A_")],
            'authorizers[0].name: Invalid value: "A_": authorizer name is invalid: a lowercase RFC 1123 subdomain must '
            "consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric "
            "character (e.g. 'example.com', regex used for validation is "
            "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
        ),
        ([{"type": "Webhook", "name": "a"}], "authorizers[0].webhook: Required value: required when type=Webhook"),
        (
            [{**webhook("rbac"), "type": "RBAC"}],
            'authorizers[0].webhook: Invalid value: "non-null": may only be specified when type=Webhook',
        ),
        ([webhook(timeout=None)], f"{TIMEOUT}: Required value"),
        ([webhook(timeout="31s")], f'{TIMEOUT}: Invalid value: "31s": must be > 0s and <= 30s'),
        ([webhook(timeout="-1500ms")], f'{TIMEOUT}: Invalid value: "-1.5s": must be > 0s and <= 30s'),
        ([webhook(unauthorizedTTL="-1m")], 'authorizers[0].unauthorizedTTL: Invalid value: "-1m0s": must be > 0s'),
        (
            [webhook(subjectAccessReviewVersion="v2")],
            'authorizers[0].subjectAccessReviewVersion: Unsupported value: "v2": supported values: "v1", "v1beta1"',
        ),
        (
            [webhook(matchConditionSubjectAccessReviewVersion=None, matchConditions=[{"expression": "true"}])],
            "authorizers[0].matchConditionSubjectAccessReviewVersion: Required value: required if match conditions are "
            "specified",
        ),
        (
            [webhook(failurePolicy="Allow")],
            'authorizers[0].failurePolicy: Unsupported value: "Allow": supported values: "NoOpinion", "Deny"',
        ),
        ([webhook(connectionInfo={})], f"{CONNECTION}.type: Required value"),
        (
            [webhook(connectionInfo={"type": "X"})],
            f'{CONNECTION}.type: Unsupported value: {{"KubeConfigFile":null,"Type":"X"}}: supported values: '
            '"InClusterConfig", "KubeConfigFile"',
        ),
        ([webhook(connectionInfo={"type": "KubeConfigFile"})], f"{CONNECTION}.kubeConfigFile: Required value"),
        (
            [webhook(connectionInfo={"type": "KubeConfigFile", "kubeConfigFile": "x"})],
            f'{CONNECTION}.kubeConfigFile: Invalid value: "x": must be an absolute path',
        ),
        (
            [webhook(connectionInfo={"type": "KubeConfigFile", "kubeConfigFile": "/absent"})],
            f'{CONNECTION}.kubeConfigFile: Invalid value: "/absent": error loading file: stat /absent: no such file or '
            "directory",
        ),
        (
            [webhook(connectionInfo={"type": "KubeConfigFile", "kubeConfigFile": "/"})],
            f'{CONNECTION}.kubeConfigFile: Invalid value: "/": must be a regular file',
        ),
        ([webhook(matchConditions=[{"expression": " "}])], f"{EXPRESSION}: Required value"),
        (
            [webhook(matchConditions=[{"expression": "true"}] * 2)],
            'authorizers[0].matchConditions[1].expression: Duplicate value: "true"',
        ),
        (
            [webhook(matchConditions=[{"expression": "request.user"}])],
            f'{EXPRESSION}: Invalid value: "request.user": must evaluate to bool but got string',
        ),
        (
            [webhook(matchConditions=[{"expression": "duration('1s')"}])],
            f"{EXPRESSION}: Invalid value: \"duration('1s')\": must evaluate to bool but got google.protobuf.Duration",
        ),
        (
            [webhook(matchConditions=[{"expression": "request.name == ''"}])],
            f"{EXPRESSION}: Invalid value: \"request.name == ''\": compilation failed: ERROR: <input>:1:8: undefined "
            "field 'name'\n | request.name == ''\n | .......^",
        ),
        (
            [webhook(matchConditions=[{"expression": "true"}] * 65)],
            "authorizers[0].matchConditions: Too many: 65: must have at most 64 items",
        ),
        (
            [{"type": "ABAC", "name": "a"}],
            "expected name abac for authorizer ABAC instead of a",
        ),
        (
            [webhook(timeout=None, failurePolicy=None)],
            f"[{TIMEOUT}: Required value, authorizers[0].failurePolicy: Required value]",
        ),
    ],
)
def test_what_is_refused(authorizers: list[Object], text: str) -> None:
    with pytest.raises(BadFile) as caught:
        configfile.load(encode(*authorizers))
    assert str(caught.value) == text


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (
            encode({"type": "RBAC", "name": "rbac", "x": 1}, other=2),
            'strict decoding error: unknown field "authorizers[0].x", unknown field "other"',
        ),
        (encode(webhook(timeout="x")), 'time: invalid duration "x"'),
        (encode(webhook(timeout=3)), "json: cannot unmarshal number into Go value of type string"),
        (
            encode(version="v2"),
            'no kind "AuthorizationConfiguration" is registered for version "apiserver.config.k8s.io/v2" in scheme '
            '"k8s.io/apiserver/pkg/apis/apiserver/load/load.go:32"',
        ),
        (b"apiVersion: v1\n", "Object 'Kind' is missing in 'apiVersion: v1\n'"),
    ],
)
def test_what_cannot_be_read(data: bytes, text: str) -> None:
    with pytest.raises(BadFile) as caught:
        configfile.load(data)
    assert sorted(str(caught.value).removeprefix("failed to load AuthorizationConfiguration from file: ")) == sorted(
        text
    )


def test_types_that_were_there_at_the_start_must_stay() -> None:
    with pytest.raises(BadFile, match=r"missing required types: \[Node RBAC\]"):
        configfile.load(encode(webhook()), ["RBAC", "Node"])


SPEC = {
    "user": "bob",
    "groups": ["devs"],
    "resourceAttributes": {
        "verb": "list",
        "resource": "pods",
        "fieldSelector": {"requirements": [{"key": "a", "operator": "In", "values": ["b"]}]},
    },
}


@pytest.mark.parametrize(
    ("expressions", "verdict"),
    [
        (["request.user == 'bob'", "'devs' in request.groups"], Verdict(True)),
        (["request.resourceAttributes.namespace == ''", "request.uid == ''"], Verdict(True)),
        (["has(request.nonResourceAttributes)"], Verdict(False)),
        (
            ["request.resourceAttributes.fieldSelector.requirements.exists(r, r.key == 'a' && 'b' in r.values)"],
            Verdict(True),
        ),
        (["!has(request.resourceAttributes.labelSelector)"], Verdict(True)),
        (
            ["request.extra['x'][0] == ''"],
            Verdict(
                False,
                "cel evaluation error: expression 'request.extra['x'][0] == ''' resulted in error: no such key: x",
            ),
        ),
        (["request.extra['x'][0] == ''", "false"], Verdict(False)),
    ],
)
def test_match_conditions(expressions: list[str], verdict: Verdict) -> None:
    compiled = [conditions.compile_condition(each) for each in expressions]
    assert conditions.evaluate(compiled, SPEC) == verdict
