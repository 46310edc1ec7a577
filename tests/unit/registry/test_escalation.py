"""Nobody gives away more than they have."""

from __future__ import annotations

from typing import Any

import pytest

from quarterdeck.admission.attributes import CREATE, UPDATE
from quarterdeck.admission.attributes import Attributes as Write
from quarterdeck.apimachinery import errors
from quarterdeck.apimachinery.user import User
from quarterdeck.authorization.chain import AuthorizerChain, Named
from quarterdeck.authorization.rbac.authorizer import RBACAuthorizer
from quarterdeck.authorization.rbac.resolver import Caches, Resolver
from quarterdeck.metrics.registry import Registry
from quarterdeck.registry.builtin.rbac.escalation import Escalation
from support.control import World

GROUP = "rbac.authorization.k8s.io"
BOB = User("bob", groups=("devs",))
HELD = {"verbs": ["get"], "apiGroups": [""], "resources": ["pods"]}
NOT_HELD = {"verbs": ["get"], "apiGroups": [""], "resources": ["secrets"]}


class Guard:
    """Bob may read pods, bind the role `bindable` and escalate nothing."""

    def __init__(self, world: World) -> None:
        self.world = world
        names = ("roles", "clusterroles", "rolebindings", "clusterrolebindings")
        resolver = Resolver(Caches(*(world.builtin[GROUP, "v1", name][""].store.cache for name in names)))
        self.escalation = Escalation()
        chain = AuthorizerChain(Registry(), [Named("RBAC", "rbac", RBACAuthorizer(resolver))])
        self.escalation.authorizer, self.escalation.resolver = chain, resolver

    async def start(self, *more: dict[str, Any]) -> Guard:
        bindable = {
            "verbs": ["bind"],
            "apiGroups": [GROUP],
            "resources": ["clusterroles"],
            "resourceNames": ["bindable"],
        }
        await self.add("clusterroles", "own", rules=[HELD, bindable, *more])
        await self.add("clusterroles", "bindable", rules=[NOT_HELD])
        subject = {"kind": "User", "name": "bob", "apiGroup": GROUP}
        await self.add("clusterrolebindings", "own", subjects=[subject], roleRef=self.reference("own"))
        return self

    async def add(self, resource: str, name: str, **members: Any) -> None:
        scope = self.world.builtin[GROUP, "v1", resource][""]
        api = {"apiVersion": f"{GROUP}/v1", "kind": scope.resource.kind}
        await self.world.create(scope, {**api, "metadata": {"name": name}, **members})

    @staticmethod
    def reference(name: str, kind: str = "ClusterRole") -> dict[str, str]:
        return {"apiGroup": GROUP, "kind": kind, "name": name}

    def write(
        self,
        resource: str,
        obj: dict[str, Any],
        old: dict[str, Any] | None = None,
        user: User = BOB,
        verb: str = "create",
    ) -> None:
        scope = self.world.builtin[GROUP, "v1", resource][""]
        operation = CREATE if old is None else UPDATE
        whole, before = ({"metadata": {"name": "x"}, **each} if each is not None else None for each in (obj, old))
        origin = (user, None, scope, [], {}, False)
        write = Write(operation, scope.resource, "", "", "x", whole, before, *origin)  # type: ignore[arg-type]
        write.verb = verb
        self.escalation.admit(write)

    def refusal(self, resource: str, obj: dict[str, Any], old: dict[str, Any] | None = None) -> str:
        with pytest.raises(errors.APIStatus) as refusal:
            self.write(resource, obj, old)
        return refusal.value.message


async def test_who_makes_a_role_holds_what_it_grants() -> None:
    guard = await Guard(await World().start()).start()
    guard.write("clusterroles", {"rules": [HELD]})
    guard.write("clusterroles", {"rules": [NOT_HELD]}, user=User("a", groups=("system:masters",)))
    assert guard.refusal("clusterroles", {"rules": [HELD, NOT_HELD]}) == (
        f'clusterroles.{GROUP} "x" is forbidden: user "bob" (groups=["devs"]) is attempting to grant RBAC permissions'
        ' not currently held:\n{APIGroups:[""], Resources:["secrets"], Verbs:["get"]}'
    )


async def test_what_is_there_already_may_lose_its_owners() -> None:
    guard = await Guard(await World().start()).start()
    old = {"metadata": {"name": "x", "finalizers": ["a/b"]}, "rules": [NOT_HELD]}
    guard.write("clusterroles", {"rules": [NOT_HELD]}, old)
    labelled = {"metadata": {"name": "x", "labels": {"a": "b"}}, "rules": [NOT_HELD]}
    assert "not currently held" in guard.refusal("clusterroles", labelled, old)


async def test_an_aggregation_gathers_anything() -> None:
    guard = await Guard(await World().start()).start()
    aggregation = {"aggregationRule": {"clusterRoleSelectors": [{}]}}
    text = "must have cluster-admin privileges to use the aggregationRule"
    assert guard.refusal("clusterroles", aggregation).endswith(text)
    assert guard.refusal("clusterroles", {"rules": [HELD]}, aggregation).endswith(text)


async def test_who_binds_a_role_holds_it_or_may_bind_it() -> None:
    guard = await Guard(await World().start()).start()
    for name in ("own", "bindable"):
        guard.write("clusterrolebindings", {"roleRef": guard.reference(name)})
    assert "not currently held" in guard.refusal("clusterrolebindings", {"roleRef": guard.reference("cluster-admin")})
    assert guard.refusal("clusterrolebindings", {"roleRef": guard.reference("no")}) == (
        f'clusterrolebindings.{GROUP} "no" not found'
    )
    for name, told in (
        ("", "Name parameter required."),
        ("a/b", "Name parameter invalid: \"a/b\": may not contain '/'"),
        ("..", "Name parameter invalid: \"..\": may not be '..'"),
    ):
        assert guard.refusal("clusterrolebindings", {"roleRef": guard.reference(name)}) == told


@pytest.mark.parametrize("name", ["", "..", "own", "no"])
async def test_a_role_of_no_namespace_is_not_looked_for(name: str) -> None:
    guard = await Guard(await World().start()).start()
    reference = {"roleRef": guard.reference(name, "Role")}
    assert guard.refusal("clusterrolebindings", reference) == "Namespace parameter required."
    assert guard.refusal("clusterrolebindings", reference, {}) == "Namespace parameter required."


async def test_who_may_escalate_grants_anything() -> None:
    world = await World().start()
    guard = await Guard(world).start({"verbs": ["escalate"], "apiGroups": [GROUP], "resources": ["clusterroles"]})
    guard.write("clusterroles", {"rules": [NOT_HELD]})


@pytest.mark.parametrize("verb", ["update", "patch"])
async def test_who_may_escalate_one_role_creates_it_by_its_address(verb: str) -> None:
    named = {"verbs": ["escalate"], "apiGroups": [GROUP], "resources": ["clusterroles"], "resourceNames": ["x"]}
    guard = await Guard(await World().start()).start(named)
    aggregation = {"aggregationRule": {"clusterRoleSelectors": [{}]}}
    for role in ({"rules": [NOT_HELD]}, aggregation):
        guard.write("clusterroles", role, verb=verb)
        guard.refusal("clusterroles", role)  # of a POST, which has no name in its address
