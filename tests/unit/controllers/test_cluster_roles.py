"""The roles and bindings of every cluster, and aggregated ones."""

from __future__ import annotations

from typing import Any

from quarterdeck.apimachinery.codec import json as json_codec
from quarterdeck.controllers import names
from quarterdeck.controllers.rbac import policy
from quarterdeck.registry.strategy import Object
from support.control import World

GROUP = policy.GROUP


def find(world: World, resource: str, name: str, namespace: str = "") -> Object:
    entry = world.builtin[GROUP, "v1", resource][""].store.cache.get(namespace, name)
    assert entry is not None
    found: Object = json_codec.load(entry.data)
    return found


def count(world: World) -> int:
    return sum(
        len(world.builtin[GROUP, "v1", name][""].store.cache.state)
        for name in ("roles", "clusterroles", "rolebindings", "clusterrolebindings")
    )


async def change(world: World, resource: str, name: str, **members: Any) -> None:
    scope = world.builtin[GROUP, "v1", resource][""]
    await world.change(scope, "", name, lambda live: live.update(members))


def test_a_feature_brings_roles_of_its_own() -> None:
    usual = {each["metadata"]["name"]: each for each in policy.read() if each["kind"] == "ClusterRole"}
    found = policy.read(["ClusterTrustBundle"])
    roles = {each["metadata"]["name"]: each for each in found if each["kind"] == "ClusterRole"}
    assert set(roles) - set(usual) == {
        "system:cluster-trust-bundle-discovery",
        "system:controller:kube-apiserver-serving-clustertrustbundle-publisher",
    }
    bundles = {
        "verbs": ["get", "list", "watch"],
        "apiGroups": ["certificates.k8s.io"],
        "resources": ["clustertrustbundles"],
    }
    assert bundles in roles["system:node"]["rules"]
    assert bundles not in usual["system:node"]["rules"]
    bound = next(each for each in found if each["kind"] == "ClusterRoleBinding" and "trust-bundle-disc" in str(each))
    assert [each["name"] for each in bound["subjects"]] == ["system:serviceaccounts"]


async def test_they_are_made_once() -> None:
    world = await World().start()
    assert count(world) == len(policy.read()) == 135
    admin = find(world, "clusterroles", "admin")
    assert admin["rules"] is None  # no controller gives it any here
    assert [entry["manager"] for entry in admin["metadata"]["managedFields"]] == ["kube-apiserver"]
    revision = world.store.revision
    await world.start()
    assert world.store.revision == revision


async def test_what_is_missing_comes_back_with_the_next_start() -> None:
    world = await World().start()
    await world.delete(world.builtin[GROUP, "v1", "clusterroles"][""], "", "system:discovery")
    own = {"verbs": ["get"], "nonResourceURLs": ["/own"]}
    await change(world, "clusterroles", "system:basic-user", rules=[own])
    await change(world, "clusterrolebindings", "system:discovery", subjects=[])
    await world.start()
    assert find(world, "clusterroles", "system:discovery")["rules"][0]["verbs"] == ["get"]
    rules = find(world, "clusterroles", "system:basic-user")["rules"]
    assert rules[0] == own
    assert {"verbs": ["create"], "apiGroups": ["authentication.k8s.io"], "resources": ["selfsubjectreviews"]} in rules
    assert find(world, "clusterrolebindings", "system:discovery")["subjects"][0]["name"] == "system:authenticated"


async def test_what_an_administrator_has_taken_over_is_left_alone() -> None:
    world = await World().start()
    live = find(world, "clusterroles", "system:basic-user")
    live["metadata"]["annotations"][policy.AUTOUPDATE] = "false"
    await change(world, "clusterroles", "system:basic-user", metadata=live["metadata"], rules=[])
    await world.start()
    assert find(world, "clusterroles", "system:basic-user")["rules"] is None


async def test_a_binding_that_was_split_from_another_has_its_subjects() -> None:
    world = await World().start()
    scope = world.builtin[GROUP, "v1", "clusterrolebindings"][""]
    live = find(world, "clusterrolebindings", "system:discovery")
    subject = {"kind": "User", "apiGroup": GROUP, "name": "jane"}
    annotations = {policy.AUTOUPDATE: "false", "note": "ours"}
    metadata = {**live["metadata"], "annotations": annotations}
    del metadata["labels"]
    await change(world, "clusterrolebindings", "system:discovery", metadata=metadata, subjects=[subject])
    await world.delete(scope, "", "system:public-info-viewer")
    await world.start()
    made = find(world, "clusterrolebindings", "system:public-info-viewer")
    assert made["subjects"] == [subject]
    assert made["metadata"]["annotations"] == annotations
    assert "labels" not in made["metadata"]
    assert made["roleRef"]["name"] == "system:public-info-viewer"
    (owner,) = made["metadata"]["managedFields"]
    assert set(owner["fieldsV1"]["f:metadata"]) == {"f:annotations"}


async def test_a_binding_that_was_split_from_another_gets_what_it_lacks() -> None:
    world = await World().start()
    scope = world.builtin[GROUP, "v1", "clusterrolebindings"][""]
    subject = {"kind": "User", "apiGroup": GROUP, "name": "jane"}
    await change(world, "clusterrolebindings", "system:discovery", subjects=[subject])
    await world.delete(scope, "", "system:public-info-viewer")
    await world.start()
    made = find(world, "clusterrolebindings", "system:public-info-viewer")
    names_of_subjects = [each["name"] for each in made["subjects"]]
    assert names_of_subjects[0] == "jane"
    assert sorted(names_of_subjects[1:]) == ["system:authenticated", "system:unauthenticated"]


async def test_a_binding_of_another_role_is_made_anew() -> None:
    world = await World().start()
    scope = world.builtin[GROUP, "v1", "clusterrolebindings"][""]
    wanted = find(world, "clusterrolebindings", "system:basic-user")
    await world.delete(scope, "", "system:basic-user")
    reference = {**wanted["roleRef"], "name": "edit"}
    metadata = {"name": "system:basic-user"}
    kind = "ClusterRoleBinding"
    await world.create(scope, {"apiVersion": f"{GROUP}/v1", "kind": kind, "metadata": metadata, "roleRef": reference})
    await world.start()
    assert find(world, "clusterrolebindings", "system:basic-user")["roleRef"] == wanted["roleRef"]


async def test_aggregated_roles_follow_those_that_they_select() -> None:
    world = await World(None, names.AGGREGATION).start()
    world.controllers.take_up_when_ready()
    await world.settle()
    admin = find(world, "clusterroles", "admin")
    revision = world.store.revision
    assert len(admin["rules"]) > 20
    assert [entry["operation"] for entry in admin["metadata"]["managedFields"]] == ["Apply", "Update"]

    rule = {"verbs": ["get"], "apiGroups": ["x.dev"], "resources": ["widgets"]}
    labels = {"rbac.authorization.k8s.io/aggregate-to-view": "true"}
    scope = world.builtin[GROUP, "v1", "clusterroles"][""]
    body = {"apiVersion": f"{GROUP}/v1", "kind": "ClusterRole", "metadata": {"name": "w", "labels": labels}}
    await world.create(scope, {**body, "rules": [rule]})
    await world.settle()
    for name in ("view", "edit", "admin"):
        assert rule in find(world, "clusterroles", name)["rules"], name
    assert world.store.revision == revision + 4

    await world.delete(scope, "", "w")
    await world.settle()
    for name in ("view", "edit", "admin"):
        assert rule not in find(world, "clusterroles", name)["rules"], name
