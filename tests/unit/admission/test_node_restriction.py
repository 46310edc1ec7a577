"""What a node may write once it may write at all."""

from __future__ import annotations

import base64
from types import SimpleNamespace
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding

from quarterdeck.admission.plugins.noderestriction import Lookups, NodeRestriction
from quarterdeck.admission.plugins.nodetokens import VolumeLookups
from quarterdeck.apimachinery import errors
from quarterdeck.apimachinery.user import User
from quarterdeck.authorization.node.identity import node_of

Object = dict[str, Any]
NODE = User("system:node:n1", groups=("system:nodes",))
OWNER = {"apiVersion": "v1", "kind": "Node", "name": "n1", "uid": "u1", "controller": True}
GROUPS = {
    "leases": "coordination.k8s.io",
    "csinodes": "storage.k8s.io",
    "resourceslices": "resource.k8s.io",
    "certificatesigningrequests": "certificates.k8s.io",
}


def pod(name: str = "p", node: str = "n1", **members: Any) -> Object:
    metadata = {"name": name, "namespace": "d", "uid": f"uid-{name}", **members.pop("metadata", {})}
    return {"metadata": metadata, "spec": {"nodeName": node, **members.pop("spec", {})}, **members}


def mirror(**spec: Any) -> Object:
    metadata = {"annotations": {"kubernetes.io/config.mirror": "x"}, "ownerReferences": [OWNER]}
    return pod(metadata=metadata, spec=spec)


STORED: dict[tuple[str, str, str], Object] = {
    ("pods", "d", "p"): pod(),
    ("pods", "d", "other"): pod("other", "n2"),
    ("pods", "d", "tokens"): pod(
        "tokens",
        spec={
            "volumes": [
                {"projected": {"sources": [{"serviceAccountToken": {"audience": "vault"}}]}},
                {"persistentVolumeClaim": {"claimName": "c"}},
            ]
        },
    ),
    ("nodes", "", "n1"): {"metadata": {"name": "n1", "uid": "u1"}, "spec": {}},
    ("claims", "d", "c"): {"spec": {"volumeName": "v"}},
    ("volumes", "", "v"): {"spec": {"csi": {"driver": "x.csi"}}},
    ("drivers", "", "x.csi"): {"spec": {"tokenRequests": [{"audience": "csi"}]}},
}


def refusal(
    operation: str,
    resource: str,
    obj: Object | None = None,
    old: Object | None = None,
    *,
    user: User = NODE,
    **given: Any,
) -> str:
    """ "" where it is admitted."""

    def lookup(kind: str) -> Any:
        return lambda namespace, name: STORED.get((kind, namespace, name))

    def may_request(_user: User, _namespace: str, _name: str, audience: str) -> tuple[bool, str]:
        return audience == "allowed", "no answer" if audience == "unanswered" else ""

    of_volumes = VolumeLookups(*map(lookup, ("claims", "volumes", "drivers")))
    lookups = Lookups(lookup("pods"), lookup("nodes"), of_volumes, may_request)
    name = given.pop("name", ((obj or old or {}).get("metadata") or {}).get("name", "p"))
    attributes: Any = SimpleNamespace(
        operation=operation,
        resource=SimpleNamespace(group=GROUPS.get(resource, ""), name=resource),
        subresource=given.pop("subresource", ""),
        namespace=given.pop("namespace", "d"),
        name=name,
        obj=obj,
        old=old,
        user=user,
    )
    try:
        NodeRestriction(node_of, lookups).admit(attributes)
    except errors.Forbidden as error:
        return error.message.partition(" is forbidden: ")[2]
    except errors.NotFound as error:
        return error.message
    return ""


def node(spec: Object | None = None, name: str = "n1", **metadata: Any) -> Object:
    return {"metadata": {"name": name, **metadata}, "spec": spec or {}}


def claim(status: Object, **metadata: Any) -> Object:
    return {"metadata": {"name": "c", **metadata}, "spec": {}, "status": status}


@pytest.mark.parametrize(
    ("operation", "obj", "text"),
    [
        ("CREATE", mirror(), ""),
        (
            *("CREATE", pod()),
            'pod does not have "kubernetes.io/config.mirror" annotation, node "n1" can only create mirror pods',
        ),
        ("CREATE", mirror(nodeName="n2"), 'node "n1" can only create pods with spec.nodeName set to itself'),
        ("CREATE", mirror(serviceAccountName="a"), 'node "n1" can not create pods that reference serviceaccounts'),
        (
            *("CREATE", mirror(containers=[{"env": [{"valueFrom": {"secretKeyRef": {"name": "s"}}}]}])),
            'node "n1" can not create pods that reference secrets',
        ),
        (
            *("CREATE", mirror(volumes=[{"projected": {"sources": [{"configMap": {"name": "s"}}]}}])),
            'node "n1" can not create pods that reference configmaps',
        ),
        (
            *("CREATE", mirror(volumes=[{"ephemeral": {}}])),
            'node "n1" can not create pods that reference persistentvolumeclaims (via ephemeral volumes)',
        ),
        (
            *("CREATE", mirror(volumes=[{"csi": {"driver": "d"}}])),
            'node "n1" can not create pods that reference csidrivers (via CSI volumes)',
        ),
        (
            *("CREATE", mirror(volumes=[{"glusterfs": {"endpoints": "e"}}])),
            'node "n1" can not create pods that reference endpoints (via glusterFS volumes)',
        ),
        (
            *("CREATE", mirror(volumes=[{"projected": {"sources": [{"downwardAPI": {}}, {"configMap": {}}]}}])),
            'node "n1" can not create pods that reference configmaps (via projected volumes)',
        ),
        (
            *("CREATE", mirror(volumes=[{"name": "v", "projected": {"sources": [{}]}}])),
            'error checking mirror pod for API references: unknown source for projected volume "v"',
        ),
        (
            *("CREATE", mirror(resourceClaims=[{"name": "x"}])),
            'node "n1" can not create pods that reference resourceclaims',
        ),
        ("CREATE", mirror(volumes=[{"hostPath": {"path": "/"}}]), ""),
        ("UPDATE", mirror(), 'unexpected operation "UPDATE", node "n1" can only create and delete mirror pods'),
    ],
)
def test_a_node_creates_mirror_pods_of_its_own_alone(operation: str, obj: Object, text: str) -> None:
    assert refusal(operation, "pods", obj) == text


@pytest.mark.parametrize(
    ("owners", "text"),
    [
        ([], 'node "n1" can only create pods with an owner reference set to itself'),
        ([OWNER, OWNER], 'node "n1" can only create pods with a single owner reference set to itself'),
        ([{**OWNER, "name": "n2"}], 'node "n1" can only create pods with an owner reference set to itself'),
        (
            [{**OWNER, "controller": False}],
            'node "n1" can only create pods with a controller owner reference set to itself',
        ),
        (
            [{**OWNER, "blockOwnerDeletion": True}],
            'node "n1" must not set blockOwnerDeletion on an owner reference',
        ),
        ([{**OWNER, "uid": "x"}], "node n1 UID mismatch: expected x got u1"),
    ],
)
def test_a_mirror_pod_belongs_to_its_node(owners: list[Object], text: str) -> None:
    obj = mirror()
    obj["metadata"]["ownerReferences"] = owners
    assert refusal("CREATE", "pods", obj) == text


def test_a_node_deletes_and_evicts_its_own_pods() -> None:
    own = 'node "n1" can only delete pods with spec.nodeName set to itself'
    assert refusal("DELETE", "pods", old=pod()) == ""
    assert refusal("DELETE", "pods", old=pod("other")) == own
    assert refusal("DELETE", "pods", old=pod("gone")) == 'pod "gone" not found'
    assert refusal("CREATE", "pods", pod("p"), subresource="eviction") == ""
    assert refusal("CREATE", "pods", pod("gone"), subresource="eviction") == 'pod "gone" not found'
    evicts = "node n1 can only evict pods with spec.nodeName set to itself"
    assert refusal("CREATE", "pods", pod("other"), subresource="eviction") == evicts
    text = "unexpected pod subresource \"binding\", only 'status' and 'eviction' are allowed"
    assert refusal("CREATE", "pods", pod(), subresource="binding") == text


@pytest.mark.parametrize(
    ("old", "new", "text"),
    [
        (pod(), pod(status={"phase": "Running"}), ""),
        (
            *(pod(node="n2"), pod(node="n2")),
            'node "n1" can only update pod status for pods with spec.nodeName set to itself',
        ),
        (pod(), pod(metadata={"labels": {"a": "b"}}), 'node "n1" cannot update labels through pod status'),
        (
            *(pod(), pod(status={"resourceClaimStatuses": [{"name": "x", "resourceClaimName": "y"}]})),
            'node "n1" cannot update resource claim statues',
        ),
        (
            *(pod(), pod(status={"extendedResourceClaimStatus": {"resourceClaimName": "y"}})),
            'node "n1" cannot update extended resource claim status',
        ),
    ],
)
def test_the_status_of_a_pod(old: Object, new: Object, text: str) -> None:
    assert refusal("UPDATE", "pods", new, old, subresource="status") == text


@pytest.mark.parametrize(
    ("operation", "old", "new", "text"),
    [
        ("CREATE", None, node(labels={"kubernetes.io/hostname": "x", "mine.dev/a": "b"}), ""),
        ("CREATE", None, node(name="n2"), 'node "n1" is not allowed to modify node "n2"'),
        (
            *("CREATE", None, node({"configSource": {}})),
            'node "n1" is not allowed to create pods with a non-nil configSource',
        ),
        (
            *("CREATE", None, node(labels={"x.node-restriction.kubernetes.io/a": "", "k8s.io/b": ""})),
            'node "n1" is not allowed to set the following labels: k8s.io/b, x.node-restriction.kubernetes.io/a',
        ),
        ("UPDATE", node(), node({"taints": [{"key": "a"}]}), 'node "n1" is not allowed to modify taints'),
        (
            *("UPDATE", node(), node(ownerReferences=[{"uid": "x"}])),
            'node "n1" is not allowed to modify ownerReferences',
        ),
        (
            *("UPDATE", node(labels={"a.kubernetes.io/b": "c"}), node()),
            "is not allowed to modify labels: a.kubernetes.io/b",
        ),
        ("UPDATE", node(), node(labels={"x.kubelet.kubernetes.io/b": "c"}), ""),
        (
            *("UPDATE", node(), node({"configSource": {"a": 1}})),
            'node "n1" is not allowed to update configSource to a new non-nil configSource',
        ),
        ("DELETE", node(name="n2"), None, 'node "n1" is not allowed to modify node "n2"'),
    ],
)
def test_a_node_changes_itself(operation: str, old: Object | None, new: Object | None, text: str) -> None:
    assert refusal(operation, "nodes", new, old) == text


@pytest.mark.parametrize(
    ("spec", "text"),
    [
        ({}, "node requested token not bound to a pod"),
        ({"boundObjectRef": ("Secret", "s", "u")}, "node requested token not bound to a pod"),
        ({"boundObjectRef": ("Pod", "p", "")}, "node requested token with a pod binding without a uid"),
        ({"boundObjectRef": ("Pod", "gone", "u")}, 'pod "gone" not found'),
        (
            {"boundObjectRef": ("Pod", "p", "u")},
            "the UID in the bound object reference (u) does not match the UID in record. The object might have been "
            "deleted and then recreated",
        ),
        (
            {"boundObjectRef": ("Pod", "other", "uid-other")},
            "node requested token bound to a pod scheduled on a different node",
        ),
        ({"boundObjectRef": ("Pod", "tokens", "uid-tokens"), "audiences": ["vault"]}, ""),
        ({"boundObjectRef": ("Pod", "tokens", "uid-tokens"), "audiences": ["csi"]}, ""),
        ({"boundObjectRef": ("Pod", "tokens", "uid-tokens"), "audiences": ["allowed"]}, ""),
        (
            {"boundObjectRef": ("Pod", "tokens", "uid-tokens"), "audiences": ["other"]},
            'audience "other" not found in pod spec volume, system:node:n1 is not authorized to request tokens for '
            "this audience",
        ),
        (
            {"boundObjectRef": ("Pod", "tokens", "uid-tokens"), "audiences": ["vault", "csi"]},
            "node may only request 0 or 1 audiences",
        ),
        (
            {"boundObjectRef": ("Pod", "tokens", "uid-tokens"), "audiences": ["unanswered"]},
            'audience "unanswered" not found in pod spec volume, error authorizing system:node:n1 to request tokens '
            "for this audience: no answer",
        ),
    ],
)
def test_tokens_are_for_pods_of_the_node(spec: Object, text: str) -> None:
    if "boundObjectRef" in spec:
        kind, name, uid = spec["boundObjectRef"]
        spec = {**spec, "boundObjectRef": {"apiVersion": "v1", "kind": kind, "name": name, "uid": uid}}
    assert refusal("CREATE", "serviceaccounts", {"spec": spec}, subresource="token", name="sa") == text


def test_of_claims_the_state_alone() -> None:
    old = claim({"phase": "Bound"}, resourceVersion="1")
    status = {"phase": "Bound", "capacity": {"storage": "1Gi"}, "conditions": [{"type": "x"}]}
    changes = {"subresource": "status"}
    assert refusal("UPDATE", "persistentvolumeclaims", claim(status), old, **changes) == ""
    text = 'node "n1" is not allowed to update fields other than status.quantity and status.conditions'
    assert refusal("UPDATE", "persistentvolumeclaims", claim({"phase": "Lost"}), old, **changes) == text
    relabeled = claim({"phase": "Bound"}, labels={"a": "b"})
    assert refusal("UPDATE", "persistentvolumeclaims", relabeled, old, **changes) == text
    assert refusal("UPDATE", "persistentvolumeclaims", old, old) == "may only update PVC status"


def test_what_is_named_after_the_node() -> None:
    system = 'can only access leases in the "kube-node-lease" system namespace'
    same = "can only access node lease with the same name as the requesting node"
    assert refusal("CREATE", "leases", node(), namespace="kube-node-lease") == ""
    assert refusal("CREATE", "leases", node(), namespace="d") == system
    assert refusal("CREATE", "leases", node(name="n2"), namespace="kube-node-lease") == same
    same = "can only access CSINode with the same name as the requesting node"
    assert (refusal("CREATE", "csinodes", node()), refusal("UPDATE", "csinodes", node(name="n2"))) == ("", same)
    slices = {"metadata": {"name": "s"}, "spec": {"nodeName": "n2"}}
    for operation, verb, given in (("CREATE", "create", (slices, None)), ("DELETE", "delete", (None, slices))):
        text = f"can only {verb} ResourceSlice with the same NodeName as the requesting node"
        assert refusal(operation, "resourceslices", *given) == text


@pytest.mark.parametrize(
    ("signer", "name", "text"),
    [
        ("kubernetes.io/kubelet-serving", "system:node:n1", ""),
        (
            *("kubernetes.io/kube-apiserver-client-kubelet", "system:node:n2"),
            "can only create a node CSR with CN=system:node:n1",
        ),
        ("example.com/signer", "anybody", ""),
    ],
)
def test_certificates_are_asked_for_in_the_own_name(signer: str, name: str, text: str) -> None:
    subject = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)])
    key = ec.generate_private_key(ec.SECP256R1())
    made = x509.CertificateSigningRequestBuilder().subject_name(subject).sign(key, hashes.SHA256())
    request = base64.b64encode(made.public_bytes(Encoding.PEM)).decode()
    obj = {"metadata": {"name": "r"}, "spec": {"signerName": signer, "request": request}}
    assert refusal("CREATE", "certificatesigningrequests", obj) == text


def test_only_nodes_are_restricted() -> None:
    assert refusal("CREATE", "pods", pod(), user=User("bob", groups=("system:authenticated",))) == ""
    nobody = User("system:node:", groups=("system:nodes",))
    assert refusal("CREATE", "pods", pod(), user=nobody) == 'could not determine node from user "system:node:"'
