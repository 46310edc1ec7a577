"""A question as a SubjectAccessReview asks it.

Source: apiserver/plugin/pkg/authorizer/webhook/webhook.go (resourceAttributesFrom, v1SpecToV1beta1Spec).
"""

from __future__ import annotations

from typing import Any, Final

from quarterdeck.apimachinery.requirements import (
    DOES_NOT_EXIST,
    DOUBLE_EQUALS,
    EQUALS,
    EXISTS,
    IN,
    NOT_EQUALS,
    NOT_IN,
)
from quarterdeck.apimachinery.user import User
from quarterdeck.authorization.authorizer import Attributes
from quarterdeck.authorization.selectors import Selectors

GROUP: Final = "authorization.k8s.io"
KIND: Final = "SubjectAccessReview"
# Others narrow what is asked for, too: left out, more is asked for.
_OPERATORS: Final = {
    EQUALS: "In",
    DOUBLE_EQUALS: "In",
    IN: "In",
    NOT_EQUALS: "NotIn",
    NOT_IN: "NotIn",
    EXISTS: "Exists",
    DOES_NOT_EXIST: "DoesNotExist",
}
Object = dict[str, Any]


def build(user: User, asked: Attributes) -> Object:
    """The spec in v1, without what is empty."""
    spec: Object = {}
    if asked.is_resource:
        spec["resourceAttributes"] = _of_resource(asked)
    else:
        spec["nonResourceAttributes"] = _without_empty({"path": asked.path, "verb": asked.verb})
    extra = {name: list(values) for name, values in user.extra.items()}
    return spec | _without_empty({"user": user.name, "groups": list(user.groups), "extra": extra, "uid": user.uid})


def build_review(spec: Object, version: str) -> Object:
    if version == "v1beta1" and "groups" in spec:
        spec = {("group" if name == "groups" else name): value for name, value in spec.items()}
    return {
        "kind": KIND,
        "apiVersion": f"{GROUP}/{version}",
        "metadata": {},
        "spec": spec,
        "status": {"allowed": False},
    }


def _of_resource(asked: Attributes) -> Object:
    found = _without_empty(
        {
            "namespace": asked.namespace,
            "verb": asked.verb,
            "group": asked.group,
            "version": asked.version,
            "resource": asked.resource,
            "subresource": asked.subresource,
            "name": asked.name,
        }
    )
    if asked.selectors is not None:
        found |= _describe(asked.selectors)
    return found


def _describe(selectors: Selectors) -> Object:
    of_fields = [
        {"key": each.field, "operator": _OPERATORS[each.operator], "values": [each.value]} for each in selectors.fields
    ]
    of_labels = [
        _without_empty({"key": each.key, "operator": _OPERATORS[each.operator], "values": list(each.values)})
        for each in selectors.labels
        if each.operator in _OPERATORS
    ]
    given = {"fieldSelector": of_fields, "labelSelector": of_labels}
    return {name: {"requirements": requirements} for name, requirements in given.items() if requirements}


def _without_empty(members: Object) -> Object:
    return {name: value for name, value in members.items() if value}
