"""Policies of a file: which requests fit them, what users are told of them, and what is said of wrong files."""

from __future__ import annotations

import json
import logging
from pathlib import Path
from typing import Any

import pytest

from quarterdeck.apimachinery.user import User
from quarterdeck.authorization.abac import policies
from quarterdeck.authorization.abac.authorizer import ABACAuthorizer
from quarterdeck.authorization.abac.policies import Policy
from quarterdeck.authorization.authorizer import Attributes
from quarterdeck.schema.configfile import BadFile

GROUP = "abac.authorization.kubernetes.io"
BOB = User("bob", groups=("devs", "system:authenticated"))
ANONYMOUS = User("system:anonymous", groups=("system:unauthenticated",))


def write(tmp_path: Path, *lines: str | dict[str, Any]) -> str:
    file = tmp_path / "policies"
    file.write_text("\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines))
    return str(file)


def versioned(**spec: Any) -> dict[str, Any]:
    return {"apiVersion": f"{GROUP}/v1beta1", "kind": "Policy", "spec": spec}


def asked(verb: str, resource: str = "", namespace: str = "", group: str = "", path: str = "") -> Attributes:
    return Attributes(verb, group, "v1", resource, "", namespace, "", path, is_resource=not path)


def allows(policy: Policy, attributes: Attributes, user: User = BOB) -> bool:
    authorizer = ABACAuthorizer([policy])
    decision = authorizer.authorize(user, attributes)
    assert authorizer.quick(user, attributes).is_allowed == decision.is_allowed
    assert not decision.is_denied
    assert decision.reason == ("" if decision.is_allowed else "No policy matched.")
    return decision.is_allowed


@pytest.mark.parametrize(
    ("user", "group", "is_bobs"),
    [
        ("bob", "", True),
        ("*", "", True),
        ("", "devs", True),
        ("", "*", True),
        ("bob", "devs", True),
        ("*", "ops", False),
        ("bob", "ops", False),
        ("eve", "devs", False),
        ("eve", "", False),
        ("", "", False),
    ],
)
def test_for_whom_a_policy_is(user: str, group: str, is_bobs: bool) -> None:
    policy = Policy(user, group, "*", "*", "*")
    assert allows(policy, asked("create", "pods", "a")) == is_bobs


@pytest.mark.parametrize(
    ("policy", "attributes", "is_allowed"),
    [
        (Policy("*", "", "a", "*", "pods"), asked("delete", "pods", "a"), True),
        (Policy("*", "", "a", "*", "pods"), asked("delete", "pods", "b"), False),
        (Policy("*", "", "a", "*", "pods"), asked("delete", "services", "a"), False),
        (Policy("*", "", "a", "", "*"), asked("get", "pods", "a"), True),
        (Policy("*", "", "a", "", "*"), asked("get", "deployments", "a", "apps"), False),
        (Policy("*", "", "", "*", "nodes"), asked("get", "nodes"), True),
        (Policy("*", "", "*", "*", "*", "", is_readonly=True), asked("watch", "pods", "a"), True),
        (Policy("*", "", "*", "*", "*", "", is_readonly=True), asked("patch", "pods", "a"), False),
        (Policy("*", "", "*", "*", "*"), asked("get", path="/version"), False),
        (Policy("*", "", path="*"), asked("get", path="/version"), True),
        (Policy("*", "", path="*"), asked("get", "pods", "a"), False),
        (Policy("*", "", path="/version"), asked("get", path="/version"), True),
        (Policy("*", "", path="/version"), asked("get", path="/version/a"), False),
        (Policy("*", "", path="/apis/**"), asked("post", path="/apis/apps"), True),
        (Policy("*", "", path="/apis/*"), asked("get", path="/apis"), False),
        (Policy("*", "", path="/a*", is_readonly=True), asked("post", path="/apis"), False),
    ],
)
def test_what_a_policy_covers(policy: Policy, attributes: Attributes, is_allowed: bool) -> None:
    assert allows(policy, attributes) == is_allowed


def test_what_users_are_told_of_their_rights() -> None:
    authorizer = ABACAuthorizer(
        [
            Policy("bob", "", "a", "apps", "*", is_readonly=True),
            Policy("", "devs", "*", "", "pods", "/x/*"),
            Policy("bob", "", "b", "", "pods"),
            Policy("eve", "", "*", "", "pods"),
        ]
    )
    rules = authorizer.rules_of(BOB, "a")
    assert rules.resource == [
        {"verbs": ["get", "list", "watch"], "apiGroups": ["apps"], "resources": ["*"]},
        {"verbs": ["*"], "apiGroups": [""], "resources": ["pods"]},
    ]
    assert rules.other == [{"verbs": ["*"], "nonResourceURLs": ["/x/*"]}]
    assert not rules.is_incomplete
    assert not rules.error


def test_policies_of_a_file(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        file = write(
            tmp_path,
            "# who may read",
            "",
            versioned(user="a", namespace="n", resource="pods", apiGroup="*", readonly=True, unknown=1),
            versioned(group="g", nonResourcePath="/x") | {"metadata": {}},
            {"apiVersion": f"{GROUP}/v1beta1", "kind": "Policy"},
            {"apiVersion": f"{GROUP}/v0", "kind": "Policy", "user": "c", "resource": "pods"},
        )
        found = policies.load(file)
    assert found == (
        Policy("a", "", "n", "*", "pods", "", is_readonly=True),
        Policy("", "g", path="/x"),
        Policy(),
        Policy("c", "", "*", "*", "pods"),
    )
    assert not caplog.records


@pytest.mark.parametrize(
    ("line", "policy"),
    [
        ({}, Policy("", "system:authenticated", "*", "*", "*", "*")),
        ({"user": "a"}, Policy("a", "", "*", "*", "*", "*")),
        ("user: a", Policy("a", "", "*", "*", "*", "*")),
        ({"user": "*", "group": "g"}, Policy("", "system:authenticated", "*", "*", "*", "*")),
        ({"group": "*", "namespace": "n"}, Policy("", "system:authenticated", "n", "*", "*")),
        ({"group": "g", "resource": "pods", "readonly": True}, Policy("", "g", "*", "*", "pods", "", is_readonly=True)),
        ({"kind": "Policy", "user": "a", "namespace": "n"}, Policy("a", "", "n", "*", "*")),
        ({"apiVersion": f"{GROUP}/v0", "user": "a", "namespace": "n"}, Policy("a", "", "n", "*", "*")),
    ],
)
def test_lines_without_a_version(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, line: str | dict[str, Any], policy: Policy
) -> None:
    with caplog.at_level(logging.WARNING):
        assert policies.load(write(tmp_path, line)) == (policy,)
    assert "contained unversioned rules" in caplog.text
    assert not allows(policy, asked("get", "pods", "n"), ANONYMOUS)


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ('{"user": 1}', "json: cannot unmarshal number into Go struct field Policy.user of type string"),
        ("[]", "couldn't get version/kind; json parse error: json: cannot unmarshal array"),
        ('{"user": "a"', "couldn't get version/kind; json parse error: unexpected end of JSON input"),
        ('{"kind": "Role", "apiVersion": "v1"}', 'no kind "Role" is registered for version "v1"'),
        (f'{{"apiVersion": "{GROUP}/v1beta1"}}', "Object 'Kind' is missing"),
        ('{"kind": "Role"}', "Object 'apiVersion' is missing"),
    ],
)
def test_wrong_lines_are_told(tmp_path: Path, line: str, text: str) -> None:
    file = write(tmp_path, "# first", line)
    with pytest.raises(BadFile) as caught:
        policies.load(file)
    assert str(caught.value).startswith(f"error reading policy file {file}, line 2: {line}: {text}")


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(BadFile, match=r"^open .*/absent: no such file or directory$"):
        policies.load(str(tmp_path / "absent"))
    with pytest.raises(BadFile, match=r"^open : no such file or directory$"):
        policies.load("")
    with pytest.raises(BadFile, match=r"bufio\.Scanner: token too long$"):
        policies.load(write(tmp_path, "#" * 65536))
