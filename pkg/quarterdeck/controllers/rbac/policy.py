"""The roles and bindings that every cluster has from its start: what Kubernetes 1.36 grants its own parts, and what it
offers to grant.

The notation of users_roles.py, controllers_roles.py and bindings.py, one object a paragraph:

    ClusterRole NAME [to:X …] [from:X]      `to` labels it for the aggregation of X, `from` makes it that aggregation
    Role NAMESPACE/NAME
      VERBS GROUPS: RESOURCES [= NAMES]     a rule, `core` is the group ""
      VERBS PATH …                          a rule of paths that are no resources'
      if:GATE VERBS …                       a rule that there is where a feature is on
    ClusterRoleBinding NAME                 of the role of that name
    RoleBinding NAMESPACE/NAME [ROLE]
      user NAME | group NAME | account NAMESPACE/NAME

`if:GATE` behind a name: the object is there where that feature is on. Each role of a controller is bound to the account
of kube-system that has the controller's name.
Source: plugin/pkg/auth/authorizer/rbac/bootstrappolicy (the facts, as a server tells them).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any, Final

from quarterdeck.registry.builtin.rbac.resources import GROUP

API_VERSION: Final = f"{GROUP}/v1"
AUTOUPDATE: Final = "rbac.authorization.kubernetes.io/autoupdate"
_BOOTSTRAPPING: Final = {"kubernetes.io/bootstrapping": "rbac-defaults"}
_AGGREGATE: Final = "rbac.authorization.k8s.io/aggregate-to-"
_CONTROLLER: Final = "system:controller:"
_IF: Final = "if:"

Object = dict[str, Any]


def read(features: Collection[str] = ()) -> list[Object]:
    """All of them, roles first, `features` being on that are off by default. The tables are loaded here alone: most
    starts ask for them once."""
    from quarterdeck.controllers.rbac import bindings, controllers_roles, users_roles

    objects: list[Object] = []
    for text in (users_roles.TEXT, controllers_roles.TEXT):
        objects += [_read_role(head, body) for head, body in _paragraphs(text, features)]
    cluster_roles = [obj["metadata"]["name"] for obj in objects if obj["kind"] == "ClusterRole"]
    objects += [_bind_controller(name) for name in cluster_roles if name.startswith(_CONTROLLER)]
    objects += [_read_binding(head, body) for head, body in _paragraphs(bindings.TEXT, features)]
    return objects


def _paragraphs(text: str, features: Collection[str]) -> Iterator[tuple[list[str], list[str]]]:
    """The words of each first line, and its other lines, of which those that go on are joined."""
    for paragraph in text.replace("\n      ", "").strip().replace("\n  ", "\0").split("\n"):
        head, *body = paragraph.split("\0")
        words = head.split()
        gates = [word.removeprefix(_IF) for word in words if word.startswith(_IF)]
        if all(gate in features for gate in gates):
            yield [word for word in words if not word.startswith(_IF)], list(_lines_of(body, features))


def _lines_of(body: list[str], features: Collection[str]) -> Iterator[str]:
    for line in body:
        gate, _, rest = line.partition(" ") if line.startswith(_IF) else ("", "", line)
        if not gate or gate.removeprefix(_IF) in features:
            yield rest


def _object(kind: str, name: str, labels: dict[str, str] = _BOOTSTRAPPING) -> Object:
    namespace, _, short = name.rpartition("/")
    metadata: Object = {"name": short}
    if namespace:
        metadata["namespace"] = namespace
    metadata |= {"labels": labels, "annotations": {AUTOUPDATE: "true"}}
    return {"apiVersion": API_VERSION, "kind": kind, "metadata": metadata}


def _read_role(head: list[str], body: list[str]) -> Object:
    kind, name, *words = head
    labels = dict(_BOOTSTRAPPING)
    aggregation = {}
    for word in words:
        direction, _, target = word.partition(":")
        if direction == "to":
            labels[_AGGREGATE + target] = "true"
        else:
            selector = {"matchLabels": {_AGGREGATE + target: "true"}}
            aggregation = {"aggregationRule": {"clusterRoleSelectors": [selector]}}
    rules = [_read_rule(line) for line in body] or None
    return {**_object(kind, name, labels), "rules": rules, **aggregation}


def _read_rule(line: str) -> Object:
    verbs, _, rest = line.partition(" ")
    groups, colon, resources = rest.partition(": ")
    if not colon:
        return {"verbs": verbs.split(","), "nonResourceURLs": rest.split(" ")}
    resources, _, names = resources.partition(" = ")
    rule: Object = {
        "verbs": verbs.split(","),
        "apiGroups": ["" if group == "core" else group for group in groups.split(",")],
        "resources": resources.split(","),
    }
    if names:
        rule["resourceNames"] = names.split(",")
    return rule


def _bind_controller(role: str) -> Object:
    return _bind("ClusterRoleBinding", role, "ClusterRole", role, [f"account kube-system/{role[len(_CONTROLLER) :]}"])


def _read_binding(head: list[str], body: list[str]) -> Object:
    kind, name, *role = head
    return _bind(kind, name, kind.removesuffix("Binding"), role[0] if role else name.rpartition("/")[2], body)


def _bind(kind: str, name: str, role_kind: str, role: str, subjects: list[str]) -> Object:
    made = _object(kind, name)
    if subjects:
        made["subjects"] = [_read_subject(*subject.split(" ")) for subject in subjects]
    made["roleRef"] = {"apiGroup": GROUP, "kind": role_kind, "name": role}
    return made


def _read_subject(word: str, name: str) -> Object:
    if word == "account":
        namespace, _, account = name.partition("/")
        return {"kind": "ServiceAccount", "name": account, "namespace": namespace}
    return {"kind": word.capitalize(), "apiGroup": GROUP, "name": name}
