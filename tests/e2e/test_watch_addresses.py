"""The deprecated addresses /…/watch/…: they watch, whatever the method, and never write."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from support import definitions
from support.golden.client import Client
from support.server import Server

pytestmark = pytest.mark.e2e

GROUP = "addresses.example.com"
THINGS = f"/apis/{GROUP}/v1/namespaces/default/things"
WATCHED = THINGS.replace("/v1/", "/v1/watch/")
CONFIG_MAPS = "/api/v1/namespaces/default/configmaps"
METHODS = ("POST", "PUT", "PATCH", "DELETE", "HEAD")


@pytest.fixture(scope="module")
def client() -> Iterator[Client]:
    with Server() as server:
        call = Client("127.0.0.1", server.plain_port)
        definitions.install(call, definitions.of_things(GROUP))
        for collection, kind in ((THINGS, "Thing"), (CONFIG_MAPS, "ConfigMap")):
            api_version = "v1" if kind == "ConfigMap" else f"{GROUP}/v1"
            obj = {"apiVersion": api_version, "kind": kind, "metadata": {"name": "a"}}
            assert call("POST", collection, obj).code == 201
        yield call


@pytest.mark.parametrize("method", ["GET", *METHODS])
@pytest.mark.parametrize("name", ["", "/a"])
def test_custom_resources_are_watched_whatever_the_method(client: Client, method: str, name: str) -> None:
    body = None if method in ("GET", "HEAD") else {}
    answer = client(method, f"{WATCHED}{name}?timeoutSeconds=1", body)
    assert answer.code == 200
    if method != "HEAD":
        assert json.loads(answer.body)["object"]["metadata"]["name"] == "a"
    assert client("GET", f"{THINGS}/a").code == 200


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", ["", "/a"])
def test_built_in_resources_have_no_other_method_there(client: Client, method: str, name: str) -> None:
    body = None if method == "HEAD" else {}
    assert client(method, f"{CONFIG_MAPS.replace('/v1/', '/v1/watch/')}{name}?timeoutSeconds=1", body).code == 405
    assert client("GET", f"{CONFIG_MAPS}/a").code == 200


def test_subresources_are_not_watched(client: Client) -> None:
    assert client("GET", "/api/v1/watch/namespaces/default/status?timeoutSeconds=1").code == 404
    assert client("GET", f"{WATCHED}/a/status?timeoutSeconds=1").code == 404


@pytest.mark.parametrize("method", ["GET", "OPTIONS", *METHODS])
def test_what_can_only_be_created_has_no_such_address(client: Client, method: str) -> None:
    bindings = "/api/v1/namespaces/default/bindings"
    local = "/apis/authorization.k8s.io/v1/namespaces/default/localsubjectaccessreviews"
    for address in (bindings, local, "/apis/authentication.k8s.io/v1/tokenreviews"):
        answer = client(method, address.replace("/v1/", "/v1/watch/"), None)
        assert answer.code == 404, answer.text
    assert client("GET", bindings).code == 405
