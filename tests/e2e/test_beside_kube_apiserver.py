"""A server of this project and a kube-apiserver on one etcd: each reads, changes and deletes what the other wrote."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from support import definitions, etcd, least_objects
from support.kube_apiserver import BINARY, MISSING, KubeAPIServer
from support.server import Server
from support.several import call
from support.waiting import wait_for

pytestmark = [pytest.mark.e2e, pytest.mark.skipif(not BINARY, reason=MISSING)]

Call = Callable[..., tuple[int, Any]]
KINDS = sorted(least_objects.read())
# Their names follow from what they hold.
NAMED = {"APIService", "CustomResourceDefinition", "IPAddress"}
GROUP = "beside.example.com"
THINGS = f"/apis/{GROUP}/v1/namespaces/default/things"
CONFIG_MAPS = "/api/v1/namespaces/default/configmaps"


class Both:
    """`here`: this project's server, `there`: kube-apiserver."""

    def __init__(self, here: Call, there: Call) -> None:
        self.here = here
        self.there = there
        self._paths: dict[tuple[str, str], tuple[str, bool]] = {}

    def path(self, api_version: str, kind: str) -> str:
        """Of the collection of a kind."""
        prefix = "/api/v1" if api_version == "v1" else f"/apis/{api_version}"
        if (api_version, kind) not in self._paths:
            for resource in self.there("GET", prefix)[1]["resources"]:
                if "/" not in resource["name"]:
                    place = resource["name"], resource["namespaced"]
                    self._paths[api_version, resource["kind"]] = place
        name, is_namespaced = self._paths[api_version, kind]
        return f"{prefix}/namespaces/default/{name}" if is_namespaced else f"{prefix}/{name}"


@contextmanager
def here_on(cluster: etcd.Cluster) -> Iterator[Server]:
    flags = ("--storage-backend=etcd3", "--etcd-servers", ",".join(cluster.urls), "--advertise-address=10.99.0.1")
    with Server(None, *flags, "--service-cluster-ip-range=10.0.0.0/16") as server:
        server.wait_until_ready()
        yield server


@contextmanager
def there_on(folder: Path, cluster: etcd.Cluster) -> Iterator[KubeAPIServer]:
    server = KubeAPIServer(folder, cluster.urls)
    try:
        server.wait()
        yield server
    finally:
        server.stop()


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Both]:
    """This project's server is started on what kube-apiserver has written."""
    with (
        etcd.cluster() as cluster,
        there_on(tmp_path_factory.mktemp("there"), cluster) as there,
        here_on(cluster) as here,
    ):
        yield Both(partial(call, here), there.call)


def test_kube_apiserver_starts_on_what_was_written_here(tmp_path: Path) -> None:
    with etcd.cluster() as cluster:
        with here_on(cluster) as here:
            made = call(here, "POST", CONFIG_MAPS, {"metadata": {"name": "a"}, "data": {"b": "c"}})[1]
            roles = call(here, "GET", "/apis/rbac.authorization.k8s.io/v1/clusterroles")[1]["items"]
        with there_on(tmp_path, cluster) as there:
            assert there.call("GET", f"{CONFIG_MAPS}/a") == (200, made)
            kept = there.call("GET", "/apis/rbac.authorization.k8s.io/v1/clusterroles")[1]["items"]
            assert {role["metadata"]["name"] for role in roles} <= {role["metadata"]["name"] for role in kept}


def told_apart(one: Call, other: Call, item: str) -> list[str]:
    """The members in which an object differs as two servers show it."""
    (code, seen), (other_code, shown) = one("GET", item), other("GET", item)
    found = sorted(name for name in seen.keys() | shown.keys() if seen.get(name) != shown.get(name))
    return found if code == other_code == 200 else ["code", *found]


@pytest.mark.parametrize("is_here", [True, False], ids=["written-here", "written-there"])
@pytest.mark.parametrize(("api_version", "kind"), KINDS)
def test_every_kind(both: Both, api_version: str, kind: str, is_here: bool) -> None:
    write, read = (both.here, both.there) if is_here else (both.there, both.here)
    wanted = copy.deepcopy(least_objects.read()[api_version, kind])
    if kind not in NAMED and not is_here:
        wanted["metadata"]["name"] = "another"
    path = both.path(api_version, kind)
    status, made = write("POST", path, wanted)
    assert status == 201, made
    item = f"{path}/{wanted['metadata']['name']}"
    try:
        # Controllers write a definition's status meanwhile.
        wait_for(lambda: not told_apart(read, write, item), lambda: told_apart(read, write, item))
        changed = wait_for(lambda: _label(read, item))
        assert write("GET", item)[1]["metadata"]["labels"] == changed["metadata"]["labels"]
    finally:
        status, answer = read("DELETE", item)
        assert status in (200, 202), answer
    wait_for(lambda: _is_gone(write, item))


def _label(server: Call, item: str) -> Any:
    """The object with a label more; None where a controller wrote it meanwhile."""
    obj = server("GET", item)[1]
    obj["metadata"].setdefault("labels", {})["beside"] = "yes"
    status, answer = server("PUT", item, obj)
    assert status in (200, 409), answer
    return answer if status == 200 else None


def _is_gone(server: Call, item: str) -> bool:
    """Of the two servers nobody removes what protects volumes, nor the finalizers of others."""
    status, obj = server("GET", item)
    return status == 404 or "deletionTimestamp" in obj["metadata"]


def test_objects_of_a_definition(both: Both) -> None:
    definition = definitions.of_things(GROUP)
    assert both.there("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", definition)[0] == 201
    for number, server in enumerate((both.here, both.there)):
        wait_for(lambda server=server: server("GET", THINGS)[0] == 200)
        thing = {
            "apiVersion": f"{GROUP}/v1",
            "kind": "Thing",
            "metadata": {"name": f"t{number}"},
            "spec": {"n": number},
        }
        made = wait_for(lambda thing=thing, server=server: _created(server, thing))
        assert both.here("GET", f"{THINGS}/t{number}") == both.there("GET", f"{THINGS}/t{number}") == (200, made)
    lists = [server("GET", THINGS)[1] for server in (both.here, both.there)]
    assert [item["metadata"]["name"] for item in lists[0]["items"]] == ["t0", "t1"]
    assert lists[0]["items"] == lists[1]["items"]


def _created(server: Call, thing: Any) -> Any:
    status, answer = server("POST", THINGS, thing)
    assert status in (201, 404), answer
    return answer if status == 201 else None


def test_a_stale_write_is_refused_whoever_wrote_in_between(both: Both) -> None:
    for first, second in ((both.here, both.there), (both.there, both.here)):
        made = first("POST", CONFIG_MAPS, {"metadata": {"name": "stale"}})[1]
        assert second("PUT", f"{CONFIG_MAPS}/stale", {**made, "data": {"a": "b"}})[0] == 200
        assert first("PUT", f"{CONFIG_MAPS}/stale", {**made, "data": {"a": "c"}})[0] == 409
        assert first("DELETE", f"{CONFIG_MAPS}/stale")[0] == 200


def test_no_address_is_given_out_twice(both: Both) -> None:
    services = "/api/v1/namespaces/default/services"
    spec = {"ports": [{"port": 80}], "type": "NodePort"}
    made = []
    for number in range(20):
        server = (both.here, both.there)[number % 2]
        status, answer = server("POST", services, {"metadata": {"name": f"s{number}"}, "spec": spec})
        assert status == 201, answer
        made.append(answer)
    assert len({service["spec"]["clusterIP"] for service in made}) == 20
    assert len({service["spec"]["ports"][0]["nodePort"] for service in made}) == 20
    taken = made[0]["spec"]["clusterIP"]
    body = {"metadata": {"name": "taken"}, "spec": {"ports": [{"port": 80}], "clusterIP": taken}}
    assert both.there("POST", services, body)[0] == 422
