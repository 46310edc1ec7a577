"""A chain of two servers: what a definition of the inner one serves is used through the outer one."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from support.chain import Chain
from support.control import build_definition
from support.kubectl import Kubectl
from support.waiting import wait_for

pytestmark = pytest.mark.e2e

GROUP = "chained.example.com"
ITEMS = f"/apis/{GROUP}/v1/namespaces/default/widgets"
DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
MERGE = "application/merge-patch+json"
APPLY = "application/apply-patch+yaml"


def define(chain: Chain) -> None:
    definition = build_definition("widgets", "Widget", group=GROUP)
    free = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    schema = {"type": "object", "properties": {"spec": free}}
    definition["spec"]["versions"][0]["schema"] = {"openAPIV3Schema": schema}
    assert chain.call(chain.inner, "POST", DEFINITIONS, definition)[0] == 201
    wait_for(lambda: chain.call(chain.inner, "GET", ITEMS)[0] == 200)
    chain.hand_on(GROUP, "v1")
    wait_for(lambda: chain.through("GET", ITEMS)[0] == 200)


@pytest.fixture(scope="module")
def chain(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Chain]:
    made = Chain(tmp_path_factory.mktemp("chain"))
    try:
        define(made)
        yield made
    finally:
        made.stop()


def widget(name: str, **spec: Any) -> dict[str, Any]:
    return {"apiVersion": f"{GROUP}/v1", "kind": "Widget", "metadata": {"name": name}, "spec": spec}


def test_objects_live_in_the_inner_server(chain: Chain) -> None:
    status, made = chain.through("POST", ITEMS, widget("crud", size=1))
    assert (status, made["kind"]) == (201, "Widget")
    assert chain.call(chain.inner, "GET", f"{ITEMS}/crud") == (200, made)
    made["spec"]["size"] = 2
    status, updated = chain.through("PUT", f"{ITEMS}/crud", made)
    assert (status, updated["spec"]) == (200, {"size": 2})
    status, refused = chain.through("PUT", f"{ITEMS}/crud", made)
    assert (status, refused["reason"]) == (409, "Conflict")
    assert chain.through("DELETE", f"{ITEMS}/crud")[0] == 200
    status, missing = chain.through("GET", f"{ITEMS}/crud")
    assert (status, missing["message"]) == (404, f'widgets.{GROUP} "crud" not found')


def test_patches_and_applies_pass(chain: Chain) -> None:
    applied = widget("patched", size=1)
    path = f"{ITEMS}/patched"
    assert chain.through("PATCH", f"{path}?fieldManager=me", applied, APPLY)[0] == 201
    status, patched = chain.through("PATCH", path, {"spec": {"colour": "red"}}, MERGE)
    assert (status, patched["spec"]) == (200, {"size": 1, "colour": "red"})
    status, refused = chain.through("PATCH", f"{path}?fieldManager=you", widget("patched", size=3), APPLY)
    assert (status, refused["reason"]) == (409, "Conflict")
    assert chain.through("DELETE", path)[0] == 200


def test_lists_come_in_pages_with_selectors(chain: Chain) -> None:
    for name in ("page-a", "page-b", "page-c"):
        labelled = widget(name)
        labelled["metadata"]["labels"] = {"page": "yes"}
        assert chain.through("POST", ITEMS, labelled)[0] == 201
    query, names = "labelSelector=page%3Dyes&limit=2", []
    status, page = chain.through("GET", f"{ITEMS}?{query}")
    names += [each["metadata"]["name"] for each in page["items"]]
    assert (status, len(names)) == (200, 2)
    status, page = chain.through("GET", f"{ITEMS}?{query}&continue={page['metadata']['continue']}")
    names += [each["metadata"]["name"] for each in page["items"]]
    assert names == ["page-a", "page-b", "page-c"]
    assert chain.through("DELETE", f"{ITEMS}?labelSelector=page%3Dyes")[0] == 200
    assert chain.through("GET", f"{ITEMS}?{query}")[1]["items"] == []


def test_a_watch_goes_through_both(chain: Chain) -> None:
    revision = chain.through("GET", ITEMS)[1]["metadata"]["resourceVersion"]
    connection = chain.open(chain.outer)
    query = f"watch=true&resourceVersion={revision}&fieldSelector=metadata.name%3Dwatched"
    connection.request("GET", f"{ITEMS}?{query}", headers={"Authorization": "Bearer secret"})
    answer = connection.getresponse()
    assert chain.call(chain.inner, "POST", ITEMS, widget("watched"))[0] == 201
    assert json.loads(answer.readline())["type"] == "ADDED"
    assert chain.through("PATCH", f"{ITEMS}/watched", {"spec": {"size": 5}}, MERGE)[0] == 200
    event = json.loads(answer.readline())
    assert (event["type"], event["object"]["spec"]) == ("MODIFIED", {"size": 5})
    assert chain.through("DELETE", f"{ITEMS}/watched")[0] == 200
    assert json.loads(answer.readline())["type"] == "DELETED"
    connection.close()


def test_both_servers_ask_whether_the_user_may(chain: Chain) -> None:
    role = {
        "metadata": {"name": "widget-readers"},
        "rules": [{"apiGroups": [GROUP], "resources": ["widgets"], "verbs": ["list"]}],
    }
    binding = {
        "metadata": {"name": "widget-readers"},
        "subjects": [{"kind": "Group", "name": "readers", "apiGroup": "rbac.authorization.k8s.io"}],
        "roleRef": {"kind": "ClusterRole", "name": "widget-readers", "apiGroup": "rbac.authorization.k8s.io"},
    }
    rbac = "/apis/rbac.authorization.k8s.io/v1"
    for server in (chain.outer, chain.inner):
        status, refused = chain.through("GET", ITEMS, user="jane")
        assert (status, refused["reason"]) == (403, "Forbidden")
        assert 'User "jane" cannot list resource "widgets"' in refused["message"]
        assert chain.call(server, "POST", f"{rbac}/clusterroles", role)[0] == 201
        assert chain.call(server, "POST", f"{rbac}/clusterrolebindings", binding)[0] == 201
    assert chain.through("GET", ITEMS, user="jane")[0] == 200


def test_kubectl_knows_the_kind_through_the_outer_one(chain: Chain, tmp_path: Path) -> None:
    kubectl = Kubectl(chain.outer.kubeconfig, tmp_path)

    def is_told() -> bool:
        return kubectl.run("get", "widgets", "--ignore-not-found").code == 0

    wait_for(is_told)
    manifest = json.dumps(widget("by-kubectl", size=1))
    assert kubectl("apply", "-f", "-", stdin=manifest) == f"widget.{GROUP}/by-kubectl created\n"
    changed = json.dumps(widget("by-kubectl", size=2))
    assert kubectl("apply", "-f", "-", stdin=changed) == f"widget.{GROUP}/by-kubectl configured\n"
    assert kubectl("get", "widgets", "by-kubectl", "--no-headers").split()[0] == "by-kubectl"
    assert kubectl("get", "widgets", "by-kubectl", "-o", "jsonpath={.spec.size}") == "2"
    wait_for(lambda: kubectl.run("explain", "widgets").code == 0)
    assert f"GROUP:      {GROUP}" in kubectl("explain", "widgets")
    assert "deleted" in kubectl("delete", "widgets", "by-kubectl")


def test_a_namespace_of_the_outer_one_is_emptied_in_the_inner_one(chain: Chain) -> None:
    for server in (chain.outer, chain.inner):
        assert chain.call(server, "POST", "/api/v1/namespaces", {"metadata": {"name": "gone"}})[0] == 201
    items = ITEMS.replace("default", "gone")
    assert chain.through("POST", items, widget("w"))[0] == 201
    status, told = chain.call(chain.inner, "GET", "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings")
    assert status == 200
    assert "system:controller:namespace-controller" in [each["metadata"]["name"] for each in told["items"]]
    assert chain.through("DELETE", "/api/v1/namespaces/gone")[0] == 200
    wait_for(lambda: chain.through("GET", "/api/v1/namespaces/gone")[0] == 404)
    assert chain.call(chain.inner, "GET", items)[1]["items"] == []
