"""Servers that share an etcd: one runs the controllers, all allocate, each sees what another acknowledged."""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from quarterdeck.apimachinery.codec import protobuf
from quarterdeck.authentication.serviceaccounts.jws import generate_key_pem
from quarterdeck.storage.etcd3 import messages
from quarterdeck.storage.etcd3.client import Client
from quarterdeck.storage.etcd3.settings import Settings
from support import definitions, etcd
from support.server import Server
from support.several import LEASE, LEASE_S, call, holder, leads, serving
from support.waiting import wait_for

pytestmark = pytest.mark.e2e
NAMESPACES = "/api/v1/namespaces"


@pytest.fixture(scope="module")
def cluster() -> Iterator[etcd.Cluster]:
    with etcd.cluster() as made:
        yield made


@pytest.fixture(scope="module")
def servers(cluster: etcd.Cluster, tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Server]]:
    key = tmp_path_factory.mktemp("keys") / "accounts.pem"
    key.write_bytes(generate_key_pem())
    with serving(cluster, 2, f"--service-account-signing-key-file={key}", f"--service-account-key-file={key}") as made:
        yield made


def leader_of(servers: list[Server]) -> Server:
    return wait_for(lambda: next((each for each in servers if leads(each)), None))


def is_emptied(server: Server, name: str) -> bool:
    """A namespace goes: somebody runs the controller."""
    assert call(server, "POST", NAMESPACES, {"metadata": {"name": name}})[0] == 201
    assert call(server, "DELETE", f"{NAMESPACES}/{name}")[0] == 200
    return wait_for(lambda: call(server, "GET", f"{NAMESPACES}/{name}")[0] == 404)


def test_one_server_runs_the_controllers_until_it_stops(servers: list[Server]) -> None:
    """How soon another takes over is a matter of tests with a clock of their own (test_leader_election.py)."""
    leader = leader_of(servers)
    other = next(each for each in servers if each is not leader)
    assert not leads(other)
    status, lease = call(other, "GET", LEASE)
    assert (status, lease["spec"]["leaseDurationSeconds"]) == (200, LEASE_S)
    assert is_emptied(other, "first")

    leader.kill()
    wait_for(lambda: leads(other))
    assert is_emptied(other, "second")
    spec = call(other, "GET", LEASE)[1]["spec"]
    assert spec["leaseTransitions"] == lease["spec"]["leaseTransitions"] + 1

    leader.start()
    leader.wait_until_ready()
    assert not leads(leader) or leader.log().count("this server leads") == 1
    before = holder(leader)
    other.terminate()
    wait_for(lambda: holder(leader) not in ("", before))
    assert is_emptied(leader, "third")
    other.start()
    other.wait_until_ready()


SERVICES = "/api/v1/namespaces/default/services"
ADDRESSES = "/apis/networking.k8s.io/v1/ipaddresses"


def service(name: str, port: int = 0, address: str = "") -> dict[str, Any]:
    ports = [{"port": 80, **({"nodePort": port} if port else {})}]
    spec = {"type": "NodePort", "ports": ports, **({"clusterIP": address} if address else {})}
    return {"metadata": {"name": name}, "spec": spec}


def taken_ports(cluster: etcd.Cluster) -> set[int]:
    """What the object says by which servers agree."""

    async def read() -> bytes:
        client = Client(Settings(cluster.urls))
        try:
            return (await client.range(messages.encode_range(b"/registry/ranges/servicenodeports"))).records[0].value
        finally:
            await client.close()

    obj = protobuf.decode(asyncio.run(read()))
    assert obj["range"] == "30000-32767"
    bits = int.from_bytes(base64.b64decode(obj.get("data") or ""), "big")
    return {30000 + place for place in range(bits.bit_length()) if bits >> place & 1}


def test_services_of_several_servers_get_addresses_and_ports_of_their_own(
    servers: list[Server], cluster: etcd.Cluster
) -> None:
    def create(number: int) -> tuple[int, Any]:
        return call(servers[number % 2], "POST", SERVICES, service(f"s{number}"))

    with ThreadPoolExecutor(8) as pool:
        made = list(pool.map(create, range(60)))
    assert {status for status, _ in made} == {201}
    specs = [answer["spec"] for _, answer in made]
    ports = {spec["ports"][0]["nodePort"] for spec in specs}
    assert (len({spec["clusterIP"] for spec in specs}), len(ports)) == (60, 60)
    assert taken_ports(cluster) == ports
    shown = {each["metadata"]["name"] for each in call(servers[0], "GET", ADDRESSES)[1]["items"]}
    assert shown == {spec["clusterIP"] for spec in specs} | {"10.0.0.1"}

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda n: call(servers[(n + 1) % 2], "DELETE", f"{SERVICES}/s{n}"), range(60)))
    assert taken_ports(cluster) == set()
    assert [each["metadata"]["name"] for each in call(servers[0], "GET", ADDRESSES)[1]["items"]] == ["10.0.0.1"]


def test_what_two_servers_are_asked_for_one_gives(servers: list[Server], cluster: etcd.Cluster) -> None:
    def create(number: int) -> tuple[int, Any]:
        # Of those that are set aside: nobody gets one that has not asked.
        port, address = (30010 + number // 4, "") if number % 4 < 2 else (0, f"10.0.0.{3 + number // 4}")
        return call(servers[number % 2], "POST", SERVICES, service(f"t{number}", port, address))

    with ThreadPoolExecutor(8) as pool:
        made = list(pool.map(create, range(40)))
    for one, other in zip(made[::2], made[1::2], strict=True):
        assert sorted((one[0], other[0])) == [201, 422]
        refusal = one[1] if one[0] == 422 else other[1]
        assert "is already allocated" in refusal["message"]
    kept = {port["nodePort"] for status, each in made if status == 201 for port in each["spec"]["ports"]}
    assert taken_ports(cluster) == kept
    for number, (status, _) in enumerate(made):
        if status == 201:
            assert call(servers[0], "DELETE", f"{SERVICES}/t{number}")[0] == 200
    assert taken_ports(cluster) == set()


def test_a_refused_service_gives_back_what_it_was_to_get(servers: list[Server], cluster: etcd.Cluster) -> None:
    assert call(servers[0], "POST", SERVICES, service("once", 30200))[0] == 201
    assert call(servers[1], "POST", SERVICES, service("once"))[0] == 409
    assert call(servers[1], "POST", SERVICES, service("invalid") | {"spec": {"type": "NodePort"}})[0] == 422
    changed = call(servers[1], "GET", f"{SERVICES}/once")[1]
    changed["spec"]["ports"] = [{"port": 80, "nodePort": 30201}]
    assert call(servers[1], "PUT", f"{SERVICES}/once", changed)[0] == 200
    assert call(servers[0], "PUT", f"{SERVICES}/once", changed)[0] == 409, "the object is another one by now"
    assert taken_ports(cluster) == {30201}
    assert call(servers[0], "DELETE", f"{SERVICES}/once")[0] == 200
    assert taken_ports(cluster) == set()
    assert len(call(servers[0], "GET", ADDRESSES)[1]["items"]) == 1


def addresses_told(server: Server) -> tuple[list[str], list[str]]:
    """Of all servers, as endpoints and as slices tell."""
    endpoints = call(server, "GET", "/api/v1/namespaces/default/endpoints/kubernetes")[1]
    subsets = endpoints.get("subsets") or []
    told = [each["ip"] for subset in subsets for each in subset["addresses"]]
    piece = call(server, "GET", "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices/kubernetes")[1]
    return sorted(told), sorted(address for each in piece.get("endpoints") or [] for address in each["addresses"])


def test_the_service_of_the_servers_leads_to_those_that_live(servers: list[Server]) -> None:
    one, other = ["10.99.0.1"], ["10.99.0.2"]
    wait_for(lambda: addresses_told(servers[0]) == (one + other,) * 2)
    servers[0].terminate()
    assert addresses_told(servers[1]) == (other, other), "it takes its address out before it ends"
    servers[0].start()
    servers[0].wait_until_ready()
    wait_for(lambda: addresses_told(servers[1]) == (one + other,) * 2)


def test_the_address_of_a_killed_server_goes(cluster: etcd.Cluster, servers: list[Server]) -> None:
    """Its key runs out, 15 s after it was renewed last; here it is taken away before."""
    servers[0].kill()

    async def expire() -> None:
        client = Client(Settings(cluster.urls))
        try:
            key = b"/registry/masterleases/10.99.0.1"
            found = (await client.range(messages.encode_range(key))).records[0]
            assert (await client.txn(messages.encode_delete(key, found.revision))).succeeded
        finally:
            await client.close()

    asyncio.run(expire())
    wait_for(lambda: addresses_told(servers[1]) == (["10.99.0.2"],) * 2)
    servers[0].start()
    servers[0].wait_until_ready()


CONFIGMAPS = "/api/v1/namespaces/default/configmaps"


def test_what_one_server_acknowledged_another_one_shows(servers: list[Server]) -> None:
    one, other = servers
    for number in range(30):
        name = f"{CONFIGMAPS}/seen"
        made = call(one, "POST", CONFIGMAPS, {"metadata": {"name": "seen"}, "data": {"n": str(number)}})[1]
        assert call(other, "GET", name) == (200, made)
        listed = call(other, "GET", f"{CONFIGMAPS}?fieldSelector=metadata.name=seen")[1]
        assert [each["metadata"]["resourceVersion"] for each in listed["items"]] == [
            made["metadata"]["resourceVersion"]
        ]
        at = f"{name}?resourceVersion={made['metadata']['resourceVersion']}"
        assert call(other, "GET", at) == (200, made)
        changed = call(other, "PUT", name, made | {"data": {"n": "more"}})[1]
        assert call(one, "GET", name) == (200, changed)
        assert call(one, "PUT", name, made)[0] == 409
        assert call(one, "DELETE", name)[0] == 200
        assert call(other, "GET", name)[0] == 404
        assert call(other, "DELETE", name)[0] == 404


def test_a_list_is_continued_at_another_server(servers: list[Server]) -> None:
    for number in range(7):
        assert call(servers[0], "POST", CONFIGMAPS, {"metadata": {"name": f"page{number}"}})[0] == 201
    whole = call(servers[0], "GET", CONFIGMAPS)[1]
    found, token = [], ""
    for number in range(20):
        path = f"{CONFIGMAPS}?limit=2" + (f"&continue={token}" if token else "")
        page = call(servers[number % 2], "GET", path)[1]
        found += page["items"]
        if number == 0:  # what is written between pages is in none of them
            assert call(servers[1], "POST", CONFIGMAPS, {"metadata": {"name": "page9"}})[0] == 201
        token = page["metadata"].get("continue", "")
        if not token:
            break
    assert found == whole["items"]
    exact = f"{CONFIGMAPS}?resourceVersionMatch=Exact&resourceVersion={whole['metadata']['resourceVersion']}"
    assert call(servers[1], "GET", exact)[1]["items"] == whole["items"]


def test_a_quota_holds_among_servers(servers: list[Server]) -> None:
    assert call(servers[0], "POST", NAMESPACES, {"metadata": {"name": "scarce"}})[0] == 201
    quotas = f"{NAMESPACES}/scarce/resourcequotas"
    quota = {"metadata": {"name": "few"}, "spec": {"hard": {"count/configmaps": "8"}}}
    made = call(servers[0], "POST", quotas, quota)[1]
    made["status"] = {"hard": {"count/configmaps": "8"}, "used": {"count/configmaps": "0"}}
    assert call(servers[0], "PUT", f"{quotas}/few/status", made)[0] == 200
    wait_for(lambda: "used" in call(servers[1], "GET", f"{quotas}/few?resourceVersion=0")[1].get("status", {}))

    def create(number: int) -> int:
        path = f"{NAMESPACES}/scarce/configmaps"
        while (status := call(servers[number % 2], "POST", path, {"metadata": {"name": f"c{number}"}})[0]) == 409:
            pass  # others charged it each time
        return status

    with ThreadPoolExecutor(4) as pool:
        statuses = list(pool.map(create, range(24)))
    assert statuses.count(201) == 8
    assert statuses.count(403) == 16


def test_roles_and_definitions_of_one_server_are_those_of_all(servers: list[Server]) -> None:
    one, other = servers
    group = "several.example.com"
    assert call(one, "POST", definitions.PATH, definitions.of_things(group))[0] == 201
    things = f"/apis/{group}/v1/namespaces/default/things"
    wait_for(lambda: call(other, "GET", things)[0] == 200)
    thing = {"apiVersion": f"{group}/v1", "kind": "Thing", "metadata": {"name": "a"}, "spec": {"n": 1}}
    assert call(other, "POST", things, thing)[0] == 201
    review = {
        "apiVersion": "authorization.k8s.io/v1",
        "kind": "SubjectAccessReview",
        "spec": {"user": "jane", "resourceAttributes": {"verb": "get", "group": group, "resource": "things"}},
    }
    reviews = "/apis/authorization.k8s.io/v1/subjectaccessreviews"
    assert not call(other, "POST", reviews, review)[1]["status"]["allowed"]
    rbac = "/apis/rbac.authorization.k8s.io/v1"
    rules = [{"verbs": ["get"], "apiGroups": [group], "resources": ["things"]}]
    assert call(one, "POST", f"{rbac}/clusterroles", {"metadata": {"name": "things"}, "rules": rules})[0] == 201
    binding = {
        "metadata": {"name": "things"},
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "things"},
        "subjects": [{"kind": "User", "apiGroup": "rbac.authorization.k8s.io", "name": "jane"}],
    }
    assert call(one, "POST", f"{rbac}/clusterrolebindings", binding)[0] == 201
    wait_for(lambda: call(other, "POST", reviews, review)[1]["status"]["allowed"])
    assert call(one, "DELETE", f"{rbac}/clusterrolebindings/things")[0] == 200
    wait_for(lambda: not call(other, "POST", reviews, review)[1]["status"]["allowed"])
    assert call(one, "DELETE", f"{definitions.PATH}/things.{group}")[0] == 200
    wait_for(lambda: call(other, "GET", things)[0] == 404)


def test_a_token_of_one_server_is_good_at_another_until_its_account_is_gone(servers: list[Server]) -> None:
    one, other = servers
    accounts = "/api/v1/namespaces/default/serviceaccounts"
    reviews = "/apis/authentication.k8s.io/v1/tokenreviews"
    for number in range(5):
        name = f"robot{number}"
        assert call(one, "POST", accounts, {"metadata": {"name": name}})[0] == 201
        token = call(one, "POST", f"{accounts}/{name}/token", {"spec": {}})[1]["status"]["token"]
        review = {"spec": {"token": token}}
        assert call(other, "POST", reviews, review)[1]["status"].get("authenticated"), "at once"
        assert call(one, "DELETE", f"{accounts}/{name}")[0] == 200

        def is_refused(review: dict[str, Any] = review) -> bool:
            return not call(other, "POST", reviews, review)[1]["status"].get("authenticated")

        wait_for(is_refused)


def test_a_namespace_of_one_server_is_there_at_another_at_once(servers: list[Server]) -> None:
    for number in range(20):
        name = f"fresh{number}"
        assert call(servers[number % 2], "POST", NAMESPACES, {"metadata": {"name": name}})[0] == 201
        path = f"{NAMESPACES}/{name}/configmaps"
        assert call(servers[1 - number % 2], "POST", path, {"metadata": {"name": "a"}})[0] == 201
    missing = f"{NAMESPACES}/missing/configmaps"
    assert call(servers[0], "POST", missing, {"metadata": {"name": "a"}})[0] == 404
