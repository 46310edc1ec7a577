"""A group that another server serves, through a real server: requests, watches, discovery. What changes the group has
servers of its own (test_aggregation_changes.py)."""

from __future__ import annotations

import http.client
import json
import ssl
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from support.aggregation import World
from support.extension_server import BASE, GROUP, ITEMS
from support.kubectl import Kubectl
from support.waiting import PROCESS_PATIENCE_S, wait_for

pytestmark = pytest.mark.e2e


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    made = World(tmp_path_factory.mktemp("world"))
    try:
        made.register()
        assert made.call("POST", ITEMS, {"metadata": {"name": "one"}})[0] == 201
        yield made
    finally:
        made.close()


def test_what_answers_is_available(world: World) -> None:
    found = world.condition()
    assert (found["reason"], found["message"]) == ("Passed", "all checks passed")


def test_objects_are_written_and_read_through_it(world: World) -> None:
    status, _, body = world.call("POST", ITEMS, {"metadata": {"name": "written"}})
    assert (status, json.loads(body)["kind"]) == (201, "Flunder")
    status, headers, body = world.call("GET", f"{ITEMS}/written")
    assert (status, json.loads(body)["metadata"]["name"]) == (200, "written")
    assert headers["content-type"] == "application/json"
    assert headers["content-length"] == str(len(body))
    assert headers["audit-id"]
    assert json.loads(world.call("GET", ITEMS)[2])["items"]
    assert world.call("GET", f"{ITEMS}/none")[0] == 404
    status, headers, body = world.call("HEAD", f"{ITEMS}/written")
    assert (status, body) == (200, b"")
    assert int(headers["content-length"]) > 0


def test_who_asks_is_told_and_nobody_can_claim_to_be_another(world: World) -> None:
    forged = {"X_Remote_User": "root", "X_Remote_Group": "system:masters", "X_Remote_Extra_A": "b", "X_Kept": "yes"}
    forged |= {"Connection": "x-of-hop", "X_Of_Hop": "gone", "X_Forwarded_For": "192.0.2.1", "TE": "trailers"}
    assert world.call("GET", f"{ITEMS}?limit=5&continue=%2F", token="secret", **forged)[0] == 200
    method, path, sent = world.extension.requests[-1]
    assert (method, path) == ("GET", f"{ITEMS}?continue=%2F&limit=5")
    fields: dict[str, list[str]] = {}
    for name, value in sent:
        fields.setdefault(name.lower(), []).append(value)
    assert fields["x-remote-user"] == ["admin"]
    assert fields["x-remote-uid"] == ["u1"]
    assert fields["x-remote-group"] == ["system:masters", "system:authenticated"]
    assert fields["x-forwarded-for"] == ["192.0.2.1, 127.0.0.1"]
    assert fields["x-forwarded-host"] == fields["host"] == [f"127.0.0.1:{world.extension.port}"]
    assert (fields["x-forwarded-proto"], fields["x-forwarded-uri"]) == (["https"], [ITEMS])
    assert fields["x-kept"] == ["yes"]
    assert fields["audit-id"]
    assert not fields.keys() & {"authorization", "x-remote-extra-a", "x-of-hop", "connection"}
    assert fields["te"] == ["trailers"]


def test_who_may_not_is_refused_here(world: World) -> None:
    count = len(world.extension.requests)
    status, _, body = world.call("GET", ITEMS, token="jane")
    assert status == 403
    assert f'cannot list resource "flunders" in API group "{GROUP}"' in json.loads(body)["message"]
    assert len(world.extension.requests) == count


def test_a_watch_tells_at_once_and_ends_with_its_client(world: World) -> None:
    connection = world.open()
    connection.request("GET", f"{ITEMS}?watch=true", headers={"Authorization": "Bearer secret"})
    answer = connection.getresponse()
    for name in ("w1", "w2"):
        assert world.call("POST", ITEMS, {"metadata": {"name": name}})[0] == 201
        while json.loads(answer.readline())["object"]["metadata"]["name"] != name:
            pass
    answer.close()
    connection.close()
    for name in ("w3", "w4"):  # the second one meets a closed connection
        assert world.call("POST", ITEMS, {"metadata": {"name": name}})[0] == 201
    end = time.monotonic() + PROCESS_PATIENCE_S
    while world.extension.left.empty():
        assert time.monotonic() < end
        world.call("POST", ITEMS, {"metadata": {"name": "more"}})
        time.sleep(0.02)


def test_large_bodies_pass(world: World) -> None:
    size = 20_000_000
    status, _, body = world.call("GET", f"{BASE}/large?{size}")
    assert (status, len(body)) == (200, size)
    sent = {"metadata": {"name": "large"}, "data": "x" * 2_000_000}
    assert world.call("POST", ITEMS, sent)[0] == 201
    assert len(json.loads(world.call("GET", f"{ITEMS}/large")[2])["data"]) == 2_000_000


def test_audits_tell_of_requests_and_not_of_others_answers(world: World) -> None:
    small, large = f"{ITEMS}/one?audited", f"{BASE}/large?100000"
    for uri in (small, large):
        assert world.call("GET", uri)[0] == 200
        assert set(world.audited(uri, "ResponseComplete")) == {"RequestReceived", "ResponseComplete"}
        assert not [each for each in world.events(uri) if "responseObject" in each]
    assert world.events(small)[0]["objectRef"]["resource"] == "flunders"


def test_other_servers_learn_whom_to_believe(world: World) -> None:
    path = "/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication"
    wait_for(lambda: world.call("GET", path)[0] == 200)
    data = json.loads(world.call("GET", path)[2])["data"]
    assert data["requestheader-client-ca-file"] == world.proxies.pem.decode()
    assert data["requestheader-allowed-names"] == '["front-proxy-client"]'
    assert "BEGIN CERTIFICATE" in data["client-ca-file"]


def test_redirects_and_unasked_upgrades_are_refused(world: World) -> None:
    status, headers, body = world.call("GET", f"{BASE}/away")
    assert (status, body) == (502, b"the backend attempted to redirect this request, which is not permitted")
    assert headers["content-type"] == "text/plain; charset=utf-8"
    assert "location" not in headers
    assert world.call("GET", f"{BASE}/switched")[0] == 502, "nobody asked for it"


def test_an_answer_that_breaks_off_is_cut_off(world: World) -> None:
    with pytest.raises((http.client.IncompleteRead, ConnectionError, http.client.BadStatusLine, ssl.SSLError)):
        world.call("GET", f"{BASE}/broken")


def test_discovery_tells_of_it(world: World) -> None:
    wait_for(lambda: (world.aggregated() or {}).get("freshness") == "Current")
    found = world.aggregated()
    assert found is not None
    assert [each["resource"] for each in found["resources"]] == ["flunders"]
    listed = json.loads(world.call("GET", BASE)[2])
    assert [each["name"] for each in listed["resources"]] == ["flunders"]
    assert GROUP in [each["name"] for each in json.loads(world.call("GET", "/apis")[2])["groups"]]
    assert world.call("GET", f"/apis/{GROUP}")[0] == 200
    assert BASE in json.loads(world.call("GET", "/")[2])["paths"]


def test_openapi_tells_of_it(world: World) -> None:
    name = BASE.removeprefix("/")
    wait_for(lambda: name in json.loads(world.call("GET", "/openapi/v3")[2])["paths"])
    address = json.loads(world.call("GET", "/openapi/v3")[2])["paths"][name]["serverRelativeURL"]
    assert json.loads(world.call("GET", address)[2])["info"]["title"] == "wardle"


def test_openapi_v2_has_what_it_publishes(world: World) -> None:
    path = f"{BASE}/namespaces/{{namespace}}/flunders"

    def read() -> dict[str, Any]:
        return dict(json.loads(world.call("GET", "/openapi/v2")[2]))

    wait_for(lambda: path in read()["paths"])
    told = read()
    assert told["paths"][path]["get"]["parameters"] == [{"$ref": "#/parameters/limit"}]
    assert told["parameters"]["limit"] == {"in": "query", "name": "limit", "type": "integer", "uniqueItems": True}
    assert not [each for each in told["paths"] if each.startswith("/apis/elsewhere.example.com")]
    definitions = told["definitions"]
    assert definitions["wardle.Flunder"]["description"] == "A flunder."
    assert "wardle.Spec" in definitions
    assert "wardle.Unused" not in definitions
    assert definitions["io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"]["description"] != "An old one."
    protobuf = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf"
    status, headers, body = world.call("GET", "/openapi/v2", Accept=protobuf)
    assert (status, b"wardle.Flunder" in body) == (200, True)
    assert world.call("GET", "/openapi/v2", Accept=protobuf, If_None_Match=headers["etag"])[0] == 304


def test_kubectl_reads_it(world: World, tmp_path: Path) -> None:
    wait_for(lambda: (world.aggregated() or {}).get("freshness") == "Current")
    kubectl = Kubectl(world.server.kubeconfig, tmp_path)
    listed = json.loads(kubectl("get", "--raw", ITEMS))
    assert listed["kind"] == "FlunderList"
    assert "flunder" in kubectl("get", "flunders.v1.wardle.example.com", "one", "-o", "name")
