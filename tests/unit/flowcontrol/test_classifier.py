"""Which schema a request is of, and which of its flows."""

from __future__ import annotations

from typing import Any

import pytest

from quarterdeck.apimachinery.user import User
from quarterdeck.flowcontrol.classifier import Classifier, Schema, read_rules
from quarterdeck.flowcontrol.flows import Level, Named
from support.flow_levels import build_counts, build_level

ALL_RESOURCES = {"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"], "clusterScope": True, "namespaces": ["*"]}
USER = User("jane", groups=("dev", "system:authenticated"))


def group(name: str) -> dict[str, Any]:
    return {"kind": "Group", "group": {"name": name}}


def account(name: str) -> dict[str, Any]:
    return {"kind": "ServiceAccount", "serviceAccount": {"namespace": "n", "name": name}}


def resource(namespace: str = "", name: str = "pods", subresource: str = "", group: str = "") -> tuple[str, ...]:
    return (group, name, subresource, namespace)


def classify(level: Level, rule: dict[str, Any], user: User, verb: str, asked: tuple[str, ...]) -> str:
    last = {"subjects": [group("*")], "resourceRules": [ALL_RESOURCES]}
    schemas = [
        Schema(Named("asked", ""), level, "ByUser", read_rules({"rules": [rule]})),
        Schema(Named("last", ""), level, "", read_rules({"rules": [last]})),
    ]
    return Classifier(schemas, lambda _: build_counts()).find(user, (verb, *asked)).schema


@pytest.mark.parametrize(
    ("subject", "name", "expected"),
    [
        (group("dev"), "jane", "asked"),
        (group("ops"), "jane", "last"),
        (group("*"), "jane", "asked"),
        ({"kind": "User", "user": {"name": "jane"}}, "jane", "asked"),
        ({"kind": "User", "user": {"name": "*"}}, "joe", "asked"),
        ({"kind": "User", "user": {"name": "joe"}}, "jane", "last"),
        (account("a"), "system:serviceaccount:n:a", "asked"),
        (account("*"), "system:serviceaccount:n:b", "asked"),
        (account("*"), "system:serviceaccount:nn:b", "last"),
    ],
)
async def test_a_schema_is_about_its_subjects(subject: dict[str, Any], name: str, expected: str) -> None:
    rule = {"subjects": [subject], "resourceRules": [ALL_RESOURCES]}
    user = User(name, groups=USER.groups)
    assert classify(build_level(10), rule, user, "get", resource("n")) == expected


@pytest.mark.parametrize(
    ("changes", "verb", "address", "expected"),
    [
        ({}, "get", resource(), "asked"),
        ({"clusterScope": False}, "list", resource(), "last"),
        ({"clusterScope": False}, "list", resource("n"), "asked"),
        ({"namespaces": ["m"]}, "get", resource("n"), "last"),
        ({"namespaces": ["m", "n"]}, "get", resource("n"), "asked"),
        ({"verbs": ["list", "watch"]}, "get", resource("n"), "last"),
        ({"resources": ["pods"]}, "get", resource("n", subresource="status"), "last"),
        ({"resources": ["pods/status"]}, "get", resource("n", subresource="status"), "asked"),
        ({"apiGroups": ["apps"]}, "get", resource("n"), "last"),
        ({"apiGroups": [""]}, "get", resource("n"), "asked"),
    ],
)
async def test_a_schema_is_about_its_resources(changes: dict[str, Any], verb: str, address: Any, expected: str) -> None:
    rule = {"subjects": [group("dev")], "resourceRules": [{**ALL_RESOURCES, **changes}]}
    assert classify(build_level(10), rule, USER, verb, address) == expected


@pytest.mark.parametrize(
    ("urls", "path", "expected"),
    [
        (["*"], "/anything", "asked"),
        (["/healthz"], "/healthz", "asked"),
        (["/healthz"], "/healthz/ping", "asked"),
        (["/healthz/*"], "/healthz/ping", "asked"),
        (["/healthz"], "/healthzz", "last"),
        (["/openapi", "/version"], "/version", "asked"),
    ],
)
async def test_a_schema_is_about_its_paths(urls: list[str], path: str, expected: str) -> None:
    rule = {"subjects": [group("dev")], "nonResourceRules": [{"verbs": ["get"], "nonResourceURLs": urls}]}
    assert classify(build_level(10), rule, USER, "get", (path,)) == expected
    assert classify(build_level(10), rule, USER, "post", (path,)) == "last"


async def test_flows_are_told_apart_as_the_schema_says() -> None:
    level = build_level(10, queues=8, hand_size=2, length_max=5)
    rules = read_rules({"rules": [{"subjects": [group("*")], "resourceRules": [ALL_RESOURCES]}]})
    for method, same_user, same_namespace in (("ByUser", True, False), ("ByNamespace", False, True), ("", True, True)):
        find = Classifier([Schema(Named("s", ""), level, method, rules)], lambda _: build_counts()).find
        flow = find(USER, ("get", *resource("n")))
        assert (find(USER, ("get", *resource("m"))) is flow) == same_user
        assert (find(User("joe"), ("get", *resource("n"))) is flow) == same_namespace
