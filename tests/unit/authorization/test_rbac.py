"""Who may do what by stored roles and bindings, and how that follows what is written."""

from __future__ import annotations

from typing import Any

import pytest

from quarterdeck.apimachinery.user import User
from quarterdeck.authorization.authorizer import Attributes
from quarterdeck.authorization.chain import AuthorizerChain, Named
from quarterdeck.authorization.rbac import covers
from quarterdeck.authorization.rbac.authorizer import RBACAuthorizer
from quarterdeck.authorization.rbac.resolver import Caches, Resolver
from quarterdeck.authorization.rbac.rules import Rule
from quarterdeck.metrics.registry import Registry
from support.control import World

GROUP = "rbac.authorization.k8s.io"
KINDS = {"roles": "Role", "clusterroles": "ClusterRole", "rolebindings": "RoleBinding"}
KINDS["clusterrolebindings"] = "ClusterRoleBinding"
BOB = User("bob", groups=("team", "system:authenticated"))


class Access:
    def __init__(self, world: World) -> None:
        self.world = world
        caches = Caches(*(world.builtin[GROUP, "v1", name][""].store.cache for name in KINDS))
        self.resolver = Resolver(caches)
        self.authorizer = AuthorizerChain(Registry(), [Named("RBAC", "rbac", RBACAuthorizer(self.resolver))])

    async def add(self, resource: str, name: str, namespace: str = "", **members: Any) -> None:
        metadata = {"name": name, **({"namespace": namespace} if namespace else {})}
        obj = {"apiVersion": f"{GROUP}/v1", "kind": KINDS[resource], "metadata": metadata, **members}
        await self.world.create(self.world.builtin[GROUP, "v1", resource][""], obj)

    async def bind(self, name: str, role: str, subject: dict[str, str], namespace: str = "", kind: str = "") -> None:
        resource = "rolebindings" if namespace else "clusterrolebindings"
        reference = {"apiGroup": GROUP, "kind": kind or "ClusterRole", "name": role}
        await self.add(resource, name, namespace, subjects=[subject], roleRef=reference)

    def asks(self, user: User, verb: str, resource: str, **members: str) -> bool:
        return self.authorizer.allows(user, Attributes(verb, resource=resource, **members))


async def start() -> Access:
    return Access(await World().start())


def rule(verbs: str, resources: str = "", groups: str = "", names: str = "", urls: str = "") -> dict[str, list[str]]:
    if urls:
        return {"verbs": verbs.split(), "nonResourceURLs": urls.split()}
    found = {"verbs": verbs.split(), "apiGroups": groups.split(",") or [""], "resources": resources.split()}
    return {**found, **({"resourceNames": names.split()} if names else {})}


@pytest.mark.parametrize(
    ("given", "asked", "is_allowed"),
    [
        (rule("get", "pods"), {"verb": "get", "resource": "pods"}, True),
        (rule("get", "pods"), {"verb": "list", "resource": "pods"}, False),
        (rule("*", "pods"), {"verb": "list", "resource": "pods"}, True),
        (rule("get", "pods"), {"verb": "get", "resource": "pods", "group": "apps"}, False),
        (rule("get", "pods", "*"), {"verb": "get", "resource": "pods", "group": "apps"}, True),
        (rule("get", "pods"), {"verb": "get", "resource": "pods", "subresource": "log"}, False),
        (rule("get", "pods/log"), {"verb": "get", "resource": "pods", "subresource": "log"}, True),
        (rule("get", "pods/log"), {"verb": "get", "resource": "pods"}, False),
        (rule("get", "*/log"), {"verb": "get", "resource": "pods", "subresource": "log"}, True),
        (rule("get", "pods/*"), {"verb": "get", "resource": "pods", "subresource": "log"}, False),
        (rule("get", "*"), {"verb": "get", "resource": "pods", "subresource": "log"}, True),
        (rule("get", "pods", names="a b"), {"verb": "get", "resource": "pods", "name": "b"}, True),
        (rule("get", "pods", names="a b"), {"verb": "get", "resource": "pods", "name": "c"}, False),
        (rule("get", "pods", names="a b"), {"verb": "get", "resource": "pods"}, False),
        (rule("get", urls="/a /b/*"), {"verb": "get", "path": "/a", "is_resource": False}, True),
        (rule("get", urls="/a /b/*"), {"verb": "get", "path": "/b/c", "is_resource": False}, True),
        (rule("get", urls="/a /b/*"), {"verb": "get", "path": "/b", "is_resource": False}, False),
        (rule("get", urls="*"), {"verb": "get", "path": "/b", "is_resource": False}, True),
        (rule("get", urls="*"), {"verb": "get", "resource": "pods"}, False),
        (rule("*", "*", "*"), {"verb": "get", "path": "/a", "is_resource": False}, False),
    ],
)
async def test_a_rule_allows_what_it_names(given: dict[str, Any], asked: dict[str, Any], is_allowed: bool) -> None:
    access = await start()
    await access.add("clusterroles", "r", rules=[given])
    await access.bind("b", "r", {"kind": "User", "name": "bob"})
    assert access.authorizer.allows(BOB, Attributes(**asked)) is is_allowed


@pytest.mark.parametrize(
    ("subject", "user", "shown"),
    [
        ({"kind": "User", "name": "bob"}, BOB, 'User "bob"'),
        ({"kind": "Group", "name": "team"}, BOB, 'Group "team"'),
        ({"kind": "User", "name": "team"}, BOB, ""),
        ({"kind": "Group", "name": "bob"}, BOB, ""),
        ({"kind": "ServiceAccount", "name": "s"}, User("system:serviceaccount:n:s"), 'ServiceAccount "s/n"'),
        ({"kind": "ServiceAccount", "name": "s", "namespace": "m"}, User("system:serviceaccount:n:s"), ""),
        (
            {"kind": "ServiceAccount", "name": "s", "namespace": "m"},
            User("system:serviceaccount:m:s"),
            'ServiceAccount "s/m"',
        ),
    ],
)
async def test_subjects_and_reasons(subject: dict[str, str], user: User, shown: str) -> None:
    access = await start()
    await access.add("roles", "r", "n", rules=[rule("get", "pods")])
    await access.bind("b", "r", subject, "n", "Role")
    decision = access.authorizer.authorize(user, Attributes("get", resource="pods", namespace="n"))
    assert decision.is_allowed is bool(shown)
    assert decision.reason == (f'RBAC: allowed by RoleBinding "b/n" of Role "r" to {shown}' if shown else "")
    assert not access.asks(user, "get", "pods", namespace="other")
    assert not access.asks(user, "get", "pods")


async def test_every_change_counts_at_once() -> None:
    access = await start()
    world, scopes = access.world, access.world.builtin
    assert not access.asks(BOB, "get", "pods")
    await access.bind("b", "r", {"kind": "Group", "name": "team"})
    asked = Attributes("get", resource="pods")
    assert access.authorizer.authorize(BOB, asked).reason == f'RBAC: clusterrole.{GROUP} "r" not found'
    await access.add("clusterroles", "r", rules=[rule("get", "pods")])
    assert access.asks(BOB, "get", "pods")
    roles = scopes[GROUP, "v1", "clusterroles"][""]
    await world.change(roles, "", "r", lambda live: live.update(rules=[rule("list", "pods")]))
    assert not access.asks(BOB, "get", "pods")
    assert access.asks(BOB, "list", "pods")
    await world.delete(scopes[GROUP, "v1", "clusterrolebindings"][""], "", "b")
    assert not access.asks(BOB, "list", "pods")


async def test_a_fresh_server_tells_everybody_its_health_and_users_its_api() -> None:
    access = await start()
    nobody = User("system:anonymous", groups=("system:unauthenticated",))
    for user, path, is_allowed in (
        (nobody, "/healthz", True),
        (nobody, "/livez/ping", False),
        (nobody, "/apis", False),
        (BOB, "/apis", True),
        (BOB, "/metrics", False),
    ):
        asked = Attributes("get", path=path, is_resource=False)
        assert access.authorizer.allows(user, asked) is is_allowed, (user.name, path)
    assert access.asks(User("x", groups=("system:masters",)), "delete", "anything", group="any.dev")
    rules = access.authorizer.rules_of(BOB, "n")
    assert {"verbs": ["create"], "apiGroups": ["authentication.k8s.io"], "resources": ["selfsubjectreviews"]} in (
        rules.resource
    )


async def test_what_is_remembered_of_users_has_bounds() -> None:
    access = await start()
    for number in range(600):
        assert not access.asks(User(f"u{number}"), "get", "pods", namespace=f"n{number}")
    assert len(access.resolver._grants) <= 512


@pytest.mark.parametrize(
    ("owned", "wanted", "missing"),
    [
        ([rule("get list", "pods secrets")], [rule("get", "pods")], ""),
        ([rule("get", "pods"), rule("list", "pods")], [rule("get list", "pods")], ""),
        (
            [rule("get", "pods")],
            [rule("get list watch", "pods")],
            '{APIGroups:[""], Resources:["pods"], Verbs:["list" "watch"]}',
        ),
        ([rule("*", "*", "*")], [rule("x", "y/z", "g", "n")], ""),
        ([rule("get", "*/scale", "*")], [rule("get", "a/scale", "g")], ""),
        (
            [rule("get", "pods", names="a")],
            [rule("get", "pods")],
            '{APIGroups:[""], Resources:["pods"], Verbs:["get"]}',
        ),
        ([rule("get", "pods")], [rule("get", "pods", names="a")], ""),
        (
            [rule("get", "pods", names="a")],
            [rule("get", "pods", names="a b")],
            '{APIGroups:[""], Resources:["pods"], ResourceNames:["b"], Verbs:["get"]}',
        ),
        (
            [],
            [rule("get list", "pods", names="a")],
            '{APIGroups:[""], Resources:["pods"], ResourceNames:["a"], Verbs:["get" "list"]}',
        ),
        ([rule("get", urls="/a/*")], [rule("get", urls="/a/b")], ""),
        ([rule("get", urls="/a")], [rule("get", urls="/a /b")], '{NonResourceURLs:["/b"], Verbs:["get"]}'),
    ],
)
def test_what_is_missing(owned: list[Any], wanted: list[Any], missing: str) -> None:
    assert covers.describe(covers.find_missing(map(Rule, owned), wanted)) == missing


def test_more_rights_than_are_compared_are_refused() -> None:
    many = " ".join(f"r{number}" for number in range(1000))
    with pytest.raises(covers.TooManyRights):
        covers.find_missing([], [rule(many, many)])
    assert covers.find_missing([Rule(rule("*", "*"))], [rule(many, many)]) == []
