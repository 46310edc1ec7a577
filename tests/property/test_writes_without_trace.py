"""Dry runs, refused and failed writes of built-in kinds leave nothing behind: the server is afterwards as before."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import Phase, given, settings

from support.traceless import FAILURES, Kind, Writes, writes
from support.traces import TracedServer, serving

NAMESPACE = "/api/v1/namespaces/default"
SERVICES = f"{NAMESPACE}/services"
CONTAINERS = {"containers": [{"name": "c", "image": "i"}]}
TEMPLATE = {"metadata": {"labels": {"a": "b"}}, "spec": CONTAINERS}
DEPLOYMENT = {"selector": {"matchLabels": {"a": "b"}}, "template": TEMPLATE}
PORTS = [{"port": 80}]
SPECS = (
    {},
    {"clusterIP": "10.0.0.77"},
    {"clusterIP": "10.0.0.77", "type": "NodePort"},
    {"clusterIP": "10.9.9.9"},
    {"type": "ExternalName", "externalName": "y.dev", "clusterIP": None, "clusterIPs": None},
    {"type": "NodePort", "ports": [{"port": 80, "nodePort": 30123}]},
    {"type": "LoadBalancer", "externalTrafficPolicy": "Local"},
    {"ports": [{"port": 81}]},
    {"replicas": 3},
)


def kind_of(name: str, path: str, api_version: str, kind: str, *subresources: str, **more: Any) -> Kind:
    is_collection_deleted = more.pop("is_collection_deleted", True)
    return Kind(
        path,
        {"apiVersion": api_version, "kind": kind, **more},
        live=f"{name}-live",
        leaving=f"{name}-leaving",
        absent=f"{name}-absent",
        specs=SPECS if "spec" in more else ({},),
        subresources=subresources,
        is_collection_deleted=is_collection_deleted,
    )


def service(name: str, **spec: Any) -> Kind:
    return kind_of(name, SERVICES, "v1", "Service", "status", spec=spec)


COORDINATION = "coordination.k8s.io/v1"
KINDS = (
    service("cluster", ports=PORTS),
    service("ports", type="NodePort", ports=PORTS),
    service("external", type="ExternalName", externalName="x.dev"),
    kind_of("configmap", f"{NAMESPACE}/configmaps", "v1", "ConfigMap", data={"a": "b"}),
    kind_of("secret", f"{NAMESPACE}/secrets", "v1", "Secret", stringData={"a": "b"}),
    kind_of("account", f"{NAMESPACE}/serviceaccounts", "v1", "ServiceAccount"),
    kind_of("pod", f"{NAMESPACE}/pods", "v1", "Pod", "status", spec=CONTAINERS),
    kind_of(
        "deployment",
        "/apis/apps/v1/namespaces/default/deployments",
        "apps/v1",
        "Deployment",
        "status",
        "scale",
        spec=DEPLOYMENT,
    ),
    kind_of("lease", f"/apis/{COORDINATION}/namespaces/default/leases", COORDINATION, "Lease", spec={}),
    kind_of("event", f"{NAMESPACE}/events", "v1", "Event", involvedObject={"namespace": "default"}),
    kind_of("namespace", "/api/v1/namespaces", "v1", "Namespace", "status", is_collection_deleted=False),
)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TracedServer]:
    with serving(tmp_path_factory.mktemp("server"), fill) as made:
        yield made


async def fill(server: TracedServer) -> None:
    for kind in KINDS:
        await server.make_both(kind)
    await server.settle()


def test_a_write_that_stores_nothing_leaves_nothing(server: TracedServer) -> None:
    documents = server.large_documents()

    # Not made smaller: a trace that was left stays, and the smaller example would be blamed for it.
    @settings(max_examples=200, phases=[Phase.generate])
    @given(writes(KINDS, FAILURES))
    def check(asked: Writes) -> None:
        server.check(asked)

    check()
    assert server.large_documents() == documents
