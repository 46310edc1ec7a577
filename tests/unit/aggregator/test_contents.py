"""Objects of other servers in namespaces: which are deleted, and what is told where that fails."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any

import pytest

from quarterdeck.aggregator.apiservices import APIService
from quarterdeck.aggregator.client import Document, RemoteClient
from quarterdeck.aggregator.contents import RemoteContents
from quarterdeck.apimachinery import errors
from quarterdeck.transport.client.failures import CallFailed
from quarterdeck.webhook.config import Service

ALL = ["create", "delete", "deletecollection", "get", "list"]


class FakeClient(RemoteClient):
    """Answers one after another, by method; the last stays."""

    def __init__(self, **answers: list[Any]) -> None:
        self.answers = answers
        self.asked: list[str] = []

    async def ask(self, api: Any, method: str, target: str, user: Any, body: bytes, *fields: Any) -> Document:
        self.asked.append(f"{method} {target}")
        left = self.answers[method]
        answer = left.pop(0) if len(left) > 1 else left[0]
        if isinstance(answer, Exception):
            raise answer
        status, value = answer
        return Document(status, {}, value if isinstance(value, bytes) else json.dumps(value).encode())


def api(version: str, priority: int = 1, group: str = "g.dev", *, is_available: bool = True) -> APIService:
    return APIService(f"{version}.{group}", group, version, 1, priority, is_available, False, Service("n", "s", 443))


def contents(client: RemoteClient, told: dict[str, Any], *apis: APIService) -> RemoteContents:
    services = SimpleNamespace(remote=lambda: iter(apis))
    discovery = SimpleNamespace(told_of=lambda api: told.get(api.version))
    return RemoteContents(services, discovery, client)  # type: ignore[arg-type]


def resource(name: str = "things", scope: str = "Namespaced", verbs: list[str] = ALL) -> dict[str, Any]:
    return {"resource": name, "scope": scope, "verbs": verbs}


def page(*names: str, go_on: str = "", finalizers: list[str] | None = None) -> tuple[int, Any]:
    items = [{"metadata": {"name": name, "finalizers": finalizers}} for name in names]
    return 200, {"metadata": {"continue": go_on}, "items": items}


ONE = {"v1": {"resources": [resource()]}}
ITEMS = "/apis/g.dev/v1/namespaces/ns/things"


def test_each_resource_comes_in_the_preferred_version() -> None:
    told = {
        "v1": {"resources": [resource("old"), resource("both"), resource("wide", "Cluster")]},
        "v2": {"resources": [resource("both"), resource("read", verbs=["get", "list"])]},
    }
    found = contents(FakeClient(), told, api("v1"), api("v2", 2)).resources()
    assert [(each._api.version, each.name) for each in found] == [("v2", "both.g.dev"), ("v1", "old.g.dev")]


def test_what_is_not_known_for_sure_is_told() -> None:
    known = contents(FakeClient(), ONE, api("v2"), api("v1"), api("v1beta1"), api("v1", group=""))
    assert known.undiscovered() == [
        "g.dev/v1beta1: stale GroupVersion discovery: g.dev/v1beta1",
        "g.dev/v2: stale GroupVersion discovery: g.dev/v2",
    ]


async def test_all_are_deleted_at_once_and_the_rest_is_counted_page_by_page() -> None:
    client = FakeClient(DELETE=[(200, {})], GET=[page("a", "b", go_on="x&y"), page("c", finalizers=["f"])])
    left = await contents(client, ONE, api("v1")).resources()[0].empty("ns")
    assert (left.count, dict(left.finalizers)) == (3, {"f": 1})
    assert client.asked == [f"DELETE {ITEMS}", f"GET {ITEMS}?limit=500", f"GET {ITEMS}?limit=500&continue=x%26y"]


@pytest.mark.parametrize("verbs", [ALL, ["delete", "list"]])
async def test_each_is_deleted_where_all_cannot_be(verbs: list[str]) -> None:
    answers: list[Any] = [(405, {}), (200, {}), (404, {})] if verbs is ALL else [(200, {}), (404, {})]
    client = FakeClient(DELETE=answers, GET=[page("a", "b"), page()])
    told = {"v1": {"resources": [resource(verbs=verbs)]}}
    assert (await contents(client, told, api("v1")).resources()[0].empty("ns")).count == 0
    assert [each for each in client.asked if each.startswith(f"DELETE {ITEMS}/")] == [
        f"DELETE {ITEMS}/a",
        f"DELETE {ITEMS}/b",
    ]


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        (CallFailed("EOF"), "the server is currently unable to handle the request"),
        ((503, b"down"), "the server is currently unable to handle the request"),
        ((500, b"bad"), 'an error on the server ("bad") has prevented the request from succeeding'),
        ((403, {"kind": "Status", "message": "not you"}), "not you"),
        ((302, b""), "the server responded with the status code 302 but did not return more details"),
    ],
)
async def test_why_it_is_not_known_to_be_done(answer: Any, text: str) -> None:
    found = contents(FakeClient(DELETE=[answer], GET=[page()]), ONE, api("v1")).resources()[0]
    with pytest.raises(errors.APIStatus) as raised:
        await found.empty("ns")
    assert raised.value.message == text


async def test_nobody_is_called_that_is_not_available() -> None:
    client = FakeClient(DELETE=[(200, {})], GET=[page()])
    found = contents(client, ONE, api("v1", is_available=False)).resources()[0]
    with pytest.raises(errors.ServiceUnavailable, match="the server is currently unable to handle the request"):
        await found.empty("ns")
    assert client.asked == []


@pytest.mark.parametrize("body", [b"[]", b"{", b'{"items": [1]}', b'{"items": [{"metadata": {}}]}', b'{"items": 3}'])
async def test_a_list_that_is_none_is_no_end(body: bytes) -> None:
    found = contents(FakeClient(DELETE=[(200, {})], GET=[(200, body)]), ONE, api("v1")).resources()[0]
    with pytest.raises(errors.Unreasoned):
        await found.empty("ns")
