"""Resources that are kept in another etcd than the rest: two real etcds, and two servers over both."""

from __future__ import annotations

import asyncio
import http.client
import json
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from quarterdeck.storage.etcd3.layout import SameKeys
from quarterdeck.storage.etcd3.settings import Settings
from quarterdeck.storage.etcd3.store import EtcdStorage
from support import definitions, etcd
from support.encryption_files import aesgcm, write_config
from support.server import Server
from support.several import QUICK_ELECTION, call
from support.waiting import wait_for

pytestmark = pytest.mark.e2e
GROUP = "override.example.com"
THINGS = f"/apis/{GROUP}/v1/namespaces/default/things"
MAPS = "/api/v1/namespaces/default/configmaps"
SECRETS = "/api/v1/namespaces/default/secrets"
DEPLOYMENTS = "/apis/apps/v1/namespaces/default/deployments"


class World(NamedTuple):
    main: etcd.Cluster
    other: etcd.Cluster
    servers: tuple[Server, Server]


def flags(main: etcd.Cluster, other: etcd.Cluster, number: int) -> list[str]:
    url = other.urls[0]
    moved = f"/configmaps#{url},apps/*#{url};{url},/events#{url}"
    own = ["--storage-backend=etcd3", "--etcd-servers", ",".join(main.urls), "--etcd-servers-overrides", moved]
    never = (f"{GROUP}/things#{url}", f"apiextensions.k8s.io/*#{url}", f"apiregistration.k8s.io/apiservices#{url}")
    own += [f"--etcd-servers-overrides={each}" for each in never]
    return [*own, f"--advertise-address=10.99.0.{number + 1}", *QUICK_ELECTION]


@pytest.fixture(scope="module")
def world() -> Iterator[World]:
    with etcd.cluster() as main, etcd.cluster() as other:
        servers = Server(None, *flags(main, other, 0)), Server(None, *flags(main, other, 1))
        try:
            for server in servers:
                server.wait_until_ready()
            assert call(servers[0], "POST", definitions.PATH, definitions.of_things(GROUP))[0] == 201
            for server in servers:
                wait_for(lambda server=server: call(server, "GET", THINGS)[0] == 200)  # type: ignore[misc]
            yield World(main, other, servers)
        finally:
            for server in servers:
                server.stop()


def values(cluster: etcd.Cluster, prefix: str = "/registry/") -> list[tuple[str, bytes]]:
    async def read() -> list[tuple[str, bytes]]:
        settings = Settings(cluster.urls, prefix, compaction_interval_s=0)
        storage = await EtcdStorage.open(settings, layout=SameKeys(prefix))
        try:
            return [(item.key, item.value) for item in (await storage.range("/registry/")).items]
        finally:
            await storage.close()

    return asyncio.run(read())


def keys(cluster: etcd.Cluster) -> list[str]:
    return [key for key, _ in values(cluster)]


def resources_of(cluster: etcd.Cluster) -> set[str]:
    return {key.split("/")[2] for key in keys(cluster)}


def create(server: Server, path: str, name: str, **more: Any) -> dict[str, Any]:
    status, made = call(server, "POST", path, {"metadata": {"name": name, **more}})
    assert status == 201, made
    return dict(made)


def refer(owner: dict[str, Any], kind: str) -> dict[str, Any]:
    metadata = owner["metadata"]
    reference = {"apiVersion": "v1", "kind": kind, "name": metadata["name"], "uid": metadata["uid"]}
    return {**reference, "blockOwnerDeletion": True}


def is_gone(server: Server, path: str) -> bool:
    return call(server, "GET", path)[0] == 404


def test_each_resource_is_where_it_belongs(world: World) -> None:
    server = world.servers[0]
    create(server, MAPS, "where")
    create(server, SECRETS, "where")
    pod = {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [{"name": "c", "image": "i"}]}}
    deployment = {"metadata": {"name": "where"}, "spec": {"selector": {"matchLabels": {"a": "b"}}, "template": pod}}
    assert call(server, "POST", DEPLOYMENTS, deployment)[0] == 201
    thing = {"apiVersion": f"{GROUP}/v1", "kind": "Thing", "metadata": {"name": "where"}, "spec": {"n": 1}}
    assert call(server, "POST", THINGS, thing)[0] == 201
    event = {"metadata": {"name": "where"}, "involvedObject": {"namespace": "default"}}
    assert call(server, "POST", "/apis/events.k8s.io/v1/namespaces/default/events", event)[0] in (201, 422)
    assert call(server, "POST", "/api/v1/namespaces/default/events", event)[0] == 201
    assert resources_of(world.other) == {"configmaps", "deployments", "events"}
    there = resources_of(world.main)
    assert {"secrets", "apiextensions.k8s.io", "apiregistration.k8s.io", GROUP} <= there
    assert not there & {"configmaps", "deployments", "events"}


def test_revisions_are_those_of_the_resources_own_etcd(world: World) -> None:
    one, two = world.servers
    before = int(call(one, "GET", MAPS)[1]["metadata"]["resourceVersion"])
    for number in range(5):
        create(one, SECRETS, f"revision-{number}")
    assert int(call(two, "GET", MAPS)[1]["metadata"]["resourceVersion"]) == before
    made = create(one, MAPS, "revision")
    assert int(made["metadata"]["resourceVersion"]) == before + 1
    seen = call(two, "GET", f"{MAPS}/revision")[1]
    assert seen == made
    assert call(two, "GET", f"{MAPS}?resourceVersion={before}&resourceVersionMatch=Exact")[0] == 200
    seen["data"] = {"a": "b"}
    status, changed = call(two, "PUT", f"{MAPS}/revision", seen)
    assert status == 200
    assert call(one, "GET", f"{MAPS}/revision")[1] == changed
    assert call(one, "PUT", f"{MAPS}/revision", made)[0] == 409


def test_a_watch_goes_on_at_the_other_server(world: World) -> None:
    one, two = world.servers
    first = create(one, MAPS, "watched")
    second = create(two, MAPS, "watched-too")
    revision = int(first["metadata"]["resourceVersion"]) - 1
    connection = http.client.HTTPConnection("127.0.0.1", two.plain_port, timeout=60)
    connection.request("GET", f"{MAPS}?watch=true&resourceVersion={revision}")
    answer = connection.getresponse()
    told = [json.loads(answer.readline())["object"]["metadata"]["uid"] for _ in range(2)]
    connection.close()
    assert told == [first["metadata"]["uid"], second["metadata"]["uid"]]


@pytest.mark.parametrize("policy", ["Background", "Foreground", "Orphan"])
@pytest.mark.parametrize(
    ("here", "kind", "there"), [(MAPS, "ConfigMap", SECRETS), (SECRETS, "Secret", MAPS)], ids=["other", "main"]
)
def test_dependents_in_the_other_etcd(world: World, here: str, kind: str, there: str, policy: str) -> None:
    one, two = world.servers
    name = f"{policy.lower()}-{kind.lower()}"
    owner = create(one, here, name)
    dependents = [f"{name}-{number}" for number in range(20)]
    for number, dependent in enumerate(dependents):
        create((one, two)[number % 2], there, dependent, ownerReferences=[refer(owner, kind)])
    options = {"kind": "DeleteOptions", "apiVersion": "v1", "propagationPolicy": policy}
    assert call(two, "DELETE", f"{here}/{name}", options)[0] in (200, 202)
    wait_for(lambda: is_gone(one, f"{here}/{name}"))
    if policy == "Orphan":
        for dependent in dependents:
            assert "ownerReferences" not in call(one, "GET", f"{there}/{dependent}")[1]["metadata"]
    else:
        wait_for(lambda: all(is_gone(one, f"{there}/{each}") for each in dependents))


def test_no_dependent_goes_while_its_owner_is_there(world: World) -> None:
    one, two = world.servers
    for number in range(40):
        here, kind, there = ((MAPS, "ConfigMap", SECRETS), (SECRETS, "Secret", MAPS))[number % 2]
        owner = create((one, two)[number % 2], here, f"kept-{number}")
        create((one, two)[number // 2 % 2], there, f"dependent-{number}", ownerReferences=[refer(owner, kind)])
    gone = create(one, MAPS, "lonely", ownerReferences=[{**refer(owner, kind), "uid": "nobody"}])
    wait_for(lambda: is_gone(one, f"{MAPS}/{gone['metadata']['name']}"))
    for number in range(40):
        there = (SECRETS, MAPS)[number % 2]
        assert call(two, "GET", f"{there}/dependent-{number}")[0] == 200


def test_a_namespace_goes_with_what_both_hold(world: World) -> None:
    one, two = world.servers
    create(one, "/api/v1/namespaces", "doomed")
    for number in range(10):
        create((one, two)[number % 2], "/api/v1/namespaces/doomed/configmaps", f"a{number}")
        create((two, one)[number % 2], "/api/v1/namespaces/doomed/secrets", f"a{number}")
    assert call(two, "DELETE", "/api/v1/namespaces/doomed")[0] == 200
    wait_for(lambda: is_gone(one, "/api/v1/namespaces/doomed"))
    assert not [key for key in (*keys(world.main), *keys(world.other)) if "/doomed/" in key]


def test_there_is_no_snapshot_of_several(world: World) -> None:
    status, answer = call(world.servers[0], "GET", "/debug/snapshot")
    assert status == 400
    assert answer["message"] == "resources are kept in several etcds: there is no snapshot as of one revision"


def test_sizes_are_told_of_each(world: World) -> None:
    with urllib.request.urlopen(f"http://127.0.0.1:{world.servers[0].plain_port}/metrics", timeout=60) as answer:
        text = answer.read().decode()
    for number in range(2):
        assert f'apiserver_storage_size_bytes{{storage_cluster_id="etcd-{number}"}}' in text
    assert 'apiserver_storage_objects{resource="configmaps"}' in text


def test_values_are_encrypted_in_each(world: World, tmp_path: Path) -> None:
    config = write_config(tmp_path / "encryption.yaml", aesgcm(("k", bytes(32))), resources="[secrets, configmaps]")
    more = ("--etcd-prefix=/sealed", f"--encryption-provider-config={config}")
    server = Server(None, *flags(world.main, world.other, 2), *more)
    try:
        server.wait_until_ready()
        create(server, SECRETS, "sealed")
        create(server, MAPS, "sealed")
        for cluster, name in ((world.main, "secrets"), (world.other, "configmaps")):
            (found,) = [value for key, value in values(cluster, "/sealed/") if key.endswith(f"/{name}/default/sealed")]
            assert found.startswith(b"k8s:enc:aesgcm:v1:k:")
        server.kill()
        server.start()
        assert call(server, "GET", f"{MAPS}/sealed")[0] == 200
    finally:
        server.stop()


def test_all_is_there_after_a_restart(world: World) -> None:
    before = call(world.servers[1], "GET", MAPS)[1]["items"]
    world.servers[0].kill()
    world.servers[0].start()
    world.servers[0].wait_until_ready()
    assert call(world.servers[0], "GET", MAPS)[1]["items"] == before


def test_the_loss_of_one_etcd_costs_its_resources_alone(world: World) -> None:
    """The last one: it does not come back."""

    def health(path: str) -> str:
        try:
            with urllib.request.urlopen(
                f"http://127.0.0.1:{world.servers[0].plain_port}/{path}?verbose", timeout=60
            ) as answer:
                return str(answer.read().decode())
        except urllib.error.HTTPError as error:
            return str(error.read().decode())

    assert "[+]etcd-readiness ok\n[+]etcd-override-0 ok\n[+]etcd-override-readiness-0 ok\n" in health("readyz")
    assert "[+]etcd ok\n[+]etcd-override-0 ok\n" in health("livez")
    # Another list of servers counts as another etcd, though it is the same one.
    assert "etcd-override-1" in health("readyz") and "etcd-override-2" not in health("readyz")
    for member in world.other.members:
        member.kill()
    wait_for(lambda: "[-]etcd-override-0 failed" in health("healthz"))
    assert "[+]etcd ok" in health("healthz")
    create(world.servers[0], SECRETS, "still-there")
    assert call(world.servers[0], "GET", SECRETS)[0] == 200
    assert call(world.servers[0], "POST", MAPS, {"metadata": {"name": "no"}})[0] >= 500
