"""Dry runs, refused and failed writes of definitions, their objects and APIServices leave nothing behind."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import Phase, given, settings

from support import definitions
from support.traceless import APPLY, FAILURES, JSON_PATCH, MERGE, UNKNOWN, Kind, Writes, writes
from support.traces import TracedServer, serving

GROUP = "trace.example.com"
SPEC = {
    "type": "object",
    "required": ["size"],
    "properties": {
        "size": {"type": "integer", "maximum": 10, "default": 1},
        "replicas": {"type": "integer", "minimum": 0},
        "names": {"type": "array", "items": {"type": "string"}, "x-kubernetes-list-type": "set"},
    },
    "x-kubernetes-validations": [{"rule": "self.size != 7", "message": "seven is taken"}],
}
SCHEMA = {"type": "object", "properties": {"spec": SPEC, "status": definitions.ANYTHING}}
SUBRESOURCES = {
    "status": {},
    "scale": {"specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.replicas"},
}
V1 = definitions.version(SCHEMA, subresources=SUBRESOURCES)
V2 = definitions.version(SCHEMA, "v2", is_storage=False)
OTHER = definitions.version(name="v3", is_storage=False)
OBJECTS = ({}, {"size": 2}, {"size": 7}, {"size": 11}, {"replicas": -1}, {"names": ["a", "a"]}, {"unknown": 1})


def things(version: str, namespace: str = "default", **names: str) -> Kind:
    body = {"apiVersion": f"{GROUP}/{version}", "kind": "Thing", "spec": {"size": 1, "replicas": 1}}
    path = f"/apis/{GROUP}/{version}/namespaces/{namespace}/things"
    patches, subresources = (MERGE, JSON_PATCH, APPLY), ("status", "scale") if version == "v1" else ()
    return Kind(path, body, specs=OBJECTS, subresources=subresources, patches=patches, **names)


def definition(group: str) -> Any:
    return definitions.of_things(group, V1, V2)


def spec_of(*versions: Any, **more: Any) -> Any:
    spec = {**definitions.of_things(GROUP, *versions)["spec"], **more}
    del spec["group"]
    return spec


def definition_kind(**names: str) -> Kind:
    made = definition(GROUP)
    body = {name: made[name] for name in ("apiVersion", "kind", "spec")}
    specs = (
        {},
        spec_of(V1, V2, OTHER),
        spec_of(V1),
        spec_of({**V1, "served": False}, V2),
        spec_of({**V1, "schema": {"openAPIV3Schema": definitions.ANYTHING}}, V2),
        spec_of(V1, V2, scope="Cluster"),
        spec_of(V1, V2, names={"plural": "things", "kind": "Other", "shortNames": ["po"]}),
        spec_of(V1, V2, conversion={"strategy": "Webhook"}),
    )

    def spec_by(name: str) -> Any:
        return {"group": name.removeprefix("things.")}

    return Kind(definitions.PATH, body, specs=specs, subresources=("status",), spec_of=spec_by, **names)


def api_service_kind() -> Kind:
    spec = {
        "groupPriorityMinimum": 10,
        "versionPriority": 10,
        "insecureSkipTLSVerify": True,
        "service": {"name": "far", "namespace": "default"},
    }
    specs = ({}, {"versionPriority": 20}, {"service": None}, {"group": "other.example.com"}, {"caBundle": "eA=="})
    body = {"apiVersion": "apiregistration.k8s.io/v1", "kind": "APIService", "spec": spec}
    path = "/apis/apiregistration.k8s.io/v1/apiservices"

    def spec_by(name: str) -> Any:
        version, _, group = name.partition(".")
        return {"group": group, "version": version}

    live, absent = "v1.away.example.com", "v1.absent.example.com"
    return Kind(path, body, live, absent=absent, specs=specs, subresources=("status",), spec_of=spec_by)


THINGS = things("v1", live="live", leaving="leaving")
API_SERVICE = api_service_kind()
KINDS = (
    THINGS,
    THINGS,
    things("v2", live="live", leaving="leaving"),
    # Namespace lifecycle refuses these: one is going, the other was never there.
    things("v1", "going", live="none"),
    things("v2", "missing", live="none"),
    definition_kind(live=f"things.{GROUP}", leaving=f"things.leaving.{GROUP}", absent=f"things.absent.{GROUP}"),
    API_SERVICE,
    # What the server made for the definition.
    API_SERVICE._replace(live=f"v1.{GROUP}", absent="v1.none.example.com"),
)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TracedServer]:
    with serving(tmp_path_factory.mktemp("server"), fill) as made:
        yield made


async def fill(server: TracedServer) -> None:
    await server.calls.define(definition(GROUP))
    leaving = definition(f"leaving.{GROUP}")
    leaving["metadata"]["finalizers"] = ["example.com/hold"]
    await server.calls.define(leaving)
    assert (await server.call("DELETE", f"{definitions.PATH}/things.leaving.{GROUP}"))[0] == 200
    await server.make_both(THINGS)
    await server.make("/api/v1/namespaces", {"metadata": {"name": "going", "finalizers": ["example.com/hold"]}})
    assert (await server.call("DELETE", "/api/v1/namespaces/going"))[0] == 200
    await server.rest()  # before there is a server that does not tell what it has there, and is asked again and again
    await server.make(API_SERVICE.path, API_SERVICE.named(API_SERVICE.live))
    await server.settle()


def test_a_write_that_stores_nothing_leaves_nothing(server: TracedServer) -> None:
    documents = server.large_documents()

    # Not made smaller: a trace that was left stays, and the smaller example would be blamed for it.
    @settings(max_examples=250, phases=[Phase.generate])
    @given(writes(KINDS, (*FAILURES, UNKNOWN)))
    def check(asked: Writes) -> None:
        server.check(asked)

    check()
    assert server.large_documents() == documents
