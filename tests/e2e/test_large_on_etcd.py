"""Objects that etcd takes only without managedFields."""

from __future__ import annotations

import json
import urllib.request
from collections.abc import Iterator
from typing import Any

import pytest

from support import etcd
from support.server import Server
from support.several import call, send

pytestmark = pytest.mark.e2e
CONFIG_MAPS = "/api/v1/namespaces/default/configmaps"
ROLES = "/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles"
# Names stand in managedFields once more: 0.8 MB of them, of at most 1.5.
DATA = {f"a-name-that-is-long-so-that-who-owns-the-field-takes-as-much-{number:020}": "A" for number in range(9_000)}


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with etcd.cluster() as cluster:
        flags = ("--storage-backend=etcd3", "--etcd-servers", ",".join(cluster.urls))
        with Server(None, *flags) as made:
            made.wait_until_ready()
            yield made


def named(name: str, data: object) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": data}


def patch(server: Server, path: str, kind: str, body: object) -> tuple[int, Any]:
    url, data = f"http://127.0.0.1:{server.plain_port}{path}", json.dumps(body).encode()
    return send(urllib.request.Request(url, data, {"Content-Type": f"application/{kind}"}, method="PATCH"))


def test_a_create_is_tried_again_without_them(server: Server) -> None:
    status, made = call(server, "POST", CONFIG_MAPS, named("created", DATA))
    assert (status, made["data"]) == (201, DATA)
    assert "managedFields" not in made["metadata"]
    assert call(server, "GET", f"{CONFIG_MAPS}/created") == (200, made)
    generated = named("", DATA) | {"metadata": {"generateName": "generated-"}}
    status, made = call(server, "POST", CONFIG_MAPS, generated)
    assert status == 201
    assert "managedFields" not in made["metadata"]


def test_an_update_is(server: Server) -> None:
    status, before = call(server, "POST", CONFIG_MAPS, named("updated", {"k": "v"}))
    assert status == 201
    status, made = call(server, "PUT", f"{CONFIG_MAPS}/updated", named("updated", DATA))
    assert (status, made["data"], made["metadata"]["uid"]) == (200, DATA, before["metadata"]["uid"])
    assert "managedFields" not in made["metadata"]


@pytest.mark.parametrize("kind", ["merge-patch+json", "strategic-merge-patch+json"])
def test_a_patch_is(server: Server, kind: str) -> None:
    path = f"{CONFIG_MAPS}/patched-{kind[:5]}"
    assert call(server, "POST", CONFIG_MAPS, named(path.rpartition("/")[2], {"k": "v"}))[0] == 201
    status, made = patch(server, path, kind, {"data": DATA})
    assert (status, made["data"]) == (200, {**DATA, "k": "v"})
    assert "managedFields" not in made["metadata"]


def test_an_apply_is_not(server: Server) -> None:
    assert call(server, "POST", CONFIG_MAPS, named("applied", {"k": "v"}))[0] == 201
    status, told = patch(server, f"{CONFIG_MAPS}/applied?fieldManager=f", "apply-patch+yaml", named("applied", DATA))
    assert (status, told["message"]) == (500, "etcdserver: request is too large")


def test_what_is_too_large_without_them_is_refused(server: Server) -> None:
    data = {"a": "x" * 1_040_000}
    status, told = call(server, "POST", CONFIG_MAPS, named("large", data) | {"metadata": {
        "name": "large", "annotations": {}, "finalizers": [f"example.com/{number:060}" for number in range(8_000)],
    }})  # fmt: skip
    assert (status, told["message"]) == (500, "etcdserver: request is too large")


def test_what_etcd_does_not_take_is_told_in_the_words_of_its_client(server: Server) -> None:
    for size, text in ((1_700_000, "etcdserver: request is too large"), (2_200_000, "send message larger than max")):
        rule = {"verbs": ["get"], "apiGroups": [""], "resources": ["pods"], "resourceNames": ["n" * size]}
        role = {"kind": "Role", "apiVersion": "rbac.authorization.k8s.io/v1", "metadata": {"name": "large"}}
        status, told = call(server, "POST", ROLES, role | {"rules": [rule]})
        assert (status, text in told["message"], "reason" in told) == (500, True, False)
