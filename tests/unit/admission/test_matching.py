"""Which requests rules and selectors concern."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from quarterdeck.admission.attributes import Attributes, Equivalent
from quarterdeck.admission.matching import Matched, Selection, is_exempt
from quarterdeck.apimachinery import errors
from quarterdeck.apimachinery.user import User
from quarterdeck.apis.resource import APIResource, GroupVersionKind
from support.plain_interfaces import CreateOptions, PlainInterfaces

KIND = GroupVersionKind("g.io", "v1", "Thing")
V2 = Equivalent("g.io", "v2", "things", GroupVersionKind("g.io", "v2", "Thing"))
NAMESPACES = {"ns": {"team": "a"}, "bare": {}}


def request(
    operation: str = "CREATE",
    subresource: str = "",
    namespace: str = "ns",
    resource: str = "things",
    labels: Mapping[str, str] | None = None,
    old_labels: Mapping[str, str] | None = None,
    others: Sequence[Equivalent] = (),
    kind: GroupVersionKind = KIND,
) -> Attributes:
    found = APIResource(kind.group, kind.version, resource, "thing", kind.kind, f"{kind.kind}List", bool(namespace))
    obj = {"metadata": {"labels": dict(labels or {})}} if operation != "DELETE" else None
    old = {"metadata": {"labels": dict(old_labels or {})}} if operation != "CREATE" else None
    return Attributes(
        operation,
        found,
        subresource,
        namespace,
        "a",
        obj,
        old,
        User("u"),
        CreateOptions(),
        PlainInterfaces(kind, resource, others),
        [],
        {},
        False,
    )


def rule(**changed: Any) -> dict[str, Any]:
    return {
        "operations": ["*"],
        "apiGroups": ["g.io"],
        "apiVersions": ["v1"],
        "resources": ["things"],
        "scope": "*",
        **changed,
    }


def match(
    attributes: Attributes, *rules: dict[str, Any], spaces: Any = None, objects: Any = None, policy: str = "Equivalent"
) -> Matched | None:
    selection = Selection(rules, spaces, objects, policy)
    return selection.match(attributes, attributes.obj, NAMESPACES.get)


@pytest.mark.parametrize(
    ("changed", "asked", "expected"),
    [
        ({}, {}, True),
        ({"operations": ["UPDATE", "DELETE"]}, {}, False),
        ({"operations": ["UPDATE", "CREATE"]}, {}, True),
        ({"apiGroups": ["other"]}, {}, False),
        ({"apiGroups": ["*"]}, {}, True),
        ({"apiVersions": ["v9"]}, {}, False),
        ({"resources": ["other"]}, {}, False),
        ({"resources": ["*"]}, {}, True),
        ({"resources": ["*"]}, {"subresource": "status"}, False),
        ({"resources": ["things"]}, {"subresource": "status"}, False),
        ({"resources": ["things/status"]}, {"subresource": "status"}, True),
        ({"resources": ["things/status"]}, {}, False),
        ({"resources": ["things/*"]}, {"subresource": "scale"}, True),
        ({"resources": ["things/*"]}, {}, True),
        ({"resources": ["*/scale"]}, {"subresource": "scale"}, True),
        ({"resources": ["*/*"]}, {"subresource": "scale"}, True),
        ({"scope": "Namespaced"}, {}, True),
        ({"scope": "Cluster"}, {}, False),
        ({"scope": "Cluster"}, {"namespace": ""}, True),
        ({"scope": "Namespaced"}, {"namespace": ""}, False),
    ],
)
def test_rule(changed: dict[str, Any], asked: dict[str, Any], expected: bool) -> None:
    attributes = request(**asked)
    assert (match(attributes, rule(**changed)) is not None) == expected
    assert Selection([rule(**changed)], None, None, "Exact").may_match(attributes) == expected
    assert match(attributes, rule(resources=["other"]), rule(**changed)) == match(attributes, rule(**changed))


def test_namespaces_are_of_the_cluster_for_rules() -> None:
    kind = GroupVersionKind("", "v1", "Namespace")
    attributes = request(resource="namespaces", kind=kind)
    assert match(attributes, rule(apiGroups=[""], resources=["*"], scope="Cluster"))
    assert not match(attributes, rule(apiGroups=[""], resources=["*"], scope="Namespaced"))


def test_equivalent_resources() -> None:
    wanted = rule(apiVersions=["v2"])
    attributes = request(others=[V2])
    assert match(attributes, wanted) == Matched("g.io", "v2", "things", V2.kind)
    assert match(attributes, wanted, policy="Exact") is None
    assert match(attributes, wanted, rule()) == Matched("g.io", "v1", "things", KIND)


@pytest.mark.parametrize(
    ("selector", "asked", "expected"),
    [
        ({}, {}, True),
        ({"matchLabels": {"a": "1"}}, {"labels": {"a": "1"}}, True),
        ({"matchLabels": {"a": "1"}}, {"labels": {"a": "2"}}, False),
        ({"matchLabels": {"a": "1"}}, {"operation": "UPDATE", "old_labels": {"a": "1"}}, True),
        ({"matchLabels": {"a": "1"}}, {"operation": "DELETE", "old_labels": {"a": "1"}}, True),
        ({"matchExpressions": [{"key": "a", "operator": "DoesNotExist"}]}, {"labels": {"a": "1"}}, False),
        ({"matchExpressions": [{"key": "a", "operator": "DoesNotExist"}]}, {}, True),
        ({"matchExpressions": [{"key": "a", "operator": "DoesNotExist"}]}, {"operation": "CONNECT"}, False),
        ({}, {"operation": "CONNECT"}, True),
    ],
)
def test_object_selector(selector: dict[str, Any], asked: dict[str, Any], expected: bool) -> None:
    assert (match(request(**asked), rule(operations=["*"]), objects=selector) is not None) == expected


@pytest.mark.parametrize(
    ("selector", "namespace", "expected"),
    [
        ({}, "absent", True),
        ({"matchLabels": {"team": "a"}}, "ns", True),
        ({"matchLabels": {"team": "a"}}, "bare", False),
        ({"matchLabels": {"team": "a"}}, "", True),
    ],
)
def test_namespace_selector(selector: dict[str, Any], namespace: str, expected: bool) -> None:
    assert (match(request(namespace=namespace), rule(), spaces=selector) is not None) == expected


def test_namespace_that_is_not_there() -> None:
    selector = {"matchLabels": {"team": "a"}}
    with pytest.raises(errors.NotFound):
        match(request(namespace="absent"), rule(), spaces=selector)
    assert match(request(namespace="absent"), rule(resources=["other"]), spaces=selector) is None


def test_new_namespace_is_matched_by_its_own_labels() -> None:
    selector = {"matchLabels": {"team": "a"}}
    attributes = request(
        resource="namespaces", kind=GroupVersionKind("", "v1", "Namespace"), namespace="new", labels={"team": "a"}
    )
    assert match(attributes, rule(apiGroups=[""], resources=["*"]), spaces=selector)


def test_what_configures_admission_is_exempt() -> None:
    group = "admissionregistration.k8s.io"
    assert is_exempt(request(kind=GroupVersionKind(group, "v1", "ValidatingWebhookConfiguration")))
    assert is_exempt(request(kind=GroupVersionKind(group, "v1", "MutatingAdmissionPolicyBinding")))
    assert not is_exempt(request(kind=GroupVersionKind("g.io", "v1", "ValidatingWebhookConfiguration")))
