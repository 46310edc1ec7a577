"""Dry runs and refused writes leave nothing behind: the server is afterwards as it was before."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from quarterdeck.registry.builtin import workloads
from quarterdeck.registry.builtin.service.allocation import Allocators
from quarterdeck.server import apiserver, pki
from quarterdeck.server.config import Config
from quarterdeck.storage.cacher import Cacher
from quarterdeck.transport.messages import ConnectionInfo, Request, Response

Object = dict[str, Any]

MERGE = "application/merge-patch+json"
NAMESPACE = "/api/v1/namespaces/default"
LABELS_OF_NOBODY = {"metadata": {"labels": {"not a label": "!"}}}


class Kind(NamedTuple):
    path: str
    body: Object
    subresources: tuple[str, ...] = ()
    is_collection_deleted: bool = True


def kind_of(
    path: str, api_version: str, kind: str, *subresources: str, is_collection_deleted: bool = True, **content: Any
) -> Kind:
    return Kind(path, {"apiVersion": api_version, "kind": kind, **content}, subresources, is_collection_deleted)


CONTAINERS = {"containers": [{"name": "c", "image": "i"}]}
TEMPLATE = {"metadata": {"labels": {"a": "b"}}, "spec": CONTAINERS}
DEPLOYMENT = {"selector": {"matchLabels": {"a": "b"}}, "template": TEMPLATE}
PORTS = [{"port": 80}]
KINDS = {
    "cluster": kind_of(f"{NAMESPACE}/services", "v1", "Service", "status", spec={"ports": PORTS}),
    "ports": kind_of(f"{NAMESPACE}/services", "v1", "Service", "status", spec={"type": "NodePort", "ports": PORTS}),
    "external": kind_of(
        f"{NAMESPACE}/services", "v1", "Service", "status", spec={"type": "ExternalName", "externalName": "x.dev"}
    ),
    "configmap": kind_of(f"{NAMESPACE}/configmaps", "v1", "ConfigMap", data={"a": "b"}),
    "secret": kind_of(f"{NAMESPACE}/secrets", "v1", "Secret", stringData={"a": "b"}),
    "account": kind_of(f"{NAMESPACE}/serviceaccounts", "v1", "ServiceAccount"),
    "pod": kind_of(f"{NAMESPACE}/pods", "v1", "Pod", "status", spec=CONTAINERS),
    "deployment": kind_of(
        "/apis/apps/v1/namespaces/default/deployments", "apps/v1", "Deployment", "status", "scale", spec=DEPLOYMENT
    ),
    "lease": kind_of(
        "/apis/coordination.k8s.io/v1/namespaces/default/leases", "coordination.k8s.io/v1", "Lease", spec={}
    ),
    "event": kind_of(f"{NAMESPACE}/events", "v1", "Event", involvedObject={"namespace": "default"}),
    "namespace": kind_of("/api/v1/namespaces", "v1", "Namespace", "status", is_collection_deleted=False),
}


class Server:
    """One server in this process; requests are answered by its application."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.runner = asyncio.Runner()
        self.folder = folder
        self.allocators: list[Allocators] = []
        self.caches: list[Cacher] = []

        def make(cache: Any) -> Allocators:
            self.allocators.append(Allocators(cache))
            return self.allocators[-1]

        def make_cacher(*arguments: Any) -> Cacher:
            self.caches.append(Cacher(*arguments))
            return self.caches[-1]

        monkeypatch.setattr(workloads, "Allocators", make)
        monkeypatch.setattr(apiserver, "Cacher", make_cacher)
        self.runner.run(self._start())

    async def _start(self) -> None:
        data_dir, tokens = self.folder / "data", self.folder / "tokens.csv"
        data_dir.mkdir()
        tokens.write_text('secret,admin,admin,"system:masters"\n')
        pki.ensure(data_dir, "127.0.0.1", None)
        self.server = await apiserver.build(Config(data_dir=data_dir, token_auth_file=tokens))
        await self.server.start()
        async with asyncio.timeout(20):
            while (await self.call("GET", f"{NAMESPACE}"))[0] != 200:
                await asyncio.sleep(0.02)
        for name, kind in KINDS.items():
            status, answer = await self.call("POST", kind.path, named(kind, f"{name}-live"))
            assert status == 201, answer
        await self._settle()

    async def _settle(self) -> None:
        """Until no controller has anything to write."""
        revision = -1
        while revision != self.caches[0].revision:
            revision = self.caches[0].revision
            await asyncio.sleep(0.2)

    async def call(self, method: str, path: str, body: object = None, content_type: str = "application/json") -> Any:
        headers = {"authorization": "Bearer secret", "content-type": content_type, "accept": "application/json"}
        path, _, query = path.partition("?")
        data = b"" if body is None else json.dumps(body).encode()
        connection = ConnectionInfo("127.0.0.1", is_secure=False)
        answer = self.server.application(Request(method, path, query, headers, data, connection))
        response = answer if isinstance(answer, Response) else await answer
        return response.status, bytes(response.body) if isinstance(response.body, bytes) else b""

    def state(self) -> object:
        (cacher,) = self.caches
        (allocators,) = self.allocators
        pools = (allocators.addresses, allocators.node_ports)
        return (
            cacher.revision,
            {
                cache.prefix: (cache.counts.received, [(entry.path, bytes(entry.data)) for entry in cache.state.all()])
                for cache in cacher.caches()
            },
            [(dict(pool._held), dict(pool._reserved)) for pool in pools],
        )

    def close(self) -> None:
        self.runner.run(self.server.stop())
        self.runner.close()


def named(kind: Kind, name: str) -> Object:
    return {**kind.body, "metadata": {"name": name}}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with pytest.MonkeyPatch.context() as monkeypatch:
        made = Server(tmp_path_factory.mktemp("server"), monkeypatch)
        yield made
        made.close()


SPECS = st.sampled_from(
    (
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
)


@st.composite
def writes(draw: st.DrawFn) -> tuple[str, str, object, str]:
    """A write that stores nothing: a dry run, or one that is refused."""
    name = draw(st.sampled_from(sorted(KINDS)))
    kind = KINDS[name]
    is_refused = draw(st.booleans())
    query = "" if is_refused else "?dryRun=All"
    target = draw(st.sampled_from((f"{name}-live", f"{name}-absent")))
    one = f"{kind.path}/{target}"
    body = named(kind, target)
    if "spec" in body or draw(st.booleans()):
        body["spec"] = {**body.get("spec", {}), **draw(SPECS)}
    if is_refused:
        body["metadata"] |= LABELS_OF_NOBODY["metadata"]
    patch = {"metadata": body["metadata"], **({"spec": draw(SPECS)} if "spec" in kind.body else {})}
    if draw(st.booleans()):
        patch["metadata"] = {**patch["metadata"], "finalizers": ["example.com/held"]}
    verbs = ["POST", "PUT", "merge", "strategic", "json", "apply", "DELETE"]
    verbs += ["collection"] if kind.is_collection_deleted and not is_refused else []
    verb = draw(st.sampled_from(verbs + [f"sub:{each}" for each in kind.subresources]))
    if verb == "POST":
        return "POST", kind.path + query, body, "application/json"
    if verb == "PUT":
        return "PUT", one + query, body, "application/json"
    if verb == "apply":
        return "PATCH", f"{one}{query or '?x=y'}&fieldManager=m&force=true", body, "application/apply-patch+yaml"
    if verb == "json":
        operations = [{"op": "add", "path": "/metadata/labels", "value": body["metadata"].get("labels", {"a": "b"})}]
        return "PATCH", one + query, operations, "application/json-patch+json"
    if verb == "DELETE":
        options = {"preconditions": {"uid": "of-another"}} if is_refused else None
        return "DELETE", one + query, options, "application/json"
    if verb == "collection":
        return "DELETE", kind.path + query, None, "application/json"
    if verb.startswith("sub:"):
        subresource = verb.removeprefix("sub:")
        content = {"spec": {"replicas": -1 if is_refused else 7}} if subresource == "scale" else patch
        return "PATCH", f"{one}/{subresource}{query}", content, MERGE
    content_type = MERGE if verb == "merge" else "application/strategic-merge-patch+json"
    return "PATCH", one + query, patch, content_type


@settings(
    max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(st.lists(writes(), min_size=1, max_size=4))
def test_a_write_that_stores_nothing_leaves_nothing(server: Server, asked: list[tuple[str, str, object, str]]) -> None:
    async def ask() -> None:
        answers = await asyncio.gather(*(server.call(*each) for each in asked))
        assert not any(b"panic" in answer for _, answer in answers), answers

    before = server.state()
    server.runner.run(ask())
    assert server.state() == before
