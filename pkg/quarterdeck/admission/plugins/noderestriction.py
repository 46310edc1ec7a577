"""NodeRestriction: what a node may write, once it is allowed to write at all: its own objects, and states of others.

Source: plugin/pkg/admission/noderestriction/admission.go, whose texts these are.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

from quarterdeck.admission.attributes import CONNECT, CREATE, DELETE, UPDATE, Attributes
from quarterdeck.admission.plugins import nodelabels, nodetokens
from quarterdeck.admission.plugins.nodetokens import VolumeLookups
from quarterdeck.admission.refusals import forbidden
from quarterdeck.apimachinery import certificaterequest, errors, gofmt, podreferences
from quarterdeck.apimachinery.user import User

Object = dict[str, Any]
Lookup = Callable[[str, str], Object | None]

_LEASES: Final = "kube-node-lease"
# What upstream's caches call what they do not find.
_POD: Final = "pod"
_NODE: Final = "node"
_KUBELET_SIGNERS: Final = ("kubernetes.io/kubelet-serving", "kubernetes.io/kube-apiserver-client-kubelet")
# What a node may change in a claim.
_CLAIM_STATUS: Final = ("capacity", "conditions", "allocatedResourceStatuses", "allocatedResources")
RESOURCES: Final = frozenset(
    (
        *(("", name) for name in ("pods", "nodes", "persistentvolumeclaims", "serviceaccounts")),
        ("coordination.k8s.io", "leases"),
        ("storage.k8s.io", "csinodes"),
        ("resource.k8s.io", "resourceslices"),
        ("certificates.k8s.io", "certificatesigningrequests"),
    )
)


class Lookups(NamedTuple):
    """Each gives an object by namespace and name. `may_request` tells whether a user may ask for tokens of a service
    account (namespace, name) for an audience, and why that cannot be told."""

    pods: Lookup
    nodes: Lookup
    of_volumes: VolumeLookups
    may_request: Callable[[User, str, str, str], tuple[bool, str]]


class NodeRestriction:
    """`node_of` tells which node a user is: None for none, "" for one that cannot be told."""

    def __init__(self, node_of: Callable[[User], str | None], lookups: Lookups) -> None:
        self._node_of = node_of
        self._lookups = lookups

    def admit(self, attributes: Attributes) -> None:
        node = self._node_of(attributes.user)
        if node is None or attributes.operation == CONNECT:
            return
        check = _Check(attributes, node, self._lookups)
        if not node:
            check.refuse(f"could not determine node from user {gofmt.quote(attributes.user.name)}")
        _CHECKS[attributes.resource.group, attributes.resource.name](check)


class _Check:
    """Of one write by one node. Each method raises Forbidden, or NotFound for a pod or node that is not there."""

    def __init__(self, attributes: Attributes, node: str, lookups: Lookups) -> None:
        self._attributes = attributes
        self._node = node
        self._shown = gofmt.quote(node)
        self._lookups = lookups

    def refuse(self, text: str) -> None:
        attributes = self._attributes
        raise forbidden(attributes, text)

    def pod(self) -> None:
        subresource = self._attributes.subresource
        check = {"": self._pod, "status": self._pod_status, "eviction": self._eviction}.get(subresource)
        if check is None:
            shown = gofmt.quote(subresource)
            self.refuse(f"unexpected pod subresource {shown}, only 'status' and 'eviction' are allowed")
        else:
            check()

    def _pod(self) -> None:
        operation = self._attributes.operation
        if operation == CREATE:
            self._mirror_pod()
        elif operation == DELETE:
            self._require_own(f"node {self._shown} can only delete pods with spec.nodeName set to itself")
        else:
            shown = gofmt.quote(operation)
            self.refuse(f"unexpected operation {shown}, node {self._shown} can only create and delete mirror pods")

    def _require_own(self, text: str) -> None:
        name = self._attributes.name
        pod = self._lookups.pods(self._attributes.namespace, name)
        if pod is None:
            raise errors.NotFound.of("", _POD, name)
        if pod["spec"].get("nodeName") != self._node:
            self.refuse(text)

    def _mirror_pod(self) -> None:
        pod, shown = self._attributes.obj, self._shown
        assert pod is not None
        if not podreferences.is_mirror(pod):
            key = gofmt.quote(podreferences.MIRROR_ANNOTATION)
            self.refuse(f"pod does not have {key} annotation, node {shown} can only create mirror pods")
        if pod["spec"].get("nodeName") != self._node:
            self.refuse(f"node {shown} can only create pods with spec.nodeName set to itself")
        owners = pod["metadata"].get("ownerReferences") or []
        if len(owners) > 1:
            self.refuse(f"node {shown} can only create pods with a single owner reference set to itself")
        self._require_owner(owners[0] if owners else {})
        try:
            resource = podreferences.find_reference(pod)
        except podreferences.UnknownSource as error:
            raise forbidden(self._attributes, f"error checking mirror pod for API references: {error}") from error
        if resource:
            self.refuse(f"node {shown} can not create pods that reference {resource}")

    def _require_owner(self, owner: Object) -> None:
        shown = self._shown
        if (owner.get("apiVersion"), owner.get("kind"), owner.get("name")) != ("v1", "Node", self._node):
            self.refuse(f"node {shown} can only create pods with an owner reference set to itself")
        if not owner.get("controller"):
            self.refuse(f"node {shown} can only create pods with a controller owner reference set to itself")
        if owner.get("blockOwnerDeletion"):
            self.refuse(f"node {shown} must not set blockOwnerDeletion on an owner reference")
        node = self._lookups.nodes("", self._node)
        if node is None:
            raise errors.NotFound.of("", _NODE, self._node)
        given, known = owner.get("uid"), node["metadata"].get("uid")
        if given != known:
            self.refuse(f"node {self._node} UID mismatch: expected {given} got {known}")

    def _pod_status(self) -> None:
        old, new = self._require_update()
        if old["spec"].get("nodeName") != self._node:
            self.refuse(f"node {self._shown} can only update pod status for pods with spec.nodeName set to itself")
        if _labels(old) != _labels(new):
            self.refuse(f"node {self._shown} cannot update labels through pod status")
        before, after = old.get("status") or {}, new.get("status") or {}
        if (before.get("resourceClaimStatuses") or []) != (after.get("resourceClaimStatuses") or []):
            self.refuse(f"node {self._shown} cannot update resource claim statues")
        if before.get("extendedResourceClaimStatus") != after.get("extendedResourceClaimStatus"):
            self.refuse(f"node {self._shown} cannot update extended resource claim status")

    def _require_update(self) -> tuple[Object, Object]:
        attributes = self._attributes
        if attributes.operation != UPDATE:
            self.refuse(f"unexpected operation {gofmt.quote(attributes.operation)}")
        assert attributes.old is not None
        assert attributes.obj is not None
        return attributes.old, attributes.obj

    def _eviction(self) -> None:
        if self._attributes.operation != CREATE:
            self.refuse(f"unexpected operation {self._attributes.operation}")
        self._require_own(f"node {self._node} can only evict pods with spec.nodeName set to itself")

    def claim(self) -> None:
        if self._attributes.subresource != "status":
            self.refuse("may only update PVC status")
        old, new = self._require_update()
        if _without_claim_status(old) != _without_claim_status(new):
            # Differs from upstream: there the difference follows, in a form that is not the same every time.
            text = f"node {self._shown} is not allowed to update fields other than status.quantity and"
            self.refuse(f"{text} status.conditions")

    def node(self) -> None:
        attributes = self._attributes
        if attributes.name != self._node:
            self.refuse(f"node {self._shown} is not allowed to modify node {gofmt.quote(attributes.name)}")
        if attributes.operation == CREATE:
            assert attributes.obj is not None
            self._new_node(attributes.obj)
        elif attributes.operation == UPDATE:
            self._changed_node(*self._require_update())

    def _new_node(self, node: Object) -> None:
        if node["spec"].get("configSource") is not None:
            self.refuse(f"node {self._shown} is not allowed to create pods with a non-nil configSource")
        if found := nodelabels.find_forbidden(_labels(node), {}):
            self.refuse(f"node {self._shown} is not allowed to set the following labels: {', '.join(found)}")

    def _changed_node(self, old: Object, new: Object) -> None:
        source = new["spec"].get("configSource")
        if source is not None and source != old["spec"].get("configSource"):
            self.refuse(f"node {self._shown} is not allowed to update configSource to a new non-nil configSource")
        if (old["spec"].get("taints") or []) != (new["spec"].get("taints") or []):
            self.refuse(f"node {self._shown} is not allowed to modify taints")
        if (old["metadata"].get("ownerReferences") or []) != (new["metadata"].get("ownerReferences") or []):
            self.refuse(f"node {self._shown} is not allowed to modify ownerReferences")
        if found := nodelabels.find_forbidden(_labels(new), _labels(old)):
            self.refuse(f"is not allowed to modify labels: {', '.join(found)}")

    def account(self) -> None:
        attributes = self._attributes
        if attributes.operation != CREATE or attributes.subresource != "token" or attributes.obj is None:
            return
        spec = attributes.obj.get("spec") or {}
        reference = spec.get("boundObjectRef") or {}
        if (reference.get("apiVersion"), reference.get("kind")) != ("v1", "Pod") or not reference.get("name"):
            self.refuse("node requested token not bound to a pod")
        if not reference.get("uid"):
            self.refuse("node requested token with a pod binding without a uid")
        pod = self._lookups.pods(attributes.namespace, reference["name"])
        if pod is None:
            raise errors.NotFound.of("", _POD, reference["name"])
        if reference["uid"] != pod["metadata"].get("uid"):
            self.refuse(
                f"the UID in the bound object reference ({reference['uid']}) does not match the UID in record. The "
                "object might have been deleted and then recreated"
            )
        if pod["spec"].get("nodeName") != self._node:
            self.refuse("node requested token bound to a pod scheduled on a different node")
        self._require_audience(spec.get("audiences") or [], pod)

    def _require_audience(self, audiences: list[str], pod: Object) -> None:
        if len(audiences) > 1:
            self.refuse("node may only request 0 or 1 audiences")
        audience = audiences[0] if audiences else ""
        lookups, attributes = self._lookups, self._attributes
        shown = gofmt.quote(audience)
        try:
            if nodetokens.uses_audience(pod, audience, lookups.of_volumes):
                return
        except nodetokens.Untold as problem:
            self.refuse(f"error validating audience {shown}: {problem}")
        user = attributes.user
        is_allowed, error = lookups.may_request(user, attributes.namespace, attributes.name, audience)
        if is_allowed:
            return
        text = f"audience {shown} not found in pod spec volume,"
        if error:
            self.refuse(f"{text} error authorizing {user.name} to request tokens for this audience: {error}")
        self.refuse(f"{text} {user.name} is not authorized to request tokens for this audience")

    def lease(self) -> None:
        if self._attributes.namespace != _LEASES:
            self.refuse(f"can only access leases in the {gofmt.quote(_LEASES)} system namespace")
        if self._attributes.name != self._node:
            self.refuse("can only access node lease with the same name as the requesting node")

    def csi_node(self) -> None:
        if self._attributes.name != self._node:
            self.refuse("can only access CSINode with the same name as the requesting node")

    def slice(self) -> None:
        """What else a node does to one, the authorizer has seen."""
        attributes = self._attributes
        for operation, verb, obj in ((CREATE, "create", attributes.obj), (DELETE, "delete", attributes.old)):
            if attributes.operation == operation and (obj or {}).get("spec", {}).get("nodeName") != self._node:
                self.refuse(f"can only {verb} ResourceSlice with the same NodeName as the requesting node")

    def signing_request(self) -> None:
        obj = self._attributes.obj
        if self._attributes.operation != CREATE or obj is None or self._attributes.subresource:
            return
        if obj["spec"].get("signerName") not in _KUBELET_SIGNERS:
            return
        try:
            name = certificaterequest.common_name(obj["spec"].get("request") or "")
        except ValueError as error:
            self.refuse(f"unable to parse csr: {error}")
        else:
            wanted = f"system:node:{self._node}"
            if name != wanted:
                self.refuse(f"can only create a node CSR with CN={wanted}")


_CHECKS: Final[Mapping[tuple[str, str], Callable[[_Check], None]]] = {
    ("", "pods"): _Check.pod,
    ("", "nodes"): _Check.node,
    ("", "persistentvolumeclaims"): _Check.claim,
    ("", "serviceaccounts"): _Check.account,
    ("coordination.k8s.io", "leases"): _Check.lease,
    ("storage.k8s.io", "csinodes"): _Check.csi_node,
    ("resource.k8s.io", "resourceslices"): _Check.slice,
    ("certificates.k8s.io", "certificatesigningrequests"): _Check.signing_request,
}


def _labels(obj: Object) -> dict[str, str]:
    return obj["metadata"].get("labels") or {}


def _without_claim_status(claim: Object) -> Object:
    metadata = {
        name: value for name, value in claim["metadata"].items() if name not in ("resourceVersion", "managedFields")
    }
    status = {name: value for name, value in (claim.get("status") or {}).items() if name not in _CLAIM_STATUS}
    return {**claim, "metadata": metadata, "status": status}
