"""What nodes may do: read what their pods need, and write what is their own."""

from __future__ import annotations

from typing import Any

import pytest

from quarterdeck.apimachinery.user import User
from quarterdeck.authorization import selectors
from quarterdeck.authorization.authorizer import Attributes
from quarterdeck.authorization.node.authorizer import NodeAuthorizer
from quarterdeck.authorization.node.following import Caches, Following
from quarterdeck.authorization.node.graph import Graph, Vertex
from quarterdeck.registry.deletion import Options
from support.control import World, context

NODE = User("system:node:n1", groups=("system:nodes", "system:authenticated"))
OTHER = User("system:node:n2", groups=("system:nodes",))
RULES = [
    {"verbs": ["get", "list"], "apiGroups": [""], "resources": ["services"]},
    {"verbs": ["get"], "nonResourceURLs": ["/x"]},
]
NODE_SELECTOR = "can only list/watch pods with spec.nodeName field selector"
STATUS_ONLY = "can only get/update/patch this type"
UNRELATED = "no relationship found between node 'n1' and this object"


def asks(graph: Graph, user: User, verb: str, resource: str, **members: Any) -> tuple[bool, str]:
    found = NodeAuthorizer(graph, RULES).authorize(user, Attributes(verb, resource=resource, **members))
    assert not found.is_denied
    return found.is_allowed, found.reason


def reads(graph: Graph, user: User, kind: str, name: str, namespace: str = "d", group: str = "") -> bool:
    return asks(graph, user, "get", kind, name=name, namespace=namespace, group=group)[0]


class Cluster:
    """Stored objects and the graph that follows them."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.graph = Graph()
        self.caches = Caches(
            *(self.scope("", name).store.cache for name in ("pods", "persistentvolumes")),
            self.scope("storage.k8s.io", "volumeattachments").store.cache,
            self.scope("resource.k8s.io", "resourceslices").store.cache,
        )

    def scope(self, group: str, resource: str) -> Any:
        return self.world.builtin[group, "v1", resource][""]

    async def add_pod(self, name: str, node: str = "n1", **members: Any) -> None:
        annotations = members.pop("annotations", {})
        status = members.pop("status", {})
        spec = {"containers": [{"name": "c", "image": "i"}], "serviceAccountName": "sa", **members}
        if node:
            spec["nodeName"] = node
        metadata = {"name": name, "namespace": "d", "annotations": annotations}
        pod = {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec, "status": status}
        await self.world.create(self.scope("", "pods"), pod)

    async def remove_pod(self, name: str) -> None:
        pods = self.scope("", "pods")
        await pods.store.delete(pods, "d", name, Options(grace_period_s=0), context())

    async def add_volume(self, name: str, claim: str, secret: str) -> None:
        csi = {"driver": "x", "volumeHandle": "h", "nodeStageSecretRef": {"name": secret, "namespace": "s"}}
        spec = {
            "capacity": {"storage": "1Gi"},
            "accessModes": ["ReadWriteOnce"],
            "csi": csi,
            "claimRef": {"namespace": "d", "name": claim},
        }
        obj = {"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": name}, "spec": spec}
        await self.world.create(self.scope("", "persistentvolumes"), obj)


async def start() -> Cluster:
    return Cluster(await World().start())


def volume(name: str, **source: Any) -> dict[str, Any]:
    return {"name": name, **source}


VOLUMES = [
    volume("a", secret={"secretName": "secret"}),
    volume("b", configMap={"name": "map"}),
    volume("c", persistentVolumeClaim={"claimName": "claim"}),
    volume("e", projected={"sources": [{"secret": {"name": "projected"}}]}),
]


@pytest.mark.parametrize("is_late", [False, True])
async def test_a_node_reads_what_its_pods_name(is_late: bool) -> None:
    cluster = await start()
    if not is_late:
        Following(cluster.graph, cluster.caches)
    await cluster.add_pod("p", volumes=VOLUMES, imagePullSecrets=[{"name": "pull"}])
    await cluster.add_volume("v", "claim", "mount")
    if is_late:  # what was there before the server began
        Following(cluster.graph, cluster.caches)
    graph = cluster.graph
    for kind, name in (
        ("secrets", "secret"),
        ("secrets", "pull"),
        ("secrets", "projected"),
        ("configmaps", "map"),
        ("persistentvolumeclaims", "claim"),
        ("pods", "p"),
    ):
        assert reads(graph, NODE, kind, name), (kind, name)
        assert not reads(graph, OTHER, kind, name), (kind, name)
        assert not reads(graph, NODE, kind, name, namespace="e"), (kind, name)
    assert reads(graph, NODE, "persistentvolumes", "v", "")
    assert reads(graph, NODE, "secrets", "mount", "s")
    assert not reads(graph, OTHER, "secrets", "mount", "s")
    token = {"subresource": "token", "namespace": "d"}
    assert asks(graph, NODE, "create", "serviceaccounts", name="sa", **token) == (True, "")
    assert asks(graph, OTHER, "create", "serviceaccounts", name="sa", **token)[0] is False


async def test_what_is_gone_is_not_read_any_more() -> None:
    cluster = await start()
    Following(cluster.graph, cluster.caches)
    await cluster.add_volume("v", "claim", "mount")
    for name in ("p", "q"):
        await cluster.add_pod(name, volumes=VOLUMES)
    volumes = cluster.scope("", "persistentvolumes")
    await cluster.remove_pod("p")
    assert reads(cluster.graph, NODE, "secrets", "secret")
    await cluster.world.delete(volumes, "", "v")
    assert not reads(cluster.graph, NODE, "secrets", "mount", "s")
    assert reads(cluster.graph, NODE, "persistentvolumeclaims", "claim")
    await cluster.remove_pod("q")
    assert not reads(cluster.graph, NODE, "secrets", "secret")
    assert cluster.graph.is_empty


async def test_a_pod_that_a_node_made_leads_to_nothing() -> None:
    cluster = await start()
    Following(cluster.graph, cluster.caches)
    await cluster.add_pod("m", annotations={"kubernetes.io/config.mirror": "x"}, volumes=VOLUMES)
    await cluster.add_pod("unbound", node="", volumes=VOLUMES)
    assert reads(cluster.graph, NODE, "pods", "m")
    assert not reads(cluster.graph, NODE, "secrets", "secret")


def test_a_volume_changes_hands() -> None:
    graph = Graph()
    graph.bind(Vertex("pods", "d", "p"), "n1", [Vertex("persistentvolumeclaims", "d", "one")])
    graph.bind(Vertex("pods", "d", "q"), "n2", [Vertex("persistentvolumeclaims", "d", "two")])
    graph.put_volume("v", ("d", "one"), [("s", "key")])
    assert (reads(graph, NODE, "secrets", "key", "s"), reads(graph, OTHER, "secrets", "key", "s")) == (True, False)
    graph.put_volume("v", ("d", "two"), [("s", "key")])
    assert (reads(graph, NODE, "secrets", "key", "s"), reads(graph, OTHER, "secrets", "key", "s")) == (False, True)
    graph.put_volume("v", None)
    assert not reads(graph, OTHER, "secrets", "key", "s")
    for name in "pq":
        graph.bind(Vertex("pods", "d", name), "")
    assert graph.is_empty


@pytest.mark.parametrize(
    ("verb", "resource", "members", "answer"),
    [
        ("list", "secrets", {"namespace": "d"}, "No Object name found"),
        ("list", "secrets", {}, "can only read namespaced object of this type"),
        ("delete", "secrets", {"namespace": "d", "name": "x"}, "can only read resources of this type"),
        ("get", "secrets", {"namespace": "d", "name": "x", "subresource": "s"}, "cannot read subresource"),
        ("get", "secrets", {"namespace": "d", "name": "x"}, UNRELATED),
        ("list", "persistentvolumes", {}, "can only get individual resources of this type"),
        ("get", "persistentvolumes", {"name": "x", "subresource": "status"}, "cannot get subresource"),
        (
            "get",
            "persistentvolumeclaims",
            {"name": "x", "subresource": "status"},
            "can only get/update/patch this type",
        ),
        ("create", "serviceaccounts", {}, "can only create tokens for individual service accounts"),
        ("create", "serviceaccounts", {"name": "x"}, "can only create token subresource of serviceaccount"),
        ("get", "nodes", {"name": "n1"}, None),
        ("get", "nodes", {"name": "n2"}, "node 'n1' cannot read 'n2', only its own Node object"),
        ("list", "nodes", {}, "node 'n1' cannot read all nodes, only its own Node object"),
        ("update", "nodes", {"name": "n2"}, None),
        ("patch", "nodes", {"name": "n1", "subresource": "status"}, None),
        ("delete", "nodes", {"name": "n1"}, ""),
        ("get", "nodes", {"name": "n1", "subresource": "proxy"}, ""),
        ("list", "pods", {}, NODE_SELECTOR),
        ("list", "pods", {"selectors": "spec.nodeName=n1"}, None),
        ("watch", "pods", {"selectors": "metadata.name=x,spec.nodeName=n1"}, None),
        (
            "list",
            "pods",
            {"selectors": "spec.nodeName!=n1"},
            "can only list/watch pods with spec.nodeName field selector",
        ),
        (
            "list",
            "pods",
            {"selectors": "spec.nodeName=n2"},
            "can only list/watch pods with spec.nodeName field selector",
        ),
        ("create", "pods", {"subresource": "eviction", "name": "x"}, None),
        ("create", "pods", {"subresource": "binding", "name": "x"}, ""),
        ("get", "services", {"name": "x", "namespace": "d"}, None),
        ("delete", "services", {"name": "x", "namespace": "d"}, ""),
        ("list", "leases", {}, "can only get, create, update, patch, or delete a node lease"),
        ("get", "leases", {"namespace": "d"}, 'can only access leases in the "kube-node-lease" system namespace'),
        ("create", "leases", {"namespace": "kube-node-lease"}, None),
        ("update", "leases", {"namespace": "kube-node-lease", "name": "n1"}, None),
        (
            *("update", "leases", {"namespace": "kube-node-lease", "name": "n2"}),
            "can only access node lease with the same name as the requesting node",
        ),
        ("list", "csinodes", {}, "can only get, create, update, patch, or delete a CSINode"),
        ("get", "csinodes", {"name": "n1"}, None),
        ("get", "csinodes", {"name": "n2"}, "can only access CSINode with the same name as the requesting node"),
        ("create", "resourceslices", {}, None),
        ("update", "resourceslices", {"name": "s"}, UNRELATED),
        ("list", "resourceslices", {"selectors": "spec.nodeName=n1"}, None),
        (
            *("deletecollection", "resourceslices", {}),
            "can only list/watch/deletecollection resourceslices with nodeName field selector",
        ),
    ],
)
def test_what_a_node_may_do(verb: str, resource: str, members: dict[str, Any], answer: str | None) -> None:
    groups = {"leases": "coordination.k8s.io", "csinodes": "storage.k8s.io", "resourceslices": "resource.k8s.io"}
    given = {**members, "group": groups.get(resource, "")}
    if "selectors" in given:
        given["selectors"] = selectors.read(given["selectors"], "")
    assert asks(Graph(), NODE, verb, resource, **given) == (answer is None, answer or "")


@pytest.mark.parametrize(
    ("user", "reason"),
    [
        (User("bob", groups=("system:nodes",)), ""),
        (User("system:node:n1", groups=("system:authenticated",)), ""),
        (User("system:node:", groups=("system:nodes",)), 'unknown node for user "system:node:"'),
    ],
)
def test_who_is_no_node_is_left_to_others(user: User, reason: str) -> None:
    assert asks(Graph(), user, "get", "services", name="x") == (False, reason)
    is_node = bool(reason)
    assert NodeAuthorizer(Graph(), RULES).rules_of(user, "d").is_incomplete is is_node
