"""What discovery tells of a version while the server behind it comes and goes."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any

import pytest

from quarterdeck.aggregator.apiservices import APIServices
from quarterdeck.aggregator.client import Document, RemoteClient
from quarterdeck.aggregator.discovery import REFRESH_S, RemoteDiscovery
from quarterdeck.apis.resource import APIResource
from quarterdeck.discovery.documents import GroupVersion
from quarterdeck.discovery.served import DiscoveryDocuments
from quarterdeck.transport.client.failures import CallFailed
from quarterdeck.transport.messages import ConnectionInfo, Request
from support.fake_clock import FakeClock

PLAIN = "application/json"
AGGREGATED = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
RESOURCES = {"resources": [{"name": "things", "namespaced": True, "kind": "Thing", "verbs": ["get"]}]}


class FakeClient(RemoteClient):
    """Answers by path; a path that is missing cannot be reached."""

    def __init__(self) -> None:
        self.answers: dict[str, tuple[int, str, Any]] = {}
        self.asked: list[tuple[str, str]] = []

    async def get(self, api: Any, path: str, user: Any, *fields: tuple[str, str]) -> Document:
        self.asked.append((path, dict(fields).get("If-None-Match", "")))
        if path not in self.answers:
            raise CallFailed("dial tcp: connection refused")
        status, kind, value = self.answers[path]
        return Document(status, {"content-type": kind, "etag": '"e"'}, json.dumps(value).encode())


class World:
    def __init__(self) -> None:
        self.client = FakeClient()
        self.clock = FakeClock()
        self.documents = DiscoveryDocuments("localhost:6443")
        self.cache = SimpleNamespace(listeners=[], state=SimpleNamespace(all=list))
        self.services = APIServices(self.cache)  # type: ignore[arg-type]
        self.discovery = RemoteDiscovery(self.services, self.documents, self.client, self.clock)
        self.services.take_up()

    def put(self, version: str = "v1", service: str | None = "svc", group: str = "g.dev", **changed: Any) -> None:
        spec: dict[str, Any] = {"group": group, "version": version, "groupPriorityMinimum": 5, "versionPriority": 7}
        if service is not None:
            spec["service"] = {"namespace": "ns", "name": service}
        obj = {"metadata": {"name": f"{version}.{group}", **changed}, "spec": spec}
        self._tell(SimpleNamespace(name=f"{version}.{group}", data=json.dumps(obj).encode()), None)

    def delete(self, version: str = "v1", group: str = "g.dev") -> None:
        self._tell(None, SimpleNamespace(name=f"{version}.{group}"))

    def _tell(self, entry: Any, old: Any) -> None:
        for listener in self.cache.listeners:
            listener(SimpleNamespace(entry=entry, old=old))

    async def settle(self, seconds: float = 0) -> None:
        self.clock.advance(seconds)
        while self.discovery.controller.depth:
            await self.discovery.controller.work_on_next()

    def versions(self) -> list[tuple[str, str, list[str]]]:
        """Of the aggregated document: version, freshness, resources."""
        request = Request("GET", "/apis", "", {"accept": AGGREGATED}, b"", ConnectionInfo("", is_secure=True))
        body = self.documents.respond(request).body
        assert isinstance(body, bytes)
        return [
            (version["version"], version["freshness"], [each["resource"] for each in version.get("resources", ())])
            for group in json.loads(body)["items"]
            for version in group["versions"]
        ]

    def groups(self) -> list[str]:
        """As /apis lists them."""
        request = Request("GET", "/apis", "", {}, b"", ConnectionInfo("", is_secure=True))
        body = self.documents.respond(request).body
        assert isinstance(body, bytes)
        return [group["name"] for group in json.loads(body)["groups"]]


def aggregated(*versions: str) -> dict[str, Any]:
    told = [{"version": version, "resources": [{"resource": f"of-{version}"}]} for version in versions]
    return {"items": [{"metadata": {"name": "g.dev"}, "versions": told}]}


@pytest.fixture
def world() -> World:
    return World()


async def test_a_version_is_stale_until_its_server_answers(world: World) -> None:
    world.put()
    assert world.versions() == [("v1", "Stale", [])]
    await world.settle()
    assert world.versions() == [("v1", "Stale", [])]
    world.client.answers["/apis"] = (200, AGGREGATED, aggregated("v1"))
    await world.settle(1)
    assert world.versions() == [("v1", "Current", ["of-v1"])]


async def test_what_was_told_last_stays_as_stale(world: World) -> None:
    world.client.answers["/apis"] = (200, AGGREGATED, aggregated("v1"))
    world.put()
    await world.settle()
    del world.client.answers["/apis"]
    await world.settle(REFRESH_S)
    assert world.versions() == [("v1", "Stale", ["of-v1"])]
    world.put()  # its condition has changed
    assert world.versions() == [("v1", "Stale", ["of-v1"])]
    world.client.answers["/apis"] = (304, PLAIN, {})
    await world.settle()
    assert world.versions() == [("v1", "Current", ["of-v1"])]
    assert world.client.asked[-1] == ("/apis", '"e"')


@pytest.mark.parametrize("answer", [(404, PLAIN, {}), (406, PLAIN, {}), (200, PLAIN, {"kind": "APIGroupList"})])
async def test_servers_without_aggregated_discovery_are_asked_plainly(
    world: World, answer: tuple[int, str, Any]
) -> None:
    world.client.answers |= {"/apis": answer, "/apis/g.dev/v1": (200, PLAIN, RESOURCES)}
    world.put()
    await world.settle()
    assert world.versions() == [("v1", "Current", ["things"])]


@pytest.mark.parametrize("answer", [(503, PLAIN, {}), (200, AGGREGATED, []), (500, PLAIN, {})])
async def test_answers_of_no_use_leave_it_stale(world: World, answer: tuple[int, str, Any]) -> None:
    world.client.answers["/apis"] = answer
    world.put()
    await world.settle()
    assert world.versions() == [("v1", "Stale", [])]


async def test_one_answer_serves_the_versions_of_a_server(world: World) -> None:
    world.client.answers["/apis"] = (200, AGGREGATED, aggregated("v1", "v2"))
    world.put("v1")
    world.put("v2")
    await world.settle()
    assert world.versions() == [("v2", "Current", ["of-v2"]), ("v1", "Current", ["of-v1"])]
    assert len(world.client.asked) == 1


async def test_it_goes_with_its_object(world: World) -> None:
    world.client.answers["/apis"] = (200, AGGREGATED, aggregated("v1"))
    world.put()
    await world.settle()
    world.delete()
    assert world.versions() == []
    assert json.loads(world.documents.group_list().data)["groups"] == []


async def test_a_local_one_names_its_version_alone(world: World) -> None:
    world.put(service=None)
    await world.settle()
    assert world.versions() == []
    (group,) = json.loads(world.documents.group_list().data)["groups"]
    assert (group["name"], group["preferredVersion"]["version"]) == ("g.dev", "v1")
    world.put(service=None, labels={"kube-aggregator.kubernetes.io/automanaged": "true"})
    assert json.loads(world.documents.group_list().data)["groups"] == [], "what it stands for says so itself"


@pytest.mark.parametrize("media_type", ["application/yaml", "application/vnd.kubernetes.protobuf"])
async def test_every_form_shows_what_another_server_tells(world: World, media_type: str) -> None:
    world.client.answers["/apis"] = (200, AGGREGATED, aggregated("v1"))
    world.put()
    await world.settle()
    headers = {"accept": AGGREGATED.replace("application/json", media_type)}
    answer = world.documents.respond(Request("GET", "/apis", "", headers, b"", ConnectionInfo("", is_secure=True)))
    assert answer.status == 200
    assert isinstance(answer.body, bytes)
    assert b"of-v1" in answer.body


def test_what_is_changed_of_the_servers_own_versions_counts_in_lists_of_groups() -> None:
    world = World()
    jobs = APIResource("batch", "v1", "jobs", "job", "Job", "JobList", True)
    world.documents.put("builtin", [GroupVersion("batch", "v1", (jobs,), 17400, 15, is_builtin=True)])
    world.documents.put("crd/a", [GroupVersion("g.dev", "v1", (), 1000, 100)])
    assert world.groups() == ["batch", "g.dev"]
    labels = {"kube-aggregator.kubernetes.io/automanaged": "onstart"}
    world.put("v1", None, "batch", labels=labels)
    assert world.groups() == ["g.dev", "batch"]
    world.delete("v1", "batch")
    assert world.groups() == ["g.dev"]
    assert [version for version, _, _ in world.versions()] == ["v1", "v1"]
    world.delete("v1", "other.dev")
    world.put("v1", None, "batch", labels=labels)
    assert world.groups() == ["g.dev", "batch"]
