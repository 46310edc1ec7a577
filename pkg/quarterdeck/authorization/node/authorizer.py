"""What a node may do: read what its pods need, write its own objects, and what its static rules allow of the rest.

Admission (NodeRestriction) looks at what a node writes; nothing here sees a body.
Source: plugin/pkg/auth/authorizer/node/node_authorizer.go, whose reasons these are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

from quarterdeck.apimachinery import gofmt
from quarterdeck.apimachinery.user import User
from quarterdeck.authorization.authorizer import ALLOWED, NO_OPINION, Attributes, Decision, Rules
from quarterdeck.authorization.node.graph import Graph, Vertex
from quarterdeck.authorization.node.identity import node_of
from quarterdeck.authorization.rbac.rules import PolicyRule, Role

_LEASES: Final = "kube-node-lease"
_OWN_VERBS: Final = ("get", "create", "update", "patch", "delete")
_SLICE_VERBS: Final = "get, watch, list, create, update, patch, delete, deletecollection"


class NodeAuthorizer:
    """`rules`: those of the cluster role system:node, as a server has it from its start."""

    def __init__(self, graph: Graph, rules: Iterable[PolicyRule]) -> None:
        self._graph = graph
        self._role = Role(rules)
        self._by_resource: dict[tuple[str, str], Callable[[str, Attributes], Decision]] = {
            ("", "secrets"): self._read,
            ("", "configmaps"): self._read,
            ("", "persistentvolumeclaims"): self._claim,
            ("", "persistentvolumes"): self._get,
            ("resource.k8s.io", "resourceclaims"): self._get,
            ("storage.k8s.io", "volumeattachments"): self._get,
            ("", "serviceaccounts"): self._account,
            ("coordination.k8s.io", "leases"): self._lease,
            ("storage.k8s.io", "csinodes"): self._csi_node,
            ("resource.k8s.io", "resourceslices"): self._slice,
            ("", "nodes"): self._node,
            ("", "pods"): self._pod,
        }

    def quick(self, user: User, attributes: Attributes) -> Decision:
        return self.authorize(user, attributes)

    def authorize(self, user: User, attributes: Attributes) -> Decision:
        node = node_of(user)
        if node is None:
            return NO_OPINION
        if not node:
            return _because(f"unknown node for user {gofmt.quote(user.name)}")
        if attributes.is_resource:
            decide = self._by_resource.get((attributes.group, attributes.resource))
            if decide is not None:
                return decide(node, attributes)
        return ALLOWED if self._rules_allow(attributes) else NO_OPINION

    def rules_of(self, user: User, _namespace: str) -> Rules:
        if node_of(user) is None:
            return Rules([], [])
        return Rules([], [], "node authorizer does not support user rule resolution", is_incomplete=True)

    def _rules_allow(self, asked: Attributes) -> bool:
        rules = self._role.rules_for(asked.verb)
        if not asked.is_resource:
            return any(rule.covers_path(asked.path) for rule in rules)
        return any(
            rule.covers_resource(asked.group, asked.resource, asked.subresource) and rule.covers_name(asked.name)
            for rule in rules
        )

    def _leads(self, node: str, asked: Attributes) -> Decision:
        if not asked.name:
            return _because("No Object name found")
        if self._graph.leads(Vertex(asked.resource, asked.namespace, asked.name), node):
            return ALLOWED
        return _because(f"no relationship found between node '{node}' and this object")

    def _read(self, node: str, asked: Attributes) -> Decision:
        if asked.verb not in ("get", "list", "watch"):
            return _because("can only read resources of this type")
        if asked.subresource:
            return _because("cannot read subresource")
        if not asked.namespace:
            return _because("can only read namespaced object of this type")
        return self._leads(node, asked)

    def _get(self, node: str, asked: Attributes) -> Decision:
        if asked.verb != "get":
            return _because("can only get individual resources of this type")
        if asked.subresource:
            return _because("cannot get subresource")
        return self._leads(node, asked)

    def _claim(self, node: str, asked: Attributes) -> Decision:
        if asked.subresource != "status":
            return self._get(node, asked)
        if asked.verb not in ("update", "patch"):
            return _because("can only get/update/patch this type")
        return self._leads(node, asked)

    def _account(self, node: str, asked: Attributes) -> Decision:
        if asked.verb == "get" and not asked.subresource:
            return self._read(node, asked)
        if asked.verb != "create" or not asked.name:
            return _because("can only create tokens for individual service accounts")
        if asked.subresource != "token":
            return _because("can only create token subresource of serviceaccount")
        return self._leads(node, asked)

    def _lease(self, node: str, asked: Attributes) -> Decision:
        if asked.verb not in _OWN_VERBS:
            return _because("can only get, create, update, patch, or delete a node lease")
        if asked.namespace != _LEASES:
            return _because(f"can only access leases in the {gofmt.quote(_LEASES)} system namespace")
        if asked.verb != "create" and asked.name != node:
            return _because("can only access node lease with the same name as the requesting node")
        return ALLOWED

    def _csi_node(self, node: str, asked: Attributes) -> Decision:
        if asked.verb not in _OWN_VERBS:
            return _because("can only get, create, update, patch, or delete a CSINode")
        if asked.subresource:
            return _because("cannot authorize CSINode subresources")
        if asked.verb != "create" and asked.name != node:
            return _because("can only access CSINode with the same name as the requesting node")
        return ALLOWED

    def _slice(self, node: str, asked: Attributes) -> Decision:
        verb = asked.verb
        if asked.subresource:
            return _because("cannot authorize ResourceSlice subresources")
        if verb == "create":
            return ALLOWED
        if verb in ("get", "update", "patch", "delete"):
            return self._leads(node, asked)
        if verb not in ("watch", "list", "deletecollection"):
            return _because(f"only the following verbs are allowed for a ResourceSlice: {_SLICE_VERBS}")
        if _selects(asked, "spec.nodeName", node):
            return ALLOWED
        return _because("can only list/watch/deletecollection resourceslices with nodeName field selector")

    def _node(self, node: str, asked: Attributes) -> Decision:
        verb, name = asked.verb, asked.name
        if asked.subresource == "status":
            return ALLOWED if verb in ("update", "patch") else NO_OPINION
        if asked.subresource:
            return NO_OPINION
        if verb in ("create", "update", "patch"):
            return ALLOWED
        if verb not in ("get", "list", "watch"):
            return NO_OPINION
        if name == node:
            return ALLOWED
        if not name:
            return _because(f"node '{node}' cannot read all nodes, only its own Node object")
        return _because(f"node '{node}' cannot read '{name}', only its own Node object")

    def _pod(self, node: str, asked: Attributes) -> Decision:
        verb = asked.verb
        if asked.subresource == "status":
            return ALLOWED if verb in ("update", "patch") else NO_OPINION
        if asked.subresource == "eviction":
            return ALLOWED if verb == "create" else NO_OPINION
        if asked.subresource:
            return NO_OPINION
        if verb == "get":
            return self._get(node, asked)
        if verb in ("create", "delete"):
            return ALLOWED
        if verb not in ("list", "watch"):
            return NO_OPINION
        if _selects(asked, "spec.nodeName", node):
            return ALLOWED
        if asked.name:
            return self._leads(node, asked)
        return _because("can only list/watch pods with spec.nodeName field selector")


def _because(reason: str) -> Decision:
    return Decision(False, reason)


def _selects(asked: Attributes, field: str, node: str) -> bool:
    return asked.selectors is not None and asked.selectors.requires_field(field, node)
