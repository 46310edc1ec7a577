"""Which resources of other servers the garbage collector knows, and in which version it follows them."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from quarterdeck.aggregator.apiservices import APIService
from quarterdeck.aggregator.remotekinds import RemoteKinds
from quarterdeck.controllers.remoteobjects import RemoteKind
from quarterdeck.webhook.config import Service

ALL = ["delete", "get", "list", "watch"]


def api(version: str, priority: int = 1, group: str = "g.dev") -> APIService:
    return APIService(f"{version}.{group}", group, version, 1, priority, True, False, Service("n", "s", 443))


def resource(name: str, kind: str = "Thing", scope: str = "Namespaced", verbs: list[str] = ALL) -> dict[str, Any]:
    return {"resource": name, "scope": scope, "verbs": verbs, "responseKind": {"kind": kind}}


class World:
    def __init__(self, told: dict[str, list[dict[str, Any]]], *apis: APIService) -> None:
        self.told = told
        self.apis = apis
        self.discovery: Any = SimpleNamespace(known_of=self._known_of, listeners=[])
        services: Any = SimpleNamespace(remote=lambda: iter(self.apis))
        self.kinds = RemoteKinds(services, self.discovery)
        self.heard: list[tuple[list[str], bool]] = []
        self.kinds.listener = lambda kinds, is_whole: self.heard.append(([show(each) for each in kinds], is_whole))

    def _known_of(self, one: APIService) -> dict[str, Any] | None:
        found = self.told.get(one.name)
        return None if found is None else {"resources": found}

    def tell(self) -> None:
        for listener in self.discovery.listeners:
            listener()


def show(kind: RemoteKind) -> str:
    return f"{kind.api_version} {kind.resource} {kind.kind}{'' if kind.is_followed else ' (not followed)'}"


def test_each_resource_is_followed_in_the_version_that_is_preferred() -> None:
    told = {
        "v1.g.dev": [resource("both"), resource("old"), resource("wide", scope="Cluster")],
        "v2.g.dev": [resource("both"), resource("read", verbs=["get", "list", "watch"])],
    }
    world = World(told, api("v1"), api("v2", 2))
    world.tell()
    assert world.heard == [
        (
            [
                "g.dev/v2 both Thing",
                "g.dev/v2 read Thing (not followed)",
                "g.dev/v1 both Thing (not followed)",
                "g.dev/v1 old Thing",
                "g.dev/v1 wide Thing",
            ],
            True,
        )
    ]
    assert [kind.namespaced for kind in world.kinds.read()[0]] == [True, True, True, True, False]


def test_events_and_what_has_no_kind_are_left_out() -> None:
    told = {
        "v1.events.k8s.io": [resource("events", "Event")],
        "v1.g.dev": [resource("things", ""), resource("", "Thing")],
    }
    world = World(told, api("v1", group="events.k8s.io"), api("v1"))
    world.tell()
    assert world.heard == [(["events.k8s.io/v1 events Event (not followed)"], True)]


def test_it_is_told_what_changes_and_what_is_not_known_yet() -> None:
    world = World({}, api("v1"))
    world.tell()
    world.tell()
    world.told["v1.g.dev"] = [resource("things")]
    world.tell()
    world.tell()
    world.apis = ()
    world.tell()
    assert world.heard == [([], False), (["g.dev/v1 things Thing"], True), ([], True)]


def test_the_first_version_of_all_is_no_group() -> None:
    world = World({"v1.": [resource("pods", "Pod")]}, api("v1", group=""))
    world.tell()
    assert world.heard == []
